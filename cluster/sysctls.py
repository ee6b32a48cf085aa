"""Kernel settings of the whole machine; those that are changed are put back in the end."""

from contextlib import suppress
from pathlib import Path

from cluster.state import State

SYSTEM = Path("/proc/sys")

MINIMUMS = {"fs/inotify/max_user_instances": 1024, "fs/inotify/max_user_watches": 524288}
"""The defaults of many machines are used up by a few dozen pods."""

KUBELET_INSISTS = {
    "vm/overcommit_memory": "1",
    "vm/panic_on_oom": "0",
    "kernel/panic": "10",
    "kernel/panic_on_oops": "1",
    "kernel/keys/root_maxkeys": "1000000",
    "kernel/keys/root_maxbytes": "25000000",
}
"""The kubelet sets these for the whole machine, which a guest has no business to do: inside the
node, files that already hold what it wants are mounted over them."""


def raise_minimums(state: State) -> None:
    for key, minimum in MINIMUMS.items():
        if int(read(key) or minimum) < minimum:
            set_sysctl(state, key, str(minimum))


def stand_ins(folder: Path) -> dict[Path, Path]:
    """Make the files for the kubelet; returns path in /proc → file to mount there."""
    folder.mkdir(parents=True, exist_ok=True)
    made = {}
    for key, value in KUBELET_INSISTS.items():
        if (SYSTEM / key).exists():
            made[SYSTEM / key] = folder / key.replace("/", ".")
            made[SYSTEM / key].write_text(value + "\n")
    return made


def read(key: str) -> str:
    with suppress(OSError):
        return (SYSTEM / key).read_text().strip()
    return ""


def set_sysctl(state: State, key: str, value: str) -> None:
    """Recorded first, so that a kill in between loses nothing."""
    before = read(key)
    if before != value:
        state.sysctls.setdefault(key, (before, value))
        state.save()
        (SYSTEM / key).write_text(value)


def to_restore(recorded: dict[str, tuple[str, str]], now: dict[str, str]) -> dict[str, str]:
    """What to write: not what somebody else has changed since, nor forwarding that is needed."""
    forwarding_for_all = now.get("net/ipv4/ip_forward") == "1"
    wanted = {}
    for key, (before, ours) in recorded.items():
        needed = key.endswith("/forwarding") and forwarding_for_all
        if now.get(key) == ours and not needed:
            wanted[key] = before
    return wanted


def restore(state: State) -> None:
    keys = [*state.sysctls, "net/ipv4/ip_forward"]
    for key, value in to_restore(state.sysctls, {key: read(key) for key in keys}).items():
        with suppress(OSError):  # an interface that is gone
            (SYSTEM / key).write_text(value)
