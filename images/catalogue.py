"""The images: which layers each has and how its containers start."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from images import agents
from images.errors import ImageError
from images.oci import Runtime
from images.parts import (
    VENV,
    Debian,
    Files,
    Links,
    Own,
    PackedWheels,
    Part,
    Venv,
    Wheels,
)
from images.rootfs import HOME, ID

REGISTRY = "benchwright.local"
"""Not a host: images are loaded by name and never pulled."""

TAG = "dev"

_ENV = {
    "PATH": f"/{VENV}/bin:/usr/local/bin:/usr/bin",
    "LANG": "C.UTF-8",
    "HOME": f"/{HOME}",
    "PYTHONDONTWRITEBYTECODE": "1",
}


@dataclass(frozen=True)
class Layer:
    """A layer that images share; `owners` gives the user id of paths that are not root's."""

    name: str
    parts: tuple[Part, ...]
    owners: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Image:
    """An image: its layers, lowest first."""

    name: str
    title: str
    layers: tuple[Layer, ...]
    runtime: Runtime = field(default_factory=lambda: Runtime(env=_ENV))

    @property
    def ref(self) -> str:
        return f"{REGISTRY}/{self.name}:{TAG}"


_BASE_PACKAGES = Debian(
    (
        *("base-files", "base-passwd", "ca-certificates", "coreutils", "dash", "debianutils"),
        *("libc-bin", "libstdc++6", "python3"),
    ),
    # What only maintainer scripts and package management use.
    dropped=("debconf", "dpkg", "openssl", "perl-base", "usrmerge", "init-system-helpers"),
)
_GIT_PACKAGES = Debian(
    ("git",),
    # Git's own programs that are written in perl (send-email, svn, instaweb) do not come along.
    dropped=("perl", "liberror-perl", "git-man"),
    below=(_BASE_PACKAGES,),
)
_TOOL_PACKAGES = Debian(
    (
        *("bash", "diffutils", "findutils", "grep", "gzip", "hostname", "less", "ncurses-base"),
        *("patch", "procps", "sed", "tar", "xz-utils"),
    ),
    dropped=("dpkg", "init-system-helpers", "perl-base", "debconf", "usrmerge"),
    below=(_BASE_PACKAGES, _GIT_PACKAGES),
)

_BASE = Layer("base", (_BASE_PACKAGES,), owners={HOME: ID, "workspace": ID})
_GIT = Layer("git", (_GIT_PACKAGES,))
_TOOLS = Layer("tools", (_TOOL_PACKAGES, Links({"usr/bin/python": "python3"})))

_RUNTIME_LOCK = "requirements/runtime.lock"
_DEV_LOCK = "requirements/dev.lock"
_AGENT = "images/agent-mini-swe-agent"

_OPERATOR_WHEELS = Wheels(
    _RUNTIME_LOCK,
    roots=(
        *("kopf", "kubernetes", "pydantic", "GitPython", "aiohttp", "prometheus-client", "scipy"),
        *("SQLAlchemy", "aiosqlite", "obstore", "defusedxml", "ruamel.yaml", "jinja2", "click"),
        *("rich", "pygments", "matplotlib", "greenlet"),
    ),
    prune=(
        "numpy/*/test_*.py",
        "numpy/*/tests/data/*",
        "scipy/*/tests/*",
        # Clients that are generated for asyncio, next to the ones that are used.
        "kubernetes/aio/*",
        "kubernetes/e2e_test/*",
        "matplotlib/tests/*",
        "matplotlib/mpl-data/sample_data/*",
        "matplotlib/mpl-data/images/*",
        "matplotlib/backends/web_backend/*",
        # Of it the names of glyphs are used alone.
        *(
            f"fontTools/{part}/*"
            for part in ("cu2qu", "feaLib", "pens", "qu2cu", "ttLib", "ufoLib", "varLib")
        ),
    ),
)
_PROXY_WHEELS = Wheels(
    _RUNTIME_LOCK,
    roots=(
        *("aiohttp", "httptools", "msgspec", "uvloop", "pydantic", "prometheus-client"),
        "ruamel.yaml",
    ),
)
_HARNESS_WHEELS = Wheels(_RUNTIME_LOCK, roots=("defusedxml",))
_TEST_WHEELS = Wheels(
    _DEV_LOCK,
    roots=("pytest", "coverage"),
    site="usr/local/lib/python3.11/dist-packages",
    scripts=("pytest", "coverage"),
    scripts_in="usr/local/bin",
    interpreter="/usr/bin/python3",
)

_AGENT_WHEELS = Wheels(
    f"{_AGENT}/requirements.lock",
    roots=("mini-swe-agent",),
    site="bundle/lib",
    dropped=(
        # What only its batch runner and its trajectory viewer use.
        *("datasets", "dill", "fsspec", "hf-xet", "huggingface-hub", "multiprocess", "numpy"),
        *("pandas", "pyarrow", "python-dateutil", "tqdm", "tzdata", "xxhash", "filelock"),
        *("linkify-it-py", "mdit-py-plugins", "textual"),
        # Of litellm: checks that are off, and counting tokens as hub models do (see tokenizers.py).
        *("jsonschema", "jsonschema-specifications", "referencing", "rpds-py", "tokenizers"),
    ),
    prune=(
        # The pages of litellm's server, and data that only it or models from a hub use.
        "litellm/proxy/_experimental/out/*",
        "litellm/proxy/swagger/*",
        *(f"litellm/proxy/*.{kind}" for kind in ("html", "jpg", "json", "prisma", "txt", "yaml")),
        "litellm/policy_templates_backup.json",
        "litellm/llms/huggingface/huggingface_llms_metadata/*",
        "litellm/litellm_core_utils/audio_utils/*.wav",
        "litellm/litellm_core_utils/tokenizers/ec7223a39ce59f226a68acc30dc1af2788490e15",
        # Colours for all languages but the one of tracebacks.
        "pygments/lexers/[!_p]*",
        "pygments/lexers/p[!y]*",
        # Accelerators of packages that also work without.
        *("aiohttp/*.so", "charset_normalizer/*.so", "frozenlist/*.so", "markupsafe/*.so"),
        *("multidict/*.so", "propcache/*.so", "wcwidth/*.so", "yaml/*.so", "yarl/*.so"),
        *("*.md", "*.pxi", "*/tests/*", "*/py.typed", "*/.agents/*"),
    ),
)
_AGENT_BUNDLE = PackedWheels(
    _AGENT_WHEELS,
    target="bundle/modules",
    licences="bundle/LICENSES",
    shown_as="/agent/lib",
    # It finds its plugins by listing their directory.
    left=("tiktoken_ext",),
)
_AGENT_FILES = Files(
    {
        **{f"{_AGENT}/{name}": f"bundle/{name}" for name in ("run", "start.py", "importer.py")},
        f"{_AGENT}/tokenizers.py": "bundle/lib/tokenizers.py",
    }
)

_BENCHWRIGHT = Layer(
    "benchwright", (Own(("benchwright", "benchwright_proxy"), scripts=("benchwright",)),)
)
_PROXY = Layer("benchwright-proxy", (Own(("benchwright_proxy",), scripts=("benchwright-proxy",)),))


def _starting(*entrypoint: str) -> Runtime:
    return Runtime(entrypoint=entrypoint, env=_ENV)


IMAGES = (
    Image("base", "Debian 12 with Python 3.11", (_BASE,)),
    Image(
        "operator",
        "The operator, the results service and the CLI",
        (_BASE, _GIT, Layer("operator-packages", (Venv(), _OPERATOR_WHEELS)), _BENCHWRIGHT),
        _starting("benchwright"),
    ),
    Image(
        "proxy",
        "The proxy between agents and models",
        (_BASE, Layer("proxy-packages", (Venv(), _PROXY_WHEELS)), _PROXY),
        _starting("benchwright-proxy"),
    ),
    Image(
        "harness",
        "What runs beside agents and evaluators in trial pods",
        (_BASE, _GIT, Layer("harness-packages", (Venv(), _HARNESS_WHEELS)), _BENCHWRIGHT),
        _starting("python3", "-m", "benchwright.harness"),
    ),
    Image(
        "task-python",
        "Where tasks in Python run: pytest, coverage, git and the usual tools",
        (_BASE, _GIT, _TOOLS, Layer("pytest", (_TEST_WHEELS,))),
    ),
    Image(
        "agent-mini-swe-agent",
        "A bundle: mini-swe-agent, to be copied beside a task's own image",
        (_BASE, Layer("mini-swe-agent", (_AGENT_BUNDLE, _AGENT_FILES))),
    ),
)


BUNDLES = tuple(
    Image(name, title, (_BASE, Layer(name, parts)))
    for name, (title, parts) in agents.BUNDLES.items()
)
"""Large, and for tests of agents alone: made where they are named."""


def find(names: list[str]) -> tuple[Image, ...]:
    """The named images, or all but bundles of agents."""
    known = {image.name: image for image in (*IMAGES, *BUNDLES)}
    if unknown := sorted(set(names) - known.keys()):
        raise ImageError(f"No image {', '.join(unknown)}. There are {', '.join(known)}.")
    return tuple(known[name] for name in names) if names else IMAGES


def debian_packages() -> tuple[str, ...]:
    """Every Debian package that some layer asks for: they are fetched at once."""
    parts = (part for image in IMAGES for layer in image.layers for part in layer.parts)
    return tuple(
        sorted({name for part in parts if isinstance(part, Debian) for name in part.packages})
    )
