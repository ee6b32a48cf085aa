"""Starts mini-swe-agent without a terminal, without its setup wizard and without the internet."""

import gc
import os
import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

BUNDLE = Path(__file__).resolve().parent
HOME = Path(os.environ.get("HOME", "/tmp"))  # noqa: S108 - the agent's own container
DEFAULTS = {
    # litellm: no price list from the internet, no tokenizers from there either.
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "CUSTOM_TIKTOKEN_CACHE_DIR": str(BUNDLE / "lib/litellm/litellm_core_utils/tokenizers"),
    "MSWEA_CONFIGURED": "true",
    "MSWEA_COST_TRACKING": "ignore_errors",
    "MSWEA_GLOBAL_CONFIG_DIR": str(HOME / ".config/mini-swe-agent"),
    "MSWEA_SILENT_STARTUP": "1",
}


class RefusedError(Exception):
    """The model's server refused a call for good."""


def main() -> None:
    """Run `mini` on the prompt file, without a cost limit of its own: budgets are the proxy's."""
    if sys.version_info[:2] != (3, 11):
        sys.exit(f"mini-swe-agent's bundle needs Python 3.11; python3 is {sys.version.split()[0]}")
    for name, value in DEFAULTS.items():
        os.environ.setdefault(name, value)
    prompt = Path(os.environ["BENCHWRIGHT_PROMPT_FILE"]).read_text(encoding="utf-8")
    light = _light(sys.argv[1:])
    model = os.environ.get("MSWEA_MODEL_NAME") or (
        os.environ["BENCHWRIGHT_MODEL"] if light else f"openai/{os.environ['BENCHWRIGHT_MODEL']}"
    )
    app = _import_mini(_use_openrouter if light else _use_litellm)
    arguments = [
        *("--model", model, "--task", prompt, "--output", str(HOME / "trajectory.json")),
        *("--yolo", "--exit-immediately", "--cost-limit", "0"),
        *sys.argv[1:],
    ]
    try:
        app(arguments)
    except RefusedError as error:
        sys.exit(f"The model's answer is final: {error}")


def _light(arguments: list[str]) -> bool:
    """Whether the client is mini-swe-agent's own for OpenRouter, which speaks OpenAI's dialect in one
    request and starts in half a second of CPU, where litellm takes four."""
    return ("--model-class", "openrouter") in pairwise(arguments)


def _import_mini(use_client: Callable[[], None]) -> Callable[[list[str]], object]:
    sys.path.insert(0, str(BUNDLE))
    import_module("importer").install(BUNDLE)
    gc.disable()  # Thousands of modules live until the end; looking through them is wasted.
    use_client()
    mini = import_module("minisweagent.run.mini")
    gc.freeze()
    gc.enable()
    app: Callable[[list[str]], object] = mini.app
    return app


def _use_litellm() -> None:
    # Of its 1,600 models a run uses a few: each is built when it is first used.
    import_module("pydantic").BaseModel.model_config["defer_build"] = True
    litellm: Any = import_module("litellm")
    vars(litellm).update(disable_hf_tokenizer_download=True, suppress_debug_info=True)
    warnings.filterwarnings("ignore", message="Pydantic serializer warnings")
    model = import_module("minisweagent.models.litellm_model").LitellmModel
    litellm.completion = _heeding_refusals(litellm.completion)
    model.abort_exceptions.append(RefusedError)


def _use_openrouter() -> None:
    model = import_module("minisweagent.models.openrouter_model").OpenRouterModel
    make = model.__init__

    def make_for_proxy(self: Any, **options: Any) -> None:
        make(self, **options)
        self._api_url = f"{os.environ['OPENAI_BASE_URL']}/chat/completions"
        self._api_key = os.environ["OPENAI_API_KEY"]

    model.__init__ = make_for_proxy
    model._query = _heeding_refusals(model._query)
    model.abort_exceptions.append(RefusedError)


def _heeding_refusals(ask: Callable[..., Any]) -> Callable[..., Any]:
    """Stop when the server says that trying again is in vain, as it does once a budget is spent.

    OpenAI's client heeds that, but mini-swe-agent would try ten times more, for four minutes.
    """

    def asking(*arguments: Any, **options: Any) -> Any:
        try:
            return ask(*arguments, **options)
        except Exception as error:
            if _is_final(error):
                raise RefusedError(str(error)) from error
            raise

    return asking


def _is_final(error: BaseException | None) -> bool:
    while error is not None:
        headers = getattr(getattr(error, "response", None), "headers", {})
        if headers.get("x-should-retry") == "false":
            return True
        error = error.__cause__ or error.__context__
    return False


if __name__ == "__main__":
    main()
