"""The configuration files of the daemons. Kubernetes' are YAML, so JSON does."""

import json
from pathlib import Path
from typing import Any

from cluster.settings import (
    CNI_PLUGINS,
    NODE_NAME,
    PAUSE_IMAGE,
    POLICY_SOCKET,
    RUNTIME,
    Addresses,
)

KUBELET_KIND = "kubelet.config.k8s.io/v1beta1"


def write_all(state: Path, addresses: Addresses, mtu: int, nameservers: list[str]) -> None:
    """Write every file below the state folder."""
    pki = state / "pki"
    files = {
        "configs/containerd.toml": containerd(state),
        "cni/net.d/10-benchwright.conflist": _json(cni(state, addresses, mtu)),
        "configs/kubelet.json": _json(kubelet(state, addresses)),
        "configs/kube-proxy.json": _json(kube_proxy(pki, addresses)),
        "configs/kube-scheduler.json": _json(scheduler(pki)),
        "configs/resolv.conf": "".join(f"nameserver {server}\n" for server in nameservers),
    }
    for name, content in files.items():
        (state / name).parent.mkdir(parents=True, exist_ok=True)
        (state / name).write_text(content)


def link_plugins(state: Path, programs: Path) -> None:
    """One folder with Debian's CNI plugins and our own."""
    folder = state / "cni/plugins"
    folder.mkdir(parents=True)
    for program in (*CNI_PLUGINS.iterdir(), programs / "await-policy"):
        (folder / program.name).symlink_to(program)


def _json(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=2) + "\n"


def containerd(state: Path) -> str:
    """Two settings are for machines that lack CAP_SYS_RESOURCE or the hugetlb controller."""
    return f"""version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
disabled_plugins = [
  "io.containerd.snapshotter.v1.aufs",
  "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.zfs",
  "io.containerd.internal.v1.restart",
  "io.containerd.tracing.processor.v1.otlp",
]

[grpc]
  address = "/run/containerd/containerd.sock"

[plugins."io.containerd.internal.v1.opt"]
  path = "{state}/opt"

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{PAUSE_IMAGE}"
  restrict_oom_score_adj = true
  tolerate_missing_hugetlb_controller = true
  netns_mounts_under_state_dir = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "{state}/cni/plugins"
    conf_dir = "{state}/cni/net.d"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    default_runtime_name = "crun"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.crun]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.crun.options]
        BinaryName = "{state}/{RUNTIME}"
        SystemdCgroup = false
"""


def cni(state: Path, addresses: Addresses, mtu: int) -> dict[str, Any]:
    """Point to point: every packet is routed by the node, so the policies see it."""
    pods = addresses.pods
    ipam = {
        "type": "host-local",
        "dataDir": str(state / "cni/addresses"),
        "ranges": [[{"subnet": str(pods), "gateway": str(addresses.gateway)}]],
        "routes": [{"dst": "0.0.0.0/0"}],
    }
    return {
        "cniVersion": "0.4.0",
        "name": NODE_NAME,
        "plugins": [
            {"type": "ptp", "ipMasq": False, "mtu": mtu, "ipam": ipam},
            {"type": "await-policy", "socket": str(state / POLICY_SOCKET)},
        ],
    }


def kubelet(state: Path, addresses: Addresses) -> dict[str, Any]:
    pki = state / "pki"
    return {
        "apiVersion": KUBELET_KIND,
        "kind": "KubeletConfiguration",
        "address": str(addresses.node),
        "authentication": {
            "anonymous": {"enabled": False},
            "webhook": {"enabled": True},
            "x509": {"clientCAFile": str(pki / "ca.crt")},
        },
        "authorization": {"mode": "Webhook"},
        "tlsCertFile": str(pki / "kubelet-server.crt"),
        "tlsPrivateKeyFile": str(pki / "kubelet-server.key"),
        "containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock",
        "volumePluginDir": "/var/lib/kubelet/volume-plugins",
        "clusterDNS": [str(addresses.names)],
        "clusterDomain": "cluster.local",
        "resolvConf": str(state / "configs/resolv.conf"),
        **KUBELET_SETTINGS,
    }


KUBELET_SETTINGS: dict[str, Any] = {
    # Works as a guest of any machine:
    "cgroupDriver": "cgroupfs",
    "cgroupRoot": f"/{NODE_NAME}",
    "failCgroupV1": False,
    "failSwapOn": False,
    # The disk is shared with everything else on the machine and may be quite full.
    "evictionHard": {
        "memory.available": "200Mi",
        "nodefs.available": "2%",
        "nodefs.inodesFree": "2%",
        "imagefs.available": "2%",
        "imagefs.inodesFree": "2%",
    },
    "evictionPressureTransitionPeriod": "30s",
    # Images are loaded from files: what is collected could not be pulled again.
    "imageGCHighThresholdPercent": 100,
    "imageGCLowThresholdPercent": 99,
    "serializeImagePulls": False,
    "maxPods": 250,
    "podPidsLimit": 1024,
    "systemReserved": {"memory": "1Gi"},
    # Many short pods at once: status updates must not queue up behind a limit for big clusters.
    "kubeAPIQPS": 500,
    "kubeAPIBurst": 1000,
}


def kube_proxy(pki: Path, addresses: Addresses) -> dict[str, Any]:
    return {
        "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
        "kind": "KubeProxyConfiguration",
        "clientConnection": {"kubeconfig": str(pki / "kube-proxy.kubeconfig")},
        "hostnameOverride": NODE_NAME,
        "mode": "iptables",
        "clusterCIDR": str(addresses.pods),
        "bindAddress": str(addresses.node),
        "healthzBindAddress": "127.0.0.1:10256",
        "metricsBindAddress": "127.0.0.1:10249",
        "iptables": {"localhostNodePorts": False, "minSyncPeriod": "100ms"},
        # The machine's table of connections is not the node's to resize.
        "conntrack": {
            "maxPerCore": 0,
            "min": 0,
            "tcpEstablishedTimeout": "0s",
            "tcpCloseWaitTimeout": "0s",
        },
    }


def scheduler(pki: Path) -> dict[str, Any]:
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "leaderElection": {"leaderElect": False},
        "clientConnection": {
            "kubeconfig": str(pki / "kube-scheduler.kubeconfig"),
            "qps": 500,
            "burst": 1000,
        },
    }


def outer_nameservers(files: list[str]) -> list[str]:
    """The first resolver list (by its text) with servers that can be reached from elsewhere."""
    for text in files:
        words = [line.split() for line in text.splitlines()]
        servers = [line[1] for line in words if len(line) > 1 and line[0] == "nameserver"]
        reachable = [one for one in servers if not one.startswith("127.") and ":" not in one]
        if reachable:
            return reachable[:3]
    return []
