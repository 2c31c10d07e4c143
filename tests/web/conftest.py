"""The store of the demo behind a page, with a browser that has come in by the link."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.demo_store import copied_demo, learned_demo
from tests.web.browser import Browser

from afterwit.cli.connect.agents import this_machine
from afterwit.cli.terminal.options import Here
from afterwit.config.show import load
from afterwit.config.world import World
from afterwit.web.answering import WebPlace


@pytest.fixture(scope="package")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return learned_demo(tmp_path_factory.mktemp("web") / "demo")


@pytest.fixture
def world(demo: Path, tmp_path: Path) -> World:
    return copied_demo(demo, tmp_path / "demo")


def place_of(world: World) -> Callable[[], WebPlace]:
    def open_place() -> WebPlace:
        configured = load(world.environ, sys.platform)
        now = world._replace(settings=configured.settings)
        return WebPlace(configured, now, this_machine(Here(configured, now)))

    return open_place


@pytest.fixture
def browser(world: World) -> Browser:
    browser = Browser(place_of(world))
    browser.enter()
    return browser
