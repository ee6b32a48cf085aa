"""The other proxies, each set up as its own documentation says that it is fast."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from . import build
from .peers import Peer, serving
from .process import free_port
from .scenarios import MODELS

MASTER_KEY = "sk-bench"
NGINX = """\
daemon off;
user root;
worker_processes 1;
pid {folder}/pid;
error_log stderr;
events {{ worker_connections 4096; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  client_max_body_size 64m;
  client_body_buffer_size 1m;
  keepalive_requests 100000000;
  upstream provider {{
    server {upstream};
    keepalive 1000;
    keepalive_requests 100000000;
  }}
  server {{
    listen 127.0.0.1:{port} backlog=1024;
    location / {{
      proxy_pass http://provider;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
      proxy_request_buffering off;
    }}
  }}
}}
"""


@contextmanager
def litellm(folder: Path, made: Path, upstream: str) -> Iterator[Peer]:
    """LiteLLM's proxy with one worker: a master key, no database, no callbacks, no retries."""
    program = build.litellm(made)
    base = upstream.removesuffix("/chat/completions")
    models = [
        {
            "model_name": name,
            "litellm_params": {"model": f"openai/{name}", "api_base": base, "api_key": "sk-x"},
        }
        for name in MODELS
    ]
    config = {
        "model_list": models,
        "general_settings": {"master_key": MASTER_KEY},
        "litellm_settings": {"telemetry": False, "set_verbose": False, "num_retries": 0},
    }
    (folder / "litellm.yaml").write_text(json.dumps(config))
    port = free_port()
    command = [str(program), "--config", str(folder / "litellm.yaml")]
    command += ["--host", "127.0.0.1", "--port", str(port), "--num_workers", "1"]
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_LOG": "ERROR",
        "LITELLM_MODE": "PRODUCTION",
    }
    log, version = folder / "litellm.log", build.LITELLM.partition("==")[2]
    with serving(
        "litellm", command, port, log, token=MASTER_KEY, version=version, env=environment
    ) as peer:
        yield peer


@contextmanager
def go(folder: Path, made: Path, upstream: str, idle: int = 0) -> Iterator[Peer]:
    """Go's httputil.ReverseProxy as its library has it, or with `idle` connections kept open to the
    upstream instead of two."""
    name = "go-pooled" if idle else "go"
    port, target = free_port(), urlsplit(upstream)
    command = [str(made / "reverse"), "-listen", f"127.0.0.1:{port}"]
    command += ["-upstream", f"http://{target.netloc}", "-idle", str(idle)]
    version = build.output(["go", "env", "GOVERSION"])
    with serving(name, command, port, folder / f"{name}.log", version=version) as peer:
        yield peer


@contextmanager
def nginx(folder: Path, made: Path, upstream: str) -> Iterator[Peer]:
    """nginx with one worker, passing everything on as it comes."""
    program, port, home = build.nginx(made), free_port(), folder / "nginx"
    home.mkdir()
    config = home / "nginx.conf"
    config.write_text(NGINX.format(folder=home, port=port, upstream=urlsplit(upstream).netloc))
    command = [str(program), "-p", str(home), "-c", str(config)]
    version = build.output([str(program), "-v"]).rpartition("/")[2]
    with serving("nginx", command, port, folder / "nginx.log", version=version) as peer:
        yield peer
