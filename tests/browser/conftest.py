"""One browser and one site for all tests; each page is watched while it is open."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, sync_playwright

from tests.browser.install import axe_file, chromium
from tests.browser.site import Site, serving


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    with serving() as started:
        yield started


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        yield started
        started.close()


@dataclass
class Watch:
    """What a page did beside showing itself."""

    prefix: str
    said: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)

    def request(self, request: Request) -> None:
        if not request.url.startswith(self.prefix):
            self.elsewhere.append(request.url)

    def check(self, allowed: str | None = None) -> None:
        """Nothing in the console, nothing asked of another host or outside of the prefix."""
        said = [text for text in self.said if allowed is None or allowed not in text]
        assert said == []
        assert self.elsewhere == []


@dataclass
class Visitor:
    """A person with a browser of their own."""

    site: Site
    context: BrowserContext
    page: Page
    watch: Watch

    def go(self, path: str) -> Page:
        self.page.goto(f"{self.site.proxied}/{path}")
        return self.page

    def at(self) -> str:
        """Path below the prefix, with the query."""
        parts = urlsplit(self.page.url)
        path = parts.path.removeprefix(urlsplit(self.site.proxied).path)
        return path + (f"?{parts.query}" if parts.query else "")


Visit = Callable[..., Visitor]


@pytest.fixture
def visit(site: Site, browser: Browser) -> Iterator[Visit]:
    """Opens a context: `visit(color_scheme="dark", viewport={…}, java_script_enabled=False)`."""
    contexts = []

    def start(**options: Any) -> Visitor:
        context = browser.new_context(**options)
        # A report is made by a process that gives way to all others.
        context.set_default_navigation_timeout(90_000)
        contexts.append(context)
        page, watch = context.new_page(), Watch(site.proxied)
        page.on("console", lambda message: watch.said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: watch.said.append(f"error: {error}"))
        page.on("request", watch.request)
        return Visitor(site, context, page, watch)

    yield start
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def axe() -> str:
    return axe_file().read_text("utf-8")
