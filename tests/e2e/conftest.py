"""Tests with real clients run when they are asked for (`-m e2e`, as `make e2e` does), never among the others.

The others run where these cannot, so nothing of this folder is imported before it is needed. A test with a `scene` runs
for each client, all tests of one client in one process, because they share its home.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.delivery import Scene
    from tests.e2e.installation import Installation

_MARKER = "e2e"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"{_MARKER}: runs a real client of an agent")
    config.addinivalue_line("markers", "needs(ability): skipped for clients that have no such ability")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return None if config.getoption("markexpr") == _MARKER else True


def pytest_report_header() -> list[str]:
    from tests.e2e import loopback
    from tests.e2e.clients import cache_folder

    network = "loopback only" if loopback.is_fenced() else "not fenced in: no network namespace is allowed here"
    return [f"network: {network}", f"clients: {cache_folder()}"]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "scene" in metafunc.fixturenames:
        from tests.e2e.clients import CLIENTS

        each = [pytest.param(client, id=client.label) for client in CLIENTS]
        metafunc.parametrize("scene", each, indirect=True, scope="session")


@pytest.fixture(scope="session")
def scene(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator["Scene"]:
    """A home in which something was learned, for one client."""
    from tests.e2e.delivery import prepared
    from tests.e2e.install import obstacle

    if reason := obstacle(request.param):
        pytest.skip(reason)
    with prepared(request.param, tmp_path_factory.mktemp(request.param.name)) as prepared_scene:
        yield prepared_scene


@pytest.fixture(scope="session")
def installation(tmp_path_factory: pytest.TempPathFactory) -> "Installation":
    """Our programs, where they can be moved away."""
    from tests.e2e.installation import Installation

    made = Installation(tmp_path_factory.mktemp("installation"))
    made.put()
    return made


@pytest.fixture(autouse=True)
def _excused(request: pytest.FixtureRequest) -> None:
    """Skips what a client cannot do."""
    from tests.e2e.excuses import EXCUSES

    marker = request.node.get_closest_marker("needs")
    client = request.node.callspec.params.get("scene") if marker and hasattr(request.node, "callspec") else None
    if marker and client and (reason := EXCUSES.get((client.name, marker.args[0]))):
        pytest.skip(reason)
