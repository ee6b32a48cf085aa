"""The disposable cluster: up, down, status."""

import time
from collections.abc import Callable
from pathlib import Path

from cluster import (
    addons,
    binaries,
    certificates,
    cgroups,
    cleanup,
    components,
    configs,
    loading,
    network,
    node,
    packages,
    preflight,
    settings,
    state,
    sysctls,
    volumes,
)
from cluster.api import Api, wait_for
from cluster.commands import attempt
from cluster.console import say, step
from cluster.errors import ClusterError

RESOLVERS = ("/etc/resolv.conf", "/run/systemd/resolve/resolv.conf")


def up() -> None:
    """Bring the cluster up, or say that it is; what is half there is removed first."""
    preflight.check_user()
    with state.locked():
        start = time.monotonic()
        current = state.load()
        if not problems(current):
            _adopt(current)
            _renew_volumes(current)
            say(f"cluster: up, {age(current)} old; kubeconfig {settings.kubeconfig()}")
            return
        tools, programs = prepare()
        if cleanup.anything_there(current):
            with step("clean up what an earlier cluster left"):
                cleanup.clean(current)
        new = _make(programs, tools)
        _adopt(new)
        say(f"cluster: up in {time.monotonic() - start:.1f} s; kubeconfig {settings.kubeconfig()}")


def prepare() -> tuple[Path, Path]:
    """Get all programs: (the folder of kubectl and helm, that of the node's)."""
    packages.ensure_packages()
    return packages.ensure_tools(), binaries.ensure_programs()


def _make(programs: Path, tools: Path) -> state.State:
    addresses = settings.addresses()
    new = state.State(settings.state_folder())
    with step("the machine has what is needed"):
        preflight.check_machine(new.folder, addresses)
    with step("certificates, configuration, network"):
        _lay_out(new, programs, addresses)
    with step("etcd, containerd and the API server"):
        _start(new, components.FIRST, programs, addresses)
        _wait(new, "containerd", lambda: loading.runtime_answers(new))
        loading.load_pause(new, programs)
        api = Api(new.certificates, addresses.api_url)
        _wait(new, "the API server", lambda: api.answers)
    with step("node"):
        _start(new, components.REST, programs, addresses)
        manifests = addons.rendered(programs, addresses, nameservers())
        manifests += "---\n" + volumes.manifests(volumes.make(new.folder), settings.NODE_NAME)
        addons.apply(tools / "kubectl", new.kubeconfig, manifests)
        _wait(new, "the node's registration", lambda: bool(api.node(settings.NODE_NAME)))
        _start(new, components.LAST, programs, addresses)
        _wait(new, "the node", lambda: api.node_ready(settings.NODE_NAME))
    with step("default service account, network policies, names"):
        _wait(new, "the default service account", api.default_account)
        _wait(new, "network policies", lambda: policies_enforced(new))
        _wait(new, "CoreDNS", lambda: names_answer(api))
    new.complete = True
    new.save()
    return new


def _lay_out(new: state.State, programs: Path, addresses: settings.Addresses) -> None:
    new.save()
    certificates.make(programs, new.certificates, addresses)
    configs.write_all(new.folder, addresses, network.outer_mtu(), nameservers())
    configs.link_plugins(new.folder, programs)
    sysctls.raise_minimums(new)
    node.start(new, programs)
    network.connect(new, addresses)


def _start(
    new: state.State, names: tuple[str, ...], programs: Path, addresses: settings.Addresses
) -> None:
    for name in names:
        node.start_daemon(new, name, components.command(name, programs, new.folder, addresses))


def _renew_volumes(current: state.State) -> None:
    """Make those free again whose claims were deleted."""
    api = Api(current.certificates, settings.addresses().api_url)
    names = volumes.released(api.object("/api/v1/persistentvolumes"))
    if names:
        with step(f"free {len(names)} volumes whose claims are gone"):
            kubectl = packages.ensure_tools() / "kubectl"
            addons.delete(kubectl, current.kubeconfig, "persistentvolumes", names)
            manifests = volumes.manifests(
                volumes.emptied(current.folder, names), settings.NODE_NAME
            )
            addons.apply(kubectl, current.kubeconfig, manifests)


def _wait(new: state.State, what: str, ready: Callable[[], bool]) -> None:
    wait_for(what, ready, lambda: dead_daemons(new), timeout=90)


def dead_daemons(current: state.State) -> str:
    """Which daemons have ended, with the last that they said."""
    dead = [name for name, process in current.processes.items() if not process.alive]
    return "; ".join(f"{name} has ended: {last_words(current, name)}" for name in dead)


def last_words(current: state.State, name: str) -> str:
    try:
        lines = (current.logs / f"{name}.log").read_text(errors="replace").splitlines()
    except OSError:
        return "it left no log"
    return " | ".join(line[-300:] for line in lines[-3:])


def nameservers() -> list[str]:
    files = [Path(path) for path in RESOLVERS]
    return configs.outer_nameservers([file.read_text() for file in files if file.exists()])


def policies_enforced(current: state.State) -> bool:
    """The policy daemon writes this rule at the end of its first round."""
    list_rules = ("iptables", "--wait", "--list-rules", "KUBE-ROUTER-FORWARD")
    said = attempt(*node.enter(current), *list_rules).stdout
    return "comply to network policies" in said


def names_answer(api: Api) -> bool:
    return api.deployment_available("kube-system", "coredns")


def problems(current: state.State) -> list[str]:
    """Why the cluster is not healthy; empty when it is."""
    if not current.complete:
        return ["no cluster is up"]
    dead = [name for name, process in current.processes.items() if not process.alive]
    if dead:
        return [f"not running any more: {', '.join(dead)} (logs: {current.logs})"]
    api = Api(current.certificates, settings.addresses().api_url)
    if not api.answers:
        return ["the API server does not answer"]
    found = []
    if not api.node_ready(settings.NODE_NAME):
        found.append("the node is not ready")
    if not names_answer(api):
        found.append("CoreDNS is not available")
    return found


def _adopt(current: state.State) -> None:
    """This checkout's own copy of the kubeconfig, for a cluster that any checkout may have made."""
    certificates.write_private(settings.kubeconfig(), current.kubeconfig.read_text())


def age(current: state.State) -> str:
    seconds = int(current.holder.age)
    return f"{seconds // 60} min {seconds % 60} s"


def down() -> None:
    """End the cluster and check that nothing of it is left."""
    preflight.check_user()
    with state.locked():
        current = state.load()
        with step("end the cluster"):
            cleanup.clean(current)
        settings.kubeconfig().unlink(missing_ok=True)
        left = cleanup.leftovers(current)
    if left:
        raise ClusterError("left behind: " + ", ".join(left), "python3 -m cluster down, again")
    say("cluster: down, nothing is left")


def status() -> None:
    """Print what runs; not healthy is an error."""
    current = state.load()
    found = problems(current)
    if current.complete and cgroups.members():
        _print_table(current)
    if found:
        raise ClusterError("; ".join(found), "python3 -m cluster up makes a new one")


def _print_table(current: state.State) -> None:
    addresses = settings.addresses()
    api = Api(current.certificates, addresses.api_url)
    info = api.node(settings.NODE_NAME).get("status", {}).get("nodeInfo", {})
    print(
        f"node        {settings.NODE_NAME} ({addresses.node}), {info.get('kubeletVersion', '?')}, "
        f"{info.get('containerRuntimeVersion', '?')}, kernel {info.get('kernelVersion', '?')}"
    )
    print(f"API server  {addresses.api_url}, {api.version}")
    print(f"kubeconfig  {settings.kubeconfig()}")
    print(f"logs        {current.logs}")
    for name, process in current.processes.items():
        running = f"pid {process.pid}, {process.age:.0f} s" if process.alive else "not running"
        print(f"  {name:24} {running}")
