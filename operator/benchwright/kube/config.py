"""Where the API server is and how to log in, from the kubernetes package's own configuration."""

import ssl
from dataclasses import dataclass
from pathlib import Path

from kubernetes import config as kube_config
from kubernetes.client import Configuration

_SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


class LoginError(Exception):
    """No usable configuration; the message says what was tried."""


@dataclass(frozen=True)
class Login:
    """Address, TLS context and token. A token file is read anew, since tokens rotate hourly."""

    server: str
    tls: ssl.SSLContext | None
    token: str | None
    token_file: Path | None
    namespace: str

    def headers(self) -> dict[str, str]:
        token = self.token_file.read_text().strip() if self.token_file else self.token
        return {"Authorization": f"Bearer {token}"} if token else {}


def login(context: str | None = None) -> Login:
    """In a pod its service account, elsewhere the kubeconfig ($KUBECONFIG or ~/.kube/config)."""
    if (_SERVICE_ACCOUNT / "token").exists():
        return _in_cluster()
    return _kubeconfig(context)


def _in_cluster() -> Login:
    cfg = Configuration()
    kube_config.load_incluster_config(client_configuration=cfg)
    namespace = (_SERVICE_ACCOUNT / "namespace").read_text().strip()
    return Login(cfg.host, _tls(cfg), None, _SERVICE_ACCOUNT / "token", namespace)


def _kubeconfig(context: str | None) -> Login:
    cfg = Configuration()
    try:
        kube_config.load_kube_config(context=context, client_configuration=cfg)
        contexts, active = kube_config.list_kube_config_contexts()
    except kube_config.ConfigException as error:
        raise LoginError(
            f"no Kubernetes login: {error}. Set KUBECONFIG, or run `make cluster`."
        ) from error
    token = cfg.api_key.get("authorization") or cfg.api_key.get("BearerToken") or ""
    chosen = next((c for c in contexts if c["name"] == context), active)
    namespace = chosen["context"].get("namespace", "default")
    return Login(cfg.host, _tls(cfg), token.removeprefix("Bearer ") or None, None, namespace)


def _tls(cfg: Configuration) -> ssl.SSLContext | None:
    if not cfg.host.startswith("https"):
        return None
    context = ssl.create_default_context(cafile=cfg.ssl_ca_cert)
    if not cfg.verify_ssl:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if cfg.cert_file:
        context.load_cert_chain(cfg.cert_file, cfg.key_file)
    return context
