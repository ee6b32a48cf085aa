"""What was called, written down before it is called: records, their sums, and the files."""
