"""Presets: what makes a known agent speak to the proxy and to nobody else (pure).

Each was found out by running the agent in a network namespace with nothing in it but the proxy
(docs/agents.md has the versions). A preset is shell text in front of the agent's command: it sets
variables that the Agent does not set itself, and writes configuration files below $HOME.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchwright.api.agent import AgentSpec, Dialect, PresetName

_PROMPT = '"$BENCHWRIGHT_PROMPT_FILE"'
_CODEX = """\
model = "{model}"
model_provider = "benchwright"
approval_policy = "never"
sandbox_mode = "danger-full-access"
web_search = "disabled"
check_for_update_on_startup = false
[model_providers.benchwright]
name = "benchwright"
base_url = "{base_url}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
supports_websockets = false
[analytics]
enabled = false
[feedback]
enabled = false
[otel]
metrics_exporter = "none"
[features]
plugins = false
"""
_AIDER_MODEL = """\
{"{litellm}/{model}": {"max_input_tokens": 200000, "max_output_tokens": 32000,
 "input_cost_per_token": 0, "output_cost_per_token": 0, "litellm_provider": "{litellm}",
 "mode": "chat"}}
"""
_AIDER = """\
aider --model {litellm}/{model} --weak-model {litellm}/{model} --message-file "$BENCHWRIGHT_PROMPT_FILE" \
--yes-always --no-auto-commits --no-gitignore --no-check-update --analytics-disable \
--no-show-release-notes --no-show-model-warnings --no-pretty \
--model-metadata-file "$HOME/models.json" --chat-history-file "$HOME/chat.md" \
--input-history-file "$HOME/input" --llm-history-file "$HOME/llm.txt"
status=$?
rm -rf .aider.tags.cache.v4
exit $status
"""
_QWEN = """\
{"security": {"auth": {"selectedType": "{auth}"}}, "general": {"enableAutoUpdate": false},
 "privacy": {"usageStatisticsEnabled": false}, "telemetry": {"enabled": false},
 "model": {"generationConfig": {"maxRetries": 0}}, "memory": {"enableManagedAutoMemory": false}}
"""
# Without a trusted folder --yolo is overridden, and no tool may run.
_GEMINI = """\
{"security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
 "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
 "privacy": {"usageStatisticsEnabled": false}, "telemetry": {"enabled": false},
 "tools": {"exclude": ["google_web_search", "web_fetch"]}}
"""
# It wants its folders to be there, and would reset and clean the repository.
_SWE_AGENT = """\
mkdir -p "$HOME/trajectories"
: >> "$HOME/.bashrc"
export SWE_AGENT_TRAJECTORY_DIR="$HOME/trajectories" SWE_AGENT_LOG_DIR="$HOME"
sweagent run --agent.model.name openai/{model} --agent.model.api_base {base_url}/v1 \
--agent.model.api_key "$OPENAI_API_KEY" --agent.model.per_instance_cost_limit 0 \
--agent.model.total_cost_limit 0 --agent.model.per_instance_call_limit 0 \
--env.deployment.type local --env.repo.type preexisting --env.repo.repo_name "${PWD#/}" \
--env.repo.reset false --problem_statement.type text_file \
--problem_statement.path "$BENCHWRIGHT_PROMPT_FILE" --output_dir "$HOME/trajectories"
"""


@dataclass(frozen=True, slots=True)
class Preset:
    """Of one agent in one dialect. In values and files {base_url} is the proxy, without a path, and
    {model} the model's name; `run` is the command, where the agent has one."""

    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    run: str | None = None


def _opencode(package: str, key: str) -> Preset:
    config = (
        '{"provider": {"benchwright": {"npm": "' + package + '", "name": "benchwright", '
        '"options": {"baseURL": "{base_url}/v1", "apiKey": "{env:' + key + '}"}, '
        '"models": {"{model}": {"name": "{model}", "limit": {"context": 200000, "output": 32000}}}}}, '
        '"model": "benchwright/{model}", "small_model": "benchwright/{model}", "share": "disabled", '
        '"permission": {"webfetch": "deny", "websearch": "deny"}}'
    )
    return Preset(
        env={
            "OPENCODE_CONFIG_CONTENT": config,
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        },
        # A title would be made by a call of its own.
        run=f"opencode run --auto --title trial < {_PROMPT}",
    )


def _aider(litellm: str) -> Preset:
    return Preset(
        env={"LITELLM_LOCAL_MODEL_COST_MAP": "True"},
        files={"models.json": _AIDER_MODEL.replace("{litellm}", litellm)},
        run=_AIDER.replace("{litellm}", litellm),
    )


def _qwen(auth: str, env: Mapping[str, str]) -> Preset:
    return Preset(
        env={**env, "QWEN_CODE_SUPPRESS_YOLO_WARNING": "1"},
        files={".qwen/settings.json": _QWEN.replace("{auth}", auth)},
        run=f"qwen --yolo < {_PROMPT}",
    )


def _goose(provider: str, env: Mapping[str, str]) -> Preset:
    return Preset(
        env={
            "GOOSE_PROVIDER": provider,
            "GOOSE_MODEL": "{model}",
            "GOOSE_MODE": "auto",
            "GOOSE_DISABLE_KEYRING": "1",
            "GOOSE_TELEMETRY_ENABLED": "false",
            **env,
        },
        run=f"goose run --no-session -i {_PROMPT}",
    )


PRESETS: Mapping[PresetName, Mapping[Dialect, Preset]] = {
    "aider": {"openai": _aider("openai"), "anthropic": _aider("anthropic")},
    "anthropic-sdk": {"anthropic": Preset()},
    "claude-code": {
        "anthropic": Preset(
            env={
                "ANTHROPIC_MODEL": "{model}",
                "ANTHROPIC_DEFAULT_HAIKU_MODEL": "{model}",
                "ANTHROPIC_DEFAULT_SONNET_MODEL": "{model}",
                "ANTHROPIC_DEFAULT_OPUS_MODEL": "{model}",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "DISABLE_AUTOUPDATER": "1",
                "ENABLE_TOOL_SEARCH": "true",
            },
            # Of two credentials it warns.
            run=(
                "unset ANTHROPIC_API_KEY\n"
                "claude -p --dangerously-skip-permissions --disallowedTools WebSearch WebFetch "
                f"< {_PROMPT}"
            ),
        )
    },
    "codex": {
        "openai": Preset(
            files={".codex/config.toml": _CODEX},
            run=f"codex exec --skip-git-repo-check - < {_PROMPT}",
        )
    },
    "gemini-cli": {
        "gemini": Preset(
            env={"GEMINI_MODEL": "{model}"},
            files={".gemini/settings.json": _GEMINI},
            run=f"gemini --yolo < {_PROMPT}",
        )
    },
    "goose": {
        "openai": _goose(
            "openai",
            {"OPENAI_HOST": "{base_url}", "OPENAI_BASE_PATH": "v1/chat/completions"},
        ),
        "anthropic": _goose("anthropic", {"ANTHROPIC_HOST": "{base_url}"}),
    },
    "google-genai-sdk": {"gemini": Preset()},
    "mini-swe-agent": {
        "openai": Preset(
            env={
                "MSWEA_CONFIGURED": "true",
                "MSWEA_COST_TRACKING": "ignore_errors",
                "MSWEA_SILENT_STARTUP": "1",
                "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            },
            run=(
                f'mini --model openai/{{model}} --task "$(cat {_PROMPT})" '
                '--output "$HOME/trajectory.json" --yolo --exit-immediately --cost-limit 0'
            ),
        )
    },
    "openai-sdk": {"openai": Preset()},
    "opencode": {
        "openai": _opencode("@ai-sdk/openai-compatible", "OPENAI_API_KEY"),
        "anthropic": _opencode("@ai-sdk/anthropic", "ANTHROPIC_API_KEY"),
    },
    "openhands": {
        "openai": Preset(
            env={
                "LLM_MODEL": "openai/{model}",
                "LLM_BASE_URL": "{base_url}/v1",
                "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            },
            # A prompt from a file would be wrapped in words of its own.
            run=(
                "LLM_API_KEY=$OPENAI_API_KEY openhands --headless --json --override-with-envs "
                f'--task "$(cat {_PROMPT})"'
            ),
        )
    },
    "qwen-code": {
        "openai": _qwen("openai", {"OPENAI_MODEL": "{model}"}),
        "anthropic": _qwen("anthropic", {"ANTHROPIC_MODEL": "{model}"}),
    },
    "swe-agent": {
        "openai": Preset(env={"LITELLM_LOCAL_MODEL_COST_MAP": "True"}, run=_SWE_AGENT),
    },
}


def preset_of(agent: AgentSpec) -> tuple[Dialect, Preset] | None:
    """The agent's preset, and the dialect that it speaks: the Agent's, else the preset's first."""
    if agent.preset is None:
        return None
    dialects = PRESETS[agent.preset]
    dialect = agent.dialect if agent.dialect != "none" else next(iter(dialects))
    return dialect, dialects[dialect]


def dialect_of(agent: AgentSpec) -> Dialect:
    """The API that the agent speaks."""
    found = preset_of(agent)
    return found[0] if found else agent.dialect


def script_of(agent: AgentSpec) -> str:
    """What the agent's step runs."""
    found = preset_of(agent)
    if found is None:
        return agent.run or ""
    preset = found[1]
    return prelude(preset) + (agent.run or _filled(preset.run or ""))


def prelude(preset: Preset) -> str:
    """Shell text that sets a preset up. A bundle's programs are found first."""
    lines = ['PATH="$BENCHWRIGHT_AGENT_DIR/bin:$PATH"; export PATH']
    for name, value in preset.env.items():
        lines.append(f'[ -n "${{{name}+set}}" ] || export {name}={_quoted(value)}')
    for path, content in preset.files.items():
        folder = path.rpartition("/")[0]
        if folder:
            lines.append(f'mkdir -p "$HOME/{folder}"')
        lines.append(f'printf %s {_quoted(content)} > "$HOME/{path}"')
    return "\n".join(lines) + "\n"


_VARIABLES = {"{base_url}": "${BENCHWRIGHT_PROXY_URL}", "{model}": "${BENCHWRIGHT_MODEL}"}


def _quoted(text: str) -> str:
    """One word for the shell in which nothing but our two variables is expanded."""
    quoted = "'" + text.replace("'", "'\\''") + "'"
    for name, variable in _VARIABLES.items():
        quoted = quoted.replace(name, f"'\"{variable}\"'")
    return quoted


def _filled(command: str) -> str:
    for name, variable in _VARIABLES.items():
        command = command.replace(name, variable)
    return command + "\n"
