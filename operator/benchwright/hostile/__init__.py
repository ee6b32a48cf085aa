"""Reading what an agent may have written, shared by the packages that read reports (pure)."""
