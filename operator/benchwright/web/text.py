"""Hostile text made visible: logs and patches keep their lines, and nothing in them acts.

Templates escape HTML; this is about what a browser would still do with plain text: hide control
characters, or turn the direction of reading (CVE-2021-42574).
"""

import re

LINE_CHARS = 500
_TABLE = {code: 0x2400 + code for code in range(0x20) if code not in (0x09, 0x0A)}
_TABLE[0x7F] = 0x2421
_OTHERS = re.compile(
    "[\x80-\x9f\xad\u061c\u115f\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)


def visible(text: str) -> str:
    r"""Control characters as their pictures, what turns or hides text as its number; \n and \t stay."""
    plain = text.replace("\r\n", "\n").translate(_TABLE)
    return _OTHERS.sub(lambda match: f"[U+{ord(match[0]):04X}]", plain)


def cut(line: str, limit: int = LINE_CHARS) -> str:
    """One line, short enough for a page; how much is missing is said in it."""
    return line if len(line) <= limit else f"{line[:limit]}… [{len(line) - limit} more characters]"


def decoded(data: bytes) -> str:
    """Bytes of a log as visible text."""
    return visible(data.decode("utf-8", "replace"))
