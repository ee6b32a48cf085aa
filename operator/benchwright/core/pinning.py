"""Which proxy a trial's calls go to (pure).

Budgets are counted in one process each, without a lock between them: so a trial has one proxy for all of
its attempts, and where a run has a budget of its own, all of its trials have the same.
"""

import hashlib


def pinned(key: str, replicas: int) -> int:
    """A number below `replicas`, always the same for a key."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8]) % replicas
