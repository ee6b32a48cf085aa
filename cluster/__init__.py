"""A disposable single-node Kubernetes cluster made from upstream parts, for demos and tests.

Standard library only: it runs with the system's python3 before anything is installed.
"""
