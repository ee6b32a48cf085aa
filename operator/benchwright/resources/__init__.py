"""Pure builders: model → plain dictionary as the API server takes it."""
