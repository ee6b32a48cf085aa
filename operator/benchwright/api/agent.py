"""Agent: scaffold + model + effort, i.e. one configuration that is compared."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from benchwright.api.base import Digest, EnvName, ImageRef, Model, Name, Script, ShortText
from benchwright.api.conditions import Condition

Dialect = Literal["none", "openai", "anthropic", "gemini"]
PresetName = Literal[
    "aider",
    "anthropic-sdk",
    "claude-code",
    "codex",
    "gemini-cli",
    "goose",
    "google-genai-sdk",
    "mini-swe-agent",
    "openai-sdk",
    "opencode",
    "openhands",
    "qwen-code",
    "swe-agent",
]
ModelName = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:/@-]*$", max_length=253)
]
PRESET_DIALECTS: Mapping[PresetName, tuple[Dialect, ...]] = {
    "aider": ("openai", "anthropic"),
    "anthropic-sdk": ("anthropic",),
    "claude-code": ("anthropic",),
    "codex": ("openai",),
    "gemini-cli": ("gemini",),
    "goose": ("openai", "anthropic"),
    "google-genai-sdk": ("gemini",),
    "mini-swe-agent": ("openai",),
    "openai-sdk": ("openai",),
    "opencode": ("openai", "anthropic"),
    "openhands": ("openai",),
    "qwen-code": ("openai", "anthropic"),
    "swe-agent": ("openai",),
}
"""What each speaks; the first is taken where the Agent does not say."""
LIBRARIES: tuple[PresetName, ...] = ("anthropic-sdk", "google-genai-sdk", "openai-sdk")
"""Presets without a command: the Agent's own program uses them."""


class EnvVar(Model):
    """One environment variable of the agent's container. Never a secret: it is stored in the clear."""

    name: EnvName
    """Its name. Names that start with BENCHWRIGHT_ are the harness's own."""
    value: Annotated[str, StringConstraints(max_length=4096)] = ""
    """Its value, taken literally."""


class Bundle(Model):
    """An image that carries the agent's program, for workspaces have no route to a registry."""

    image: ImageRef
    """Image whose /bundle folder is copied to $BENCHWRIGHT_AGENT_DIR. It needs `sh` and `cp`."""


class AgentSpec(Model):
    """What runs in a workspace, and which model it may call."""

    scaffold: ShortText
    """The program around the model and its version, such as "mini-swe-agent 2.4.6" (for reports)."""
    model: ModelName | None = None
    """The model's name at the proxy. Left out: the agent gets no model, and every call is refused."""
    effort: ShortText | None = None
    """The reasoning effort or any other setting that makes this configuration another one."""
    preset: PresetName | None = None
    """A known agent: sets the variables, configuration files and command that make it speak to the
    proxy (docs/agents.md). Its program comes with the bundle, in bin/, or with the task's image."""
    dialect: Dialect = "none"
    """The API that the agent speaks: the proxy's address and token are set in the environment
    variables that clients of this API read (OPENAI_BASE_URL, ANTHROPIC_BASE_URL,
    GOOGLE_GEMINI_BASE_URL and so on). With a preset it may be left out."""
    bundle: Bundle | None = None
    """The agent's program, if it isn't a script only."""
    setup: Script | None = None
    """Shell script run before the agent, in the repository, with a time limit of its own. If it
    fails the trial is invalid: nothing was learnt about the agent."""
    run: Script | None = None
    """Shell script that is the agent. Left out: the preset's command. It runs in the repository
    ($PWD); the task is in the file $BENCHWRIGHT_PROMPT_FILE; what it leaves in the repository is what
    is measured."""
    env: Annotated[tuple[EnvVar, ...], Field(max_length=64)] = ()
    """Further environment variables."""


def _speaks(name: str, dialects: tuple[str, ...]) -> str:
    """In CEL: if it is this preset, the dialect is one of its own."""
    return (
        f"(self.preset != '{name}' || "
        + " || ".join(f"self.dialect == '{dialect}'" for dialect in dialects)
        + ")"
    )


AGENT_RULES = [
    {
        "rule": "self.dialect == 'none' || has(self.model)",
        "message": "dialect needs a model: set spec.model to a model that the proxy knows, "
        "or dialect: none for an agent that calls no model",
    },
    {
        "rule": "!has(self.model) || self.dialect != 'none' || has(self.preset)",
        "message": "model needs a dialect: set spec.dialect to openai, anthropic "
        "or gemini, the API that the agent speaks, or set a preset",
    },
    {
        "rule": "!has(self.preset) || has(self.model)",
        "message": "preset needs a model: set spec.model to a model that the proxy knows",
    },
    {
        "rule": "has(self.run) || (has(self.preset)"
        + "".join(f" && self.preset != '{name}'" for name in LIBRARIES)
        + ")",
        "message": "run is needed: the shell script that is the agent, or a preset that has a command",
    },
    {
        "rule": "!has(self.preset) || self.dialect == 'none' || ("
        + " && ".join(_speaks(name, dialects) for name, dialects in PRESET_DIALECTS.items())
        + ")",
        "message": "preset does not speak that dialect: leave spec.dialect out, or see docs/agents.md",
    },
    {
        "rule": "!has(self.env) || self.env.all(e, !e.name.startsWith('BENCHWRIGHT_'))",
        "message": "environment names that start with BENCHWRIGHT_ belong to the harness: rename it",
    },
]


class AgentStatus(Model):
    """What the operator found out about the agent."""

    observed_generation: Annotated[int, Field(ge=0)] = 0
    """The spec's generation that this status speaks of."""
    digest: Digest | None = None
    """Identity of the configuration: a hash of the whole spec."""
    conditions: Annotated[tuple[Condition, ...], Field(max_length=8)] = ()
    """Ready: whether a run may use the agent."""


class AgentSnapshot(Model):
    """An agent as it was when the trial was planned."""

    name: Name
    """The Agent's name."""
    digest: Digest
    """Hash of the spec below."""
    spec: AgentSpec
    """The spec, frozen."""
