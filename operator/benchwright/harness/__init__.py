"""What runs inside trial pods: one sidecar that fetches and collects, and the runner's script.

Start-up is on every trial's critical path: until the main container may go, only the standard
library is imported.
"""
