"""The demo behind a real server, and a real browser before it. A page that complains on its console fails the test."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright
from tests.demo_store import learned_demo
from tests.e2e.web.chromium import axe_script, browser_obstacle, launched
from tests.homes import NOW_MS

from afterwit.config.world import World
from afterwit.extras.demo.run import DemoPlace, demo_of

_SERIOUS = ("serious", "critical")


class Site(NamedTuple):
    """A run of the page, and the browser's way in."""

    root: str
    link: str
    environ: dict[str, str]


class Visitor:
    """A browser window that has come in by the link, and what its console said."""

    def __init__(self, page: Page, site: Site) -> None:
        self.page = page
        self.site = site
        self.complaints: list[str] = []
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def open(self, path: str) -> Page:
        reply = self.page.goto(self.site.root + path)
        assert reply is not None
        assert reply.status == 200, f"{path}: {reply.status} {self.page.inner_text('main')[:300]}"
        self.page.wait_for_load_state("networkidle")
        return self.page

    def serious_findings(self) -> list[str]:
        """What the accessibility check complains about. The script is given by the test: the page would refuse it."""
        self.page.evaluate(axe_script().read_text(encoding="utf-8"))
        found: dict[str, Any] = self.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        return [
            f"{finding['id']}: {finding['nodes'][0]['html'][:120]}"
            for finding in found["violations"]
            if finding["impact"] in _SERIOUS
        ]

    def is_wider_than_the_window(self) -> bool:
        return bool(self.page.evaluate("document.documentElement.scrollWidth > innerWidth"))

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)


@pytest.fixture(scope="session")
def chrome() -> Iterator[Browser]:
    if reason := browser_obstacle():
        pytest.skip(reason)
    with sync_playwright() as playwright:
        browser = launched(playwright)
        yield browser
        browser.close()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    yield from served(demo_world(tmp_path))


def demo_world(folder: Path) -> World:
    """The learned demo, with the programs of this machine."""
    world = demo_of(DemoPlace(learned_demo(folder / "demo"), sys.platform), NOW_MS).world
    return world._replace(environ={**world.environ, "PATH": os.environ["PATH"]})


def served(world: World) -> Iterator[Site]:
    """The page of a store, until the test ends."""
    environ = {**world.environ, "PATH": os.environ["PATH"]}
    command = [sys.executable, "-P", "-m", "afterwit", "web", "--no-open"]
    with subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        link = process.stderr.readline().split()[-1]
        try:
            yield Site(link.partition("/enter")[0], link, environ)
        finally:
            process.send_signal(signal.SIGINT)


Enter = Callable[..., Visitor]


@pytest.fixture
def enter(chrome: Browser, site: Site) -> Iterator[Enter]:
    """Makes a window; the first comes in by the link, others share its cookie."""
    contexts: list[BrowserContext] = []
    visitors: list[Visitor] = []

    def enter(width: int = 1200, **options: Any) -> Visitor:
        state = contexts[0].storage_state() if contexts else None
        size = {"width": width, "height": 900}
        context = chrome.new_context(locale="en-US", viewport=size, storage_state=state, **options)  # type: ignore[arg-type]
        contexts.append(context)
        visitor = Visitor(context.new_page(), site)
        visitors.append(visitor)
        visitor.page.goto(site.link if state is None else site.root)
        return visitor

    yield enter
    complaints = [complaint for visitor in visitors for complaint in visitor.complaints]
    for context in contexts:
        context.close()
    assert complaints == []
