"""Two processes share the clients: all tests of one client run in one of them, because they share its home."""

from typing import Any

import pytest

AT_ONCE = ("-n", "2")


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped] # which pytest is to import first

    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = client_in
    return scheduler


def client_in(test: str) -> str:
    """The name of the client, with which the parameters of a test begin; without any, the test itself. Those of the web
    page share one browser."""
    if "/web/" in test:
        return "web"
    return test.rpartition("[")[2].partition(" ")[0]
