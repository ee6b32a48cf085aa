"""XML from a hostile place, as a stream of events: no tree is built, so memory stays flat.

A DOCTYPE is allowed, for real reports name a DTD (jenkinsci/code-coverage-api-plugin#162), but it
is never fetched (uber-archive/phabricator-jenkins-plugin#234), and a declaration of any entity is
refused: that is defusedxml's default. All readers of XML go through here (compare
bdfinst/agentic-dev-team#1872, where one of several parsers bypassed the screen).
"""

from typing import Protocol


class XmlError(Exception):
    """`reason` is `malformed`, `too_large` or `refused_xml` (entities): the callers' own words."""

    def __init__(self, reason: str, message: str) -> None:
        self.reason = reason
        super().__init__(message)


class Handler(Protocol):
    """Gets the events; tags come without their namespace."""

    def start(self, tag: str, attributes: dict[str, str]) -> None: ...
    def end(self, tag: str) -> None: ...
    def data(self, text: str) -> None: ...


class _Guard:
    """Counts elements and depth before the handler sees anything."""

    def __init__(self, handler: Handler, max_depth: int, max_elements: int) -> None:
        self._handler = handler
        self._depth_left = max_depth
        self._elements_left = max_elements
        self.data = handler.data

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth_left -= 1
        self._elements_left -= 1
        if self._depth_left < 0:
            raise XmlError("malformed", "XML nested too deep")
        if self._elements_left < 0:
            raise XmlError("too_large", "XML with too many elements")
        self._handler.start(_local(tag), attributes)

    def end(self, tag: str) -> None:
        self._depth_left += 1
        self._handler.end(_local(tag))

    def close(self) -> None:
        """Called by the parser at the end of the document."""


def stream(data: bytes, handler: Handler, *, max_depth: int, max_elements: int) -> None:
    """Feed the events of `data` to `handler`; raises `XmlError`, and what the handler raises."""
    # Imported here: the import costs tens of milliseconds, and most processes read no XML.
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import DefusedXMLParser, ParseError

    parser = DefusedXMLParser(target=_Guard(handler, max_depth, max_elements))
    try:
        # All at once: expat before 2.6 takes quadratic time over a long token in small pieces.
        parser.feed(data)
        parser.close()
    except DefusedXmlException as error:
        raise XmlError("refused_xml", type(error).__name__) from None
    except (ParseError, ValueError, LookupError) as error:  # the last two: odd encodings
        raise XmlError("malformed", f"no XML: {error}") from None


def _local(tag: str) -> str:
    return tag.rpartition("}")[2] if "}" in tag else tag
