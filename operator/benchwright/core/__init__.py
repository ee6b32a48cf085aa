"""Pure rules: what is observed → what to do. No I/O, no clock, no kopf, no Kubernetes client."""
