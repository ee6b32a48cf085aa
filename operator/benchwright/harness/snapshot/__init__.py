"""From an agent's tree to an overlay, a patch and numbers (`take`); onto a fresh base (`apply`).

Nothing is imported here: each pod's sidecar takes only the parts that its stage needs.
"""
