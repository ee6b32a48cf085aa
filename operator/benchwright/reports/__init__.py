"""Reports of a run's records: CSV, a self-contained page, terminal tables (pure, no I/O)."""
