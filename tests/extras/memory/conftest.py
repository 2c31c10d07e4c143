"""Every backend, ready for use, and the servers behind them. A server or driver that cannot be had skips its tests."""

import importlib.util
import itertools
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.extras.memory import honcho_server
from tests.extras.memory.honcho_server import HonchoServer
from tests.extras.memory.postgres_server import PostgresServer

from afterwit.extras.memory.backend import Backend
from afterwit.extras.memory.honcho import HonchoBackend, HonchoPlace
from afterwit.extras.memory.postgres import PostgresBackend, PostgresPlace
from afterwit.extras.memory.registry import NullBackend, local_backend
from afterwit.store.layout import Layout

_numbers = itertools.count(1)
_POSTGRES = pytest.param("postgres", marks=pytest.mark.server)
Make = Callable[[], Backend]


@pytest.fixture
def honcho() -> Iterator[HonchoServer]:
    if importlib.util.find_spec("honcho") is None:
        pytest.skip("honcho-ai is not installed: pip install 'afterwit[honcho]'")
    with honcho_server.running() as server:
        yield server


@pytest.fixture
def postgres_place(postgres: PostgresServer) -> PostgresPlace:
    """A schema of its own for each test."""
    return PostgresPlace(postgres.dsn, f"memory_{next(_numbers)}", timeout_seconds=20)


@pytest.fixture
def honcho_place(honcho: HonchoServer) -> HonchoPlace:
    return HonchoPlace(honcho.base_url, honcho_server.KEY, "orchard", timeout_seconds=20, is_reasoning=False)


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as found:
        yield found


@pytest.fixture
def maker(request: pytest.FixtureRequest, tmp_path: Path, stack: ExitStack) -> Callable[[str], Backend]:
    """Makes a backend by name; each call another connection to the same entries."""

    def made(name: str) -> Backend:
        backend: Backend
        match name:
            case "null":
                backend = NullBackend()
            case "local":
                backend = local_backend(Layout(tmp_path / "store"), stack)
            case "postgres":
                backend = PostgresBackend(request.getfixturevalue("postgres_place"))
            case _:
                backend = HonchoBackend(request.getfixturevalue("honcho_place"))
        stack.callback(backend.close)
        return backend

    return made


@pytest.fixture(params=["null", "local", _POSTGRES, "honcho"])
def backend(request: pytest.FixtureRequest, maker: Callable[[str], Backend]) -> Backend:
    return maker(request.param)


@pytest.fixture(params=["local", _POSTGRES, "honcho"])
def make(request: pytest.FixtureRequest, maker: Callable[[str], Backend]) -> Make:
    """Makes one of the backends that keep entries."""
    return lambda: maker(request.param)


@pytest.fixture
def keeping(make: Make) -> Backend:
    return make()
