"""Pages for people: runs, tasks, agents, trials and their evidence. Read-only without a token."""
