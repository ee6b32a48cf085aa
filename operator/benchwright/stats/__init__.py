"""Statistics of trials, runs and corpora. Pure: numbers in, numbers or `Undefined` out.

Nothing is imported here: `values`, `proportions`, `passes`, `cells`, `sets`, `pareto` and `corpus`
work without scipy and numpy, whose import costs half a second.
"""
