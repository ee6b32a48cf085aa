"""The web view in a real browser."""
