"""The configured models and where they are: finds the model of a request, or says what there is."""

from collections.abc import Iterable

from .config import Config, Model
from .dialect import Dialect
from .jsonvalue import Json, JsonObject, dump
from .providers.base import Provider
from .refusal import RefusalError, bad_request
from .token import Claims


class Catalogue:
    """Models by name, with their providers."""

    def __init__(self, config: Config, providers: Iterable[Provider]) -> None:
        by_name = {provider.name: provider for provider in providers}
        self._models = {model.name: (model, by_name[model.provider]) for model in config.models}

    def find(self, name: str, claims: Claims, dialect: Dialect) -> tuple[Model, Provider]:
        """The model `name`. Raises RefusalError, naming what is allowed."""
        if name not in claims.models:
            message = f"this trial may not use model {name!r}; it may use: {self._names(claims)}"
            raise RefusalError(403, "permission_error", message, "model_not_allowed", retry=False)
        if name not in self._models:
            message = (
                f"model {name!r} is not configured in the proxy; this trial may use: "
                f"{self._names(claims)}"
            )
            raise RefusalError(404, "not_found_error", message, "model_not_allowed", retry=False)
        model, provider = self._models[name]
        if not provider.speaks(dialect):
            raise bad_request(self._wrong_dialect(name, claims, dialect), "wrong_dialect")
        return model, provider

    def _names(self, claims: Claims) -> str:
        return ", ".join(self.allowed(claims)) or "none"

    def _wrong_dialect(self, name: str, claims: Claims, dialect: Dialect) -> str:
        fitting = [other for other in self.allowed(claims) if self._speaks(other, dialect)]
        return (
            f"model {name!r} does not speak the {dialect} dialect, and the proxy does not "
            f"translate; models that do: {', '.join(fitting) or 'none'}"
        )

    def _speaks(self, name: str, dialect: Dialect) -> bool:
        return self._models[name][1].speaks(dialect)

    def allowed(self, claims: Claims) -> list[str]:
        """The configured models that a trial may use."""
        return [name for name in self._models if name in claims.models]

    def listing(self, claims: Claims, dialect: Dialect) -> bytes:
        """The body of a list of models, as SDKs expect it."""
        names = self.allowed(claims)
        if dialect is Dialect.GEMINI:
            return dump({"models": [_gemini_entry(name) for name in names]})
        if dialect is Dialect.ANTHROPIC:
            entries: list[Json] = [_anthropic_entry(name) for name in names]
            first, last = (names[0], names[-1]) if names else (None, None)
            return dump({"data": entries, "has_more": False, "first_id": first, "last_id": last})
        entries = [_openai_entry(name) for name in names]
        return dump({"object": "list", "data": entries})

    def models(self) -> list[Model]:
        """All that are configured."""
        return [model for model, _ in self._models.values()]

    def describe(self, name: str) -> JsonObject:
        """A configured model for the admin port: name, provider and dialects."""
        model, provider = self._models[name]
        dialects: list[Json] = [d.value for d in Dialect if provider.speaks(d)]
        return {"name": name, "provider": model.provider, "dialects": dialects}


def _anthropic_entry(name: str) -> Json:
    return {
        "type": "model",
        "id": name,
        "display_name": name,
        "created_at": "1970-01-01T00:00:00Z",
    }


def _gemini_entry(name: str) -> Json:
    methods: Json = ["generateContent", "countTokens"]
    return {
        "name": f"models/{name}",
        "displayName": name,
        "supportedGenerationMethods": methods,
    }


def _openai_entry(name: str) -> Json:
    return {"id": name, "object": "model", "created": 0, "owned_by": "benchwright"}
