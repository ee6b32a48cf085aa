"""The daemons of the node, in the order in which they are started, and their arguments."""

from pathlib import Path

from cluster.settings import NODE_NAME, POLICY_SOCKET, Addresses

STORE_URL = "http://127.0.0.1:2379"
"""In the node's own network namespace, where only its daemons are."""

RUNTIME_IS_SAFE = "_LIBCONTAINER_CLONED_BINARY=1"
"""Lest a container overwrites crun, crun copies itself to memory and starts anew from there, each of
the six times that a container needs it. Told so, it takes a read-only mount for as good, and checks
that it is one (CVE-2019-5736; crun, src/libcrun/cloned_binary.c)."""

FIRST = ("etcd", "containerd", "kube-apiserver")
REST = ("kube-controller-manager", "kube-scheduler", "kubelet", "kube-proxy")
LAST = ("network-policy",)
"""This one looks for its node, which the kubelet registers."""
ALL = (*FIRST, *REST, *LAST)


def command(name: str, programs: Path, state: Path, addresses: Addresses) -> list[str]:
    """The command line of a daemon."""
    if name == "containerd":
        config = str(state / "configs/containerd.toml")
        return ["env", RUNTIME_IS_SAFE, "containerd", "--config", config]
    flags = _FLAGS[name](state, state / "pki", addresses)
    return [str(programs / name), *(f"--{flag}={value}" for flag, value in flags.items())]


def _etcd(state: Path, pki: Path, addresses: Addresses) -> dict[str, str]:
    return {
        "name": NODE_NAME,
        "data-dir": str(state / "etcd"),
        "listen-client-urls": STORE_URL,
        "advertise-client-urls": STORE_URL,
        "listen-peer-urls": "http://127.0.0.1:2380",
        "initial-advertise-peer-urls": "http://127.0.0.1:2380",
        "initial-cluster": f"{NODE_NAME}=http://127.0.0.1:2380",
        "unsafe-no-fsync": "true",  # a cluster that does not survive its machine anyway
        "quota-backend-bytes": str(8 << 30),
        "log-level": "warn",
    }


def _apiserver(state: Path, pki: Path, addresses: Addresses) -> dict[str, str]:
    address = str(addresses.node)
    return {
        "etcd-servers": STORE_URL,
        "bind-address": address,
        "advertise-address": address,
        "secure-port": "6443",
        "service-cluster-ip-range": str(addresses.services),
        "tls-cert-file": str(pki / "apiserver.crt"),
        "tls-private-key-file": str(pki / "apiserver.key"),
        "client-ca-file": str(pki / "ca.crt"),
        "kubelet-certificate-authority": str(pki / "ca.crt"),
        "kubelet-client-certificate": str(pki / "apiserver-kubelet.crt"),
        "kubelet-client-key": str(pki / "apiserver-kubelet.key"),
        "kubelet-preferred-address-types": "InternalIP",
        "service-account-issuer": "https://kubernetes.default.svc.cluster.local",
        "service-account-key-file": str(pki / "service-accounts.pub"),
        "service-account-signing-key-file": str(pki / "service-accounts.key"),
        "requestheader-client-ca-file": str(pki / "front-proxy-ca.crt"),
        "requestheader-allowed-names": "front-proxy-client",
        "requestheader-username-headers": "X-Remote-User",
        "requestheader-group-headers": "X-Remote-Group",
        "requestheader-extra-headers-prefix": "X-Remote-Extra-",
        "proxy-client-cert-file": str(pki / "front-proxy.crt"),
        "proxy-client-key-file": str(pki / "front-proxy.key"),
        "authorization-mode": "Node,RBAC",
        "enable-admission-plugins": "NodeRestriction",
        "allow-privileged": "true",
        "profiling": "false",
    }


def _controllers(state: Path, pki: Path, addresses: Addresses) -> dict[str, str]:
    return {
        **_client("kube-controller-manager", pki),
        "kubeconfig": str(pki / "kube-controller-manager.kubeconfig"),
        "service-account-private-key-file": str(pki / "service-accounts.key"),
        "root-ca-file": str(pki / "ca.crt"),
        "cluster-signing-cert-file": str(pki / "ca.crt"),
        "cluster-signing-key-file": str(pki / "ca.key"),
        "use-service-account-credentials": "true",
        "leader-elect": "false",
        "kube-api-qps": "500",
        "kube-api-burst": "1000",
    }


def _scheduler(state: Path, pki: Path, addresses: Addresses) -> dict[str, str]:
    return {
        **_client("kube-scheduler", pki),
        "config": str(state / "configs/kube-scheduler.json"),
    }


def _client(name: str, pki: Path) -> dict[str, str]:
    kubeconfig = str(pki / f"{name}.kubeconfig")
    return {
        "bind-address": "127.0.0.1",
        "authentication-kubeconfig": kubeconfig,
        "authorization-kubeconfig": kubeconfig,
    }


def _kubelet(state: Path, pki: Path, addresses: Addresses) -> dict[str, str]:
    return {
        "config": str(state / "configs/kubelet.json"),
        "kubeconfig": str(pki / "kubelet.kubeconfig"),
        "hostname-override": NODE_NAME,
        "node-ip": str(addresses.node),
    }


def _proxy(state: Path, pki: Path, addresses: Addresses) -> dict[str, str]:
    return {"config": str(state / "configs/kube-proxy.json")}


def _policy(state: Path, pki: Path, addresses: Addresses) -> dict[str, str]:
    return {
        "kubeconfig": str(pki / "network-policy.kubeconfig"),
        "node": NODE_NAME,
        "node-address": str(addresses.node),
        "service-cidr": str(addresses.services),
        "socket": str(state / POLICY_SOCKET),
    }


_FLAGS = {
    "etcd": _etcd,
    "kube-apiserver": _apiserver,
    "kube-controller-manager": _controllers,
    "kube-scheduler": _scheduler,
    "kubelet": _kubelet,
    "kube-proxy": _proxy,
    "network-policy": _policy,
}
