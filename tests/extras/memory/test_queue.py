"""A failing backend loses nothing, doubles nothing and hides nothing."""

import contextlib
import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.extras.memory.flaky import FlakyBackend
from tests.thoroughness import examples

from afterwit.extras.memory.backend import RejectedError, UnreachableError
from afterwit.extras.memory.queue import Queue, QueueingBackend
from afterwit.model.errors import StoreError, StoreFullError
from afterwit.model.memory_entry import Write
from afterwit.store.store import hold_lease

GONE = UnreachableError("The server is gone. Start it.")
_numbers = itertools.count(1)


class Setting:
    """A patient backend, its parts, and a clock that is set by hand."""

    def __init__(self, folder: Path, name: str = "") -> None:
        self.now_ms = 1_000_000
        self.backend = FlakyBackend()
        self.local = FlakyBackend()
        self.queue = Queue(folder / f"queue{name}.db", "flaky")
        self.lock = folder / f"memory{name}.lock"
        self.patient = QueueingBackend(self.backend, lambda: self.local, self.queue, self.lock, lambda: self.now_ms)

    def write(self, key: str, value: str, user: str = "ada") -> Write:
        self.now_ms += 1
        return Write(user=user, key=key, value=value, at_ms=self.now_ms)

    def later(self) -> None:
        self.now_ms += 60_000


@pytest.fixture
def setting(tmp_path: Path) -> Iterator[Setting]:
    found = Setting(tmp_path)
    yield found
    found.queue.close()


def test_without_a_fault_nothing_waits(setting: Setting) -> None:
    told = setting.patient.store(setting.write("shell", "fish"))
    assert (told.is_waiting, told.reason) == (False, "")
    assert setting.queue.counts() == {}
    assert setting.backend.arrived == ["fish"]


def test_a_write_to_a_backend_that_is_gone_waits_and_arrives_once(setting: Setting) -> None:
    setting.backend.before = GONE
    told = setting.patient.store(setting.write("shell", "fish"))
    assert told.is_waiting
    assert "The server is gone" in told.reason
    assert setting.queue.counts() == {"flaky": 1}
    setting.backend.before = None
    setting.later()
    assert setting.patient.deliver() == 1
    assert setting.patient.deliver() == 0
    assert setting.backend.arrived == ["fish"]
    assert setting.patient.reason == ""


def test_a_write_whose_answer_was_lost_is_sent_again_and_is_there_once(setting: Setting) -> None:
    setting.backend.after = GONE
    assert setting.patient.store(setting.write("shell", "fish")).is_waiting
    setting.backend.after = None
    setting.later()
    setting.patient.deliver()
    assert setting.backend.arrived == ["fish", "fish"]
    assert [entry.value for entry in setting.backend.held.values()] == ["fish"]


def test_what_waits_is_read_as_if_it_had_arrived(setting: Setting) -> None:
    setting.patient.store(setting.write("editor", "vi"))
    setting.patient.store(setting.write("shell", "bash"))
    setting.backend.before = GONE
    setting.patient.store(setting.write("shell", "fish"))
    setting.patient.delete("ada", "editor", setting.now_ms + 1)
    setting.local.held[("ada", "old")] = setting.backend.held["ada", "editor"]
    entry = setting.patient.retrieve("ada", "shell")
    assert entry is not None
    assert entry.value == "fish"
    assert setting.patient.retrieve("ada", "editor") is None
    assert setting.patient.keys("ada") == ["old", "shell"]
    assert [hit.entry.value for hit in setting.patient.query("ada", "fish", 5)] == ["fish"]
    assert "The server is gone" in setting.patient.reason
    assert setting.patient.retrieve("grace", "shell") is None


def test_what_was_forgotten_is_not_found_while_its_deletion_waits(setting: Setting) -> None:
    for backend in (setting.backend, setting.local):
        backend.store(setting.write("shell", "fish"))
    setting.backend.before = GONE
    assert [hit.entry.value for hit in setting.patient.query("ada", "fish", 5)] == ["fish"]
    setting.patient.delete("ada", "shell", setting.now_ms + 1)
    assert setting.patient.query("ada", "fish", 5) == []


def test_writes_arrive_in_order_and_before_new_ones(setting: Setting) -> None:
    setting.backend.before = GONE
    for value in ("one", "two"):
        setting.patient.store(setting.write("shell", value))
    setting.patient.delete("ada", "shell", setting.write("shell", "x").at_ms)
    setting.backend.before = None
    setting.later()
    setting.patient.store(setting.write("shell", "three"))
    assert setting.backend.arrived == ["one", "two", "three"]
    assert [entry.value for entry in setting.backend.held.values()] == ["three"]


def test_a_write_that_waited_gives_way_to_a_newer_one_from_elsewhere(setting: Setting) -> None:
    setting.backend.before = GONE
    setting.patient.store(setting.write("shell", "mine"))
    setting.backend.before = None
    setting.backend.store(setting.write("shell", "newer"))
    setting.later()
    setting.patient.deliver()
    assert setting.backend.held["ada", "shell"].value == "newer"


def test_after_a_failure_the_backend_is_left_alone_for_a_while(setting: Setting) -> None:
    setting.backend.before = GONE
    setting.patient.store(setting.write("shell", "one"))
    setting.backend.before = None
    assert setting.patient.store(setting.write("shell", "two")).is_waiting
    setting.later()
    assert not setting.patient.store(setting.write("shell", "three")).is_waiting
    assert setting.backend.arrived == ["one", "two", "three"]


def test_an_entry_that_is_not_taken_is_said_at_once(setting: Setting) -> None:
    setting.backend.rejected_key = "odd"
    with pytest.raises(RejectedError, match="odd is not wanted"):
        setting.patient.store(setting.write("odd", "x"))
    assert setting.queue.counts() == {}


def test_a_waiting_entry_that_is_not_taken_is_set_aside_and_blocks_nothing(setting: Setting) -> None:
    setting.backend.before = GONE
    setting.patient.store(setting.write("odd", "x"))
    setting.patient.store(setting.write("shell", "fish"))
    setting.backend.before, setting.backend.rejected_key = None, "odd"
    setting.later()
    assert setting.patient.deliver() == 1
    assert [(one.key, one.reason) for one in setting.queue.list_rejected()] == [("odd", "odd is not wanted here.")]
    assert setting.queue.counts() == {"flaky": 1}


def test_while_another_run_delivers_a_write_waits_behind_it(setting: Setting) -> None:
    setting.backend.before = GONE
    setting.patient.store(setting.write("shell", "one"))
    setting.backend.before = None
    setting.later()
    with hold_lease(setting.lock):
        told = setting.patient.store(setting.write("shell", "two"))
    assert told.is_waiting
    assert "Another run" in told.reason
    setting.later()
    assert setting.patient.deliver() == 2
    assert setting.backend.arrived == ["one", "two"]


def test_a_write_that_can_neither_arrive_nor_wait_says_so(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(write: Write) -> None:
        raise StoreFullError("No space left for queue.db.")

    setting.backend.before = GONE
    monkeypatch.setattr(setting.queue, "put", full)
    with pytest.raises(StoreFullError, match=r"Nothing was stored. The server is gone.*No space left"):
        setting.patient.store(setting.write("shell", "fish"))


def test_the_queue_survives_its_process_and_knows_its_backend(tmp_path: Path) -> None:
    with contextlib.closing(Queue(tmp_path / "queue.db", "flaky")) as queue:
        queue.put(Write(user="ada", key="shell", value="fish", metadata={"n": 1}, at_ms=5))
    with contextlib.closing(Queue(tmp_path / "queue.db", "other")) as queue:
        assert queue.first() is None
        assert queue.counts() == {"flaky": 1}
    with contextlib.closing(Queue(tmp_path / "queue.db", "flaky")) as queue:
        first = queue.first()
        assert first is not None
        assert first.write == Write(user="ada", key="shell", value="fish", metadata={"n": 1}, at_ms=5)
    assert (tmp_path / "queue.db").stat().st_mode & 0o077 == 0


def test_a_queue_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    with contextlib.closing(Queue(tmp_path / "queue.db", "flaky")) as queue:
        queue._db.pragma("user_version", 9)
    with pytest.raises(StoreError, match="newer afterwit"):
        Queue(tmp_path / "queue.db", "flaky")


moves = st.lists(
    st.one_of(
        st.tuples(st.just("store"), st.sampled_from("ab"), st.sampled_from(["x", "y", "z"])),
        st.tuples(st.just("delete"), st.sampled_from("ab"), st.just("")),
        st.tuples(st.sampled_from(["gone", "cut", "back"]), st.just(""), st.just("")),
    ),
    max_size=12,
)


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(moves=moves)
def test_with_faults_anywhere_the_end_is_that_of_a_dictionary(
    tmp_path: Path, moves: list[tuple[str, str, str]]
) -> None:
    setting = Setting(tmp_path, str(next(_numbers)))
    setting.queue._db.pragma("synchronous", 0)
    model: dict[str, str] = {}
    with contextlib.closing(setting.queue):
        for move, key, value in moves:
            if move == "store":
                setting.patient.store(setting.write(key, value))
                model[key] = value
            elif move == "delete":
                setting.patient.delete("ada", key, setting.write(key, "x").at_ms)
                model.pop(key, None)
            else:
                setting.backend.before = GONE if move == "gone" else None
                setting.backend.after = GONE if move == "cut" else None
                setting.later()
        setting.backend.before = setting.backend.after = None
        setting.later()
        setting.patient.deliver()
        assert {key: entry.value for (_, key), entry in setting.backend.held.items()} == model
        assert setting.patient.keys("ada") == sorted(model)
        assert setting.queue.counts() == {}
