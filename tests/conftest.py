"""For all tests: no timing decides one of them, so Hypothesis sets no deadline and judges no speed; and what takes long
to make is made once. The machine is in UTC, wherever it stands."""

import fcntl
import os
import shutil
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from tests.homes import learned

os.environ["TZ"] = "UTC"
time.tzset()
settings.register_profile("no clock", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("no clock")


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
