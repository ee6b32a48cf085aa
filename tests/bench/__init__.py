"""Benchmarks: run by hand (`make bench`), each prints a ratio against a peer of the same run."""
