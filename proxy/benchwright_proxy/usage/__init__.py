"""What providers say that a call used, one module a dialect. Pure."""
