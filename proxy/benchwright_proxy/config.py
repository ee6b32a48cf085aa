"""What an installation configures: providers, models, and the bounds to work within."""

import re
from pathlib import Path, PurePath
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from . import yamlfile

Name = Annotated[str, Field(max_length=253, pattern=r"^[A-Za-z0-9][A-Za-z0-9._:/@-]*$")]


class Section(BaseModel):
    """camelCase in the file, nothing unknown."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True
    )


def _base_url(value: str) -> str:
    """A URL that can only mean one server: no user, query or fragment."""
    if not value.isascii() or not value.isprintable() or " " in value:
        raise ValueError("expected printable ASCII characters (other hosts as xn--…)")
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
        raise ValueError("expected http:// or https:// and a host")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("user, password, query and fragment are not allowed")
    return value.rstrip("/")


def _file_name(value: str) -> str:
    if PurePath(value).name != value or value in ("", ".", ".."):
        raise ValueError("expected a plain file name inside the provider's dialogues folder")
    return value


def _pattern(value: str) -> str:
    try:
        re.compile(value)
    except re.error as error:
        raise ValueError(f"not a regular expression: {error}") from error
    return value


class Cassette(Section):
    """Answers of a provider in `folder`: recorded while they pass, or replayed in its place (then no
    key is needed and nothing goes out). `pace`: as they came, or all at once. What `ignore` (regular
    expressions) matches in a request makes no difference, such as today's date."""

    folder: Path
    mode: Literal["record", "replay"]
    pace: Literal["original", "none"] = "original"
    ignore: tuple[Annotated[str, AfterValidator(_pattern)], ...] = ()


class HttpProvider(Section):
    """A provider reached over the network, relayed natively in its own dialect.

    `baseUrl` is what that provider's SDK takes: for OpenAI usually with /v1, for Anthropic and
    Gemini without (a URL without a path gets the version either way). `azure` speaks OpenAI's
    dialect: with `apiVersion` by deployment (`upstreamModel` is then the deployment's name), without
    it by Azure's /openai/v1. `keyFile` may be left out for a local server. `prices` names the provider
    in the table of prices whose models these are; without it calls cost an unknown sum, because who
    speaks somebody's dialect does not charge that one's prices (Helicone/helicone#4893).
    """

    name: Name
    dialect: Literal["openai", "anthropic", "gemini", "azure"]
    base_url: Annotated[str, AfterValidator(_base_url)]
    prices: Name | None = None
    api_version: str | None = Field(default=None, pattern=r"^[0-9a-z-]{1,40}$")
    key_file: Path | None = None
    ca_file: Path | None = None
    cassette: Cassette | None = None

    @model_validator(mode="after")
    def _version_fits(self) -> "HttpProvider":
        if self.api_version is not None and self.dialect != "azure":
            raise ValueError("apiVersion belongs to dialect azure alone")
        return self


class ScriptedProvider(Section):
    """The model inside the proxy that plays dialogue files; speaks every dialect."""

    name: Name
    dialect: Literal["scripted"]
    dialogues: Path
    prices: Name | None = None


Provider = Annotated[HttpProvider | ScriptedProvider, Field(discriminator="dialect")]


class Model(Section):
    """A name that agents may ask for.

    `upstreamModel` is sent instead of `name` where it is given, and `priceModel` is the name of both
    in the table of prices where that is another one (Azure's deployments). `maxOutputTokens` is the most that
    the model can write in one answer: it is reserved when a call declares no maximum of its own.
    """

    name: Name
    provider: Name
    upstream_model: str | None = Field(default=None, min_length=1, max_length=253)
    dialogue: Annotated[str, AfterValidator(_file_name)] | None = None
    max_output_tokens: int | None = Field(default=None, ge=1)
    price_model: str | None = Field(default=None, min_length=1, max_length=253)

    @property
    def sent_as(self) -> str:
        """The name by which its provider knows it."""
        return self.upstream_model or self.name


class Tls(Section):
    """Certificate (with its chain) and key that the port for agents is served with."""

    cert_file: Path
    key_file: Path


class Budget(Section):
    """How token limits are reserved before a call (see limits.py)."""

    default_output_reservation: int = Field(default=32_768, ge=1)
    input_bytes_per_token: float = Field(default=1.0, ge=1.0, le=8.0)
    wait_seconds: float = Field(default=60.0, ge=0)


class Bounds(Section):
    """Sizes in bytes and times in seconds past which the proxy gives up."""

    request_bytes: int = Field(default=64 * 2**20, ge=2**10)
    # Of all requests together (bodyroom.py): a quarter of what the chart lets the process have.
    bodies_bytes: int = Field(default=256 * 2**20, ge=2**10)
    metered_bytes: int = Field(default=32 * 2**20, ge=2**10)
    connect_seconds: float = Field(default=30.0, gt=0)
    # Longer than any agent's own patience (Codex 300 s, Claude Code 600 s): they give up first.
    idle_seconds: float = Field(default=900.0, gt=0)
    client_stall_seconds: float = Field(default=300.0, gt=0)
    drain_seconds: float = Field(default=120.0, ge=0)
    drain_bytes: int = Field(default=64 * 2**20, ge=0)


class Keeping(Section):
    """How long the journal keeps what nobody takes: the calls of a trial go to the results service
    at its end, but somebody may delete the trial before."""

    abandoned_days: float = Field(default=30.0, gt=0)


class Config(Section):
    """The whole file. No model at all is what an installation begins with."""

    providers: list[Provider] = Field(min_length=1, max_length=100)
    models: list[Model] = Field(max_length=1000)
    #: A table of prices of one's own; its models replace those of the built-in one.
    prices_file: Path | None = None
    #: Left out: plain HTTP, which is what a cluster's own network is for.
    tls: Tls | None = None
    budget: Budget = Budget()
    bounds: Bounds = Bounds()
    keeping: Keeping = Keeping()

    @model_validator(mode="after")
    def _consistent(self) -> "Config":
        providers = {provider.name: provider for provider in self.providers}
        _unique("providers", [provider.name for provider in self.providers])
        _unique("models", [model.name for model in self.models])
        for index, model in enumerate(self.models):
            _check_model(f"models[{index}]", model, providers)
        return self


def _unique(where: str, names: list[str]) -> None:
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"{where}: names must differ, repeated: {', '.join(repeated)}")


def _check_model(
    where: str, model: Model, providers: dict[str, HttpProvider | ScriptedProvider]
) -> None:
    provider = providers.get(model.provider)
    if provider is None:
        known = ", ".join(sorted(providers))
        raise ValueError(f"{where}.provider: {model.provider!r} is not one of {known}")
    if isinstance(provider, ScriptedProvider) != (model.dialogue is not None):
        raise ValueError(f"{where}.dialogue: needed by, and only by, models of a scripted provider")


def load(path: Path) -> Config:
    """The configuration in `path`. Raises yamlfile.FileError naming file and field."""
    return yamlfile.load(path, Config)
