"""The local backend: bounded work for a query, and words of users apart. The package exports what it says."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import apsw
import pytest

import afterwit.extras.memory
from afterwit.extras.memory.local import LocalBackend
from afterwit.model.memory_entry import Write
from afterwit.store.database import connect, migrate, migrations
from afterwit.store.rows import memory as rows
from afterwit.store.rows.memory import terms_of


@pytest.fixture
def db(tmp_path: Path) -> apsw.Connection:
    connection = connect(tmp_path / "some.db")
    connection.pragma("synchronous", 0)
    migrate(connection, migrations(), tmp_path)
    return connection


def unused(kind: str, body: Mapping[str, Any], at_ms: int) -> None:
    raise AssertionError("a query writes nothing")


def steps_of(db: apsw.Connection, backend: LocalBackend, text: str) -> int:
    """How much work SQLite does for a query, in steps of its machine."""
    count = 0

    def tick() -> bool:
        nonlocal count
        count += 1
        return False

    db.set_progress_handler(tick, 10)
    backend.query("ada", text, 10)
    db.set_progress_handler(None)
    return count


def test_a_query_for_a_common_word_does_not_grow_with_the_memory(db: apsw.Connection) -> None:
    backend = LocalBackend(db, unused)
    work = []
    for start, end in ((0, 1_000), (1_000, 4_000)):
        with db:
            for number in range(start, end):
                rows.put(db, Write(user="ada", key=f"key.{number}", value=f"apples {number}", at_ms=number))
        work.append(steps_of(db, backend, "apple"))
    assert work[1] <= 1.5 * work[0]


def test_of_equal_entries_the_newest_come_first(db: apsw.Connection) -> None:
    with db:
        for number in range(700):
            rows.put(db, Write(user="ada", key=f"key.{number:03}", value="apples", at_ms=number))
    found = LocalBackend(db, unused).query("ada", "apple", 3)
    assert [hit.entry.key for hit in found] == ["key.699", "key.698", "key.697"]


def test_a_common_word_of_others_hides_nothing(db: apsw.Connection) -> None:
    with db:
        rows.put(db, Write(user="ada", key="mine", value="apples", at_ms=1))
        for number in range(800):
            rows.put(db, Write(user="grace", key=f"key.{number}", value="apples", at_ms=2))
    assert [hit.entry.key for hit in LocalBackend(db, unused).query("ada", "apples", 5)] == ["mine"]


def test_words_that_say_nothing_count_only_alone() -> None:
    assert terms_of("how should the tests be run") == ["test", "run"]
    assert terms_of("to be or not") == ["to", "be", "or", "not"]
    assert terms_of("…") == []


def test_the_package_exports_what_a_backend_from_elsewhere_needs() -> None:
    assert sorted(afterwit.extras.memory.__all__) == afterwit.extras.memory.__all__
    assert set(afterwit.extras.memory.__all__) == {
        "Availability",
        "Backend",
        "BackendError",
        "Bulk",
        "Entry",
        "EntryError",
        "Hit",
        "Operation",
        "Plain",
        "RefusedError",
        "RejectedError",
        "UnreachableError",
        "UnsupportedError",
        "Write",
        "WrongSchemaError",
    }
