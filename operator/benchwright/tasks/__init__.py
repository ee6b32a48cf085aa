"""Task directories: load, check, split into what an agent may see and what it may not, digest."""
