"""Names, messages and times from a hostile place, made printable and bounded."""

import hashlib
import re

# Controls, line separators, and the marks that turn the direction of text round in a web page.
_HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_SECONDS = re.compile(r"\d{1,12}(\.\d{0,18})?([eE]-?\d{1,2})?", re.ASCII)
_DIGEST_CHARS = 16


def identifier(text: str, limit: int) -> str:
    """One printable line; a name that is too long ends in a digest, so that ids stay apart."""
    shown = _HIDDEN.sub(_escape, text)
    if len(shown) <= limit:
        return shown
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_CHARS]
    return f"{shown[: limit - _DIGEST_CHARS - 1]}…{digest}"


def message(text: str, limit: int) -> str:
    """The start of a message, line ends kept."""
    lines = text[: limit + 1].replace("\r\n", "\n").split("\n")
    shown = "\n".join(_HIDDEN.sub(_escape, line.replace("\t", "    ")) for line in lines).strip()
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def seconds(text: str | None) -> float | None:
    """Seconds; None for what is no duration. Some writers group digits: "1,234.5"."""
    plain = (text or "").replace(",", "")
    return float(plain) if _SECONDS.fullmatch(plain) else None


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
