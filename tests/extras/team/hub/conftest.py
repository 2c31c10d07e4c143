"""A hub of its own for each test, on a real PostgreSQL."""

import itertools

import pytest
from tests.extras.memory.postgres_server import PostgresServer
from tests.extras.team.hub.teams import HubServer

_numbers = itertools.count(1)


@pytest.fixture
def server(postgres: PostgresServer) -> HubServer:
    """A database of its own, owned by a role without special rights."""
    return HubServer.made(postgres, next(_numbers))


@pytest.fixture(scope="module")
def common_server(postgres: PostgresServer) -> HubServer:
    """One for all tests of a module, which fill it once and change nothing."""
    return HubServer.made(postgres, next(_numbers))
