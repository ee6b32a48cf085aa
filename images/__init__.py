"""Builds Benchwright's container images without an engine, a registry or root."""
