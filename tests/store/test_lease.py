import os
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from afterwit.model.errors import BusyError, StoreError
from afterwit.store.store import hold_lease, holder

HOLD = """
import sys
from pathlib import Path
from afterwit.store.store import hold_lease
with hold_lease(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "learn.lock"


@contextmanager
def another_holder(path: Path) -> Iterator["subprocess.Popen[str]"]:
    """A process that holds the lease until its input ends."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        yield other


def test_a_second_run_is_told_who_is_at_work(path: Path) -> None:
    with another_holder(path) as other:
        with pytest.raises(BusyError, match=f"process {other.pid}"), hold_lease(path):
            pytest.fail("two runs hold the lease")
        assert holder(path) == other.pid


def test_a_second_run_can_wait(path: Path) -> None:
    with another_holder(path) as other:
        assert other.stdin is not None
        threading.Timer(0.1, other.stdin.close).start()
        with hold_lease(path, wait_seconds=30):
            assert holder(path) == os.getpid()


@pytest.mark.skipif(os.name != "posix", reason="kills with SIGKILL")
def test_a_killed_holder_releases_the_lease(path: Path) -> None:
    with another_holder(path) as other:
        other.kill()
        other.wait()
        with hold_lease(path):
            assert holder(path) == os.getpid()


def test_the_lease_can_be_held_again_and_names_nobody_in_between(path: Path) -> None:
    for _ in range(2):
        with hold_lease(path):
            assert holder(path) == os.getpid()
        assert holder(path) is None


def test_a_failing_run_releases_the_lease(path: Path) -> None:
    with pytest.raises(RuntimeError, match="boom"), hold_lease(path):
        raise RuntimeError("boom")
    with hold_lease(path):
        pass


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\xff\xff", b"12 34", b"-"])
def test_what_stands_in_the_file_is_never_trusted(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert holder(path) in (None, 12)
    with hold_lease(path):
        assert holder(path) == os.getpid()


def test_the_lease_holds_where_nothing_can_be_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("needs /dev/full")
    path.symlink_to(full)
    with hold_lease(path):
        pass


def test_a_place_that_cannot_be_used_is_an_error_of_ours(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="nowhere"), hold_lease(tmp_path / "nowhere" / "learn.lock"):
        pass


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
def test_only_the_user_can_read_the_lease(path: Path) -> None:
    with hold_lease(path):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
