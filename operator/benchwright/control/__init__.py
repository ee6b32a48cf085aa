"""The operator: kopf and informers put keys in one queue; one loop observes, decides and applies."""
