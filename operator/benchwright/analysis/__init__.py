"""What the trials of a run, or of several, say about agents and tasks (pure).

Observations go in, and what a report says comes out: standings, comparisons, tasks, claims. How it is
printed is not decided here (reports/), nor how a statistic is computed (stats/).
"""
