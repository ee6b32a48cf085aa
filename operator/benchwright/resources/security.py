"""Security contexts that the Pod Security Standard `restricted` admits."""

from typing import Any


def pod_security(user: int) -> dict[str, Any]:
    """One unprivileged user for the whole pod."""
    return {
        "runAsNonRoot": True,
        "runAsUser": user,
        "runAsGroup": user,
        "fsGroup": user,
        "fsGroupChangePolicy": "OnRootMismatch",
        "seccompProfile": {"type": "RuntimeDefault"},
    }


def container_security(*, read_only_root: bool = False) -> dict[str, Any]:
    """No capability, no way to gain one."""
    return {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        **({"readOnlyRootFilesystem": True} if read_only_root else {}),
    }
