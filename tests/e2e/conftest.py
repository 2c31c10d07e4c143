"""Tests with real clients run when they are asked for (`-m e2e`, as `make e2e` does), never among the others.

The others run where these cannot, so nothing of this folder is imported before it is needed.
"""

from pathlib import Path

import pytest

_MARKER = "e2e"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"{_MARKER}: runs a real client of an agent")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return None if config.getoption("markexpr") == _MARKER else True


def pytest_report_header() -> list[str]:
    from tests.e2e import loopback
    from tests.e2e.clients import cache_folder

    network = "loopback only" if loopback.is_fenced() else "not fenced in: no network namespace is allowed here"
    return [f"network: {network}", f"clients: {cache_folder()}"]
