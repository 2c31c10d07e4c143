"""Workers on other machines, here played by threads: they get all they need, and answer in order."""

import pickle
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from tests.engine.hermes_sessions import Ran, Said, messages, put_database
from tests.homes import PARENT, claude_records, everything_in, family_home, learned, put

from afterwit.capture import tasks
from afterwit.capture.workers import GROUP, RemoteWorkers, executor_at
from afterwit.model.errors import AfterwitError, UsageError


class Abroad(Executor):
    """Everything crosses as bytes, as it would cross a network."""

    def __init__(self) -> None:
        self._threads: ThreadPoolExecutor | None = None
        self.sent = 0

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.sent += 1
        self._threads = self._threads or ThreadPoolExecutor(3)
        return self._threads.submit(_crossed, pickle.dumps((work, args, kwargs)))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        if self._threads is not None:
            self._threads.shutdown(wait=wait, cancel_futures=cancel_futures)
        self._threads = None


def _crossed(parcel: bytes) -> Any:
    work, args, kwargs = pickle.loads(parcel)
    return pickle.loads(pickle.dumps(work(*args, **kwargs)))


@pytest.fixture
def abroad(monkeypatch: pytest.MonkeyPatch) -> Iterator[Abroad]:
    executor = Abroad()
    point = EntryPoint("orchard", "tests.capture.test_remote_workers:none", GROUP)
    monkeypatch.setattr("afterwit.capture.workers.entry_points", lambda _: (point,))
    monkeypatch.setattr(EntryPoint, "load", lambda _: lambda _address: executor)
    yield executor
    executor.shutdown()


def twice(number: int) -> int:
    return 2 * number


def refuse(number: int) -> int:
    raise ValueError(f"{number} is a pear")


def large(content: bytes) -> bytes:
    return content


def even(number: int) -> int | None:
    return number if number % 2 == 0 else None


def test_answers_come_in_order_and_what_cannot_be_packed_is_left_to_us(abroad: Abroad) -> None:
    with RemoteWorkers(abroad, "orchard://") as workers:
        found = list(workers.spread(range(1000), even, twice))
    assert found == [(number, 2 * number if number % 2 == 0 else None) for number in range(1000)]


def test_only_so_much_is_under_way(abroad: Abroad) -> None:
    with RemoteWorkers(abroad, "orchard://") as workers:
        answers = workers.spread([b"x" * (20 << 20)] * 6, large, len)
        assert next(answers)[1] == 20 << 20
        assert abroad.sent <= 4
        assert [answer for _, answer in answers] == [20 << 20] * 5
        assert list(workers.spread([b"x" * (70 << 20)], large, len)) == [(b"x" * (70 << 20), None)]


def test_a_failure_names_the_place_and_what_to_do(abroad: Abroad) -> None:
    said = r"orchard://1 did not do its work: 0 is a pear\. What was learned before is kept\..*without --executor"
    with pytest.raises(AfterwitError, match=said), RemoteWorkers(abroad, "orchard://1") as workers:
        list(workers.spread(range(2), even, refuse))


def test_a_worker_with_another_version_refuses(abroad: Abroad, monkeypatch: pytest.MonkeyPatch) -> None:
    with RemoteWorkers(abroad, "orchard://") as workers:
        monkeypatch.setattr(abroad, "submit", _from_the_future(abroad.submit))
        with pytest.raises(AfterwitError, match=r"A worker has Afterwit .*, and this machine 99\. Install the same"):
            list(workers.spread(range(2), even, twice))


def _from_the_future(submit: Callable[..., Future[Any]]) -> Callable[..., Future[Any]]:
    return lambda work, _version, content: submit(work, "99", content)


def test_an_executor_may_say_that_nobody_works_any_more(abroad: Abroad, monkeypatch: pytest.MonkeyPatch) -> None:
    def check() -> None:
        raise AfterwitError("nobody is there")

    monkeypatch.setattr("afterwit.capture.workers._LOOK_SECONDS", 0.0)
    monkeypatch.setattr(abroad, "submit", lambda *_: Future())
    monkeypatch.setattr(abroad, "check", check, raising=False)
    with pytest.raises(AfterwitError, match="nobody is there"), RemoteWorkers(abroad, "orchard://") as workers:
        list(workers.spread(range(2), even, twice))


def test_a_task_that_ends_every_worker_is_done_here(abroad: Abroad, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(abroad, "deadly", (ValueError,), raising=False)
    with RemoteWorkers(abroad, "orchard://") as workers:
        assert list(workers.spread([0, 2], even, refuse)) == [(0, None), (2, None)]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("dusk://127.0.0.1:1", r"no executor of this name; there are dask://.*Do you mean dask\?"),
        ("dask://127.0.0.1", "say host and port"),
        ("dask://:8786", "say host and port"),
        ("dask://cluster.example:8786", r"unencrypted\. Use dask\+tls://cluster\.example:8786"),
    ],
)
def test_an_address_that_leads_nowhere_is_refused_before_anything_is_sent(address: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        executor_at(address)


@pytest.fixture
def stores(tmp_path: Path) -> tuple[Path, Path]:
    """Two that hide secrets by the same key."""
    here, there = tmp_path / "here", tmp_path / "there"
    learned(tmp_path / "nobody", here)
    shutil.copytree(here, there)
    return here, there


def test_sessions_are_the_same_whoever_read_them(tmp_path: Path, stores: tuple[Path, Path], abroad: Abroad) -> None:
    here, there = stores
    home = family_home(tmp_path / "home")
    long = Ran("cat ladders", 'a ladder of "oak"\n' * 3000)
    put_database(home, [messages("Count the ladders", [Ran("ls ladders", "none", 2), long, Said("None.")], 1)])
    learned(home, here, jobs=1)
    learned(home, there, executor="orchard://")
    assert abroad.sent >= 4  # two files, sums, looks
    assert everything_in(there) == everything_in(here)
    assert archived_in(there) == archived_in(here)


def test_an_answer_that_nobody_understands_is_made_here(
    tmp_path: Path, stores: tuple[Path, Path], abroad: Abroad, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = stores
    home = family_home(tmp_path / "home")
    learned(home, here, jobs=1)
    monkeypatch.setattr(tasks, "_work_elsewhere", garbled)
    learned(home, there, executor="orchard://")
    assert everything_in(there) == everything_in(here)


def garbled(_task: object) -> bytes:
    return b"\xc1 apples"


def archived_in(store: Path) -> dict[str, bytes]:
    folder = store / "archive"
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.zst")}


def test_a_session_that_grew_and_lost_its_companion_is_the_same_too(
    tmp_path: Path, stores: tuple[Path, Path], abroad: Abroad
) -> None:
    here, there = stores
    home = family_home(tmp_path / "home")
    learned(home, here, jobs=1)
    learned(home, there, executor="orchard://")
    (meta,) = home.rglob("agent-f00d.meta.json")
    meta.unlink()
    (child,) = home.rglob("agent-f00d.jsonl")
    child.write_bytes(child.read_bytes().replace(b"orchard", b"meadow!"))
    (parent,) = home.rglob(f"{PARENT}.jsonl")
    put(parent, [*claude_records(PARENT), *claude_records(PARENT, 1, start=3600)])
    learned(home, here, jobs=1)
    learned(home, there, executor="orchard://")
    assert everything_in(there) == everything_in(here)


def test_a_file_that_is_too_large_to_send_is_read_here(
    tmp_path: Path, stores: tuple[Path, Path], abroad: Abroad, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = stores
    home = family_home(tmp_path / "home")
    learned(home, here, jobs=1)
    monkeypatch.setattr(tasks, "_MOST_CARRIED", 10)
    learned(home, there, executor="orchard://")
    assert everything_in(there) == everything_in(here)
