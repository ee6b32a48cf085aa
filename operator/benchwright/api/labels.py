"""Labels and names of everything that Benchwright makes."""

import hashlib
import re

RUN = "benchwright.dev/run"
TRIAL = "benchwright.dev/trial"
ROLE = "benchwright.dev/role"
ATTEMPT = "benchwright.dev/attempt"
STAGE = "benchwright.dev/stage"
PURPOSE = "benchwright.dev/purpose"
AGENT = "benchwright.dev/agent"
TASK = "benchwright.dev/task"
CREATED_AT = "benchwright.dev/created-at"
"""Annotation of a Trial: when it was created by the operator's clock, which its stages use too."""

_HASH_CHARS = 8
TRIAL_NAME_MAX = 45  # leaves room for "-<attempt>-<stage>" in a pod's name and for labels (63)


def slug(text: str) -> str:
    """Lower-case DNS characters only; not unique by itself."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "x"


def bounded_name(*parts: str, limit: int = 63) -> str:
    """Join parts to a DNS label of at most `limit` characters.

    A name that had to be changed (cut, or characters replaced) ends in a hash of the parts as they
    were given, so that two different inputs never share a name.
    """
    plain = "-".join(parts)
    name = "-".join(slug(part) for part in parts)
    if name == plain and len(name) <= limit:
        return name
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:_HASH_CHARS]
    return f"{name[: limit - _HASH_CHARS - 1].rstrip('-')}-{digest}"


def trial_name(run: str, agent: str, task: str, index: int) -> str:
    """Deterministic: creating the same trial twice is one AlreadyExists, not two trials."""
    # The separators of the parts are lost in a DNS name ("a-b"+"c" and "a"+"b-c"), hence the hash.
    digest = hashlib.sha256("\0".join((run, agent, task)).encode()).hexdigest()[:_HASH_CHARS]
    return bounded_name(run, agent, task, f"{digest}-{index}", limit=TRIAL_NAME_MAX)


def baseline_name(run: str, task: str, repetition: int) -> str:
    digest = hashlib.sha256("\0".join((run, task)).encode()).hexdigest()[:_HASH_CHARS]
    return bounded_name(run, "baseline", task, f"{digest}-{repetition}", limit=TRIAL_NAME_MAX)


def pod_name(trial: str, attempt: int, stage: str) -> str:
    return f"{trial}-{attempt}-{stage}"
