"""Sessions in tables of other programs' databases."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path, PurePosixPath
from typing import Any

import apsw
import msgspec
import pytest

from afterwit.sources.databases import Database, DatabaseGatherer, DatabaseTable, reading
from afterwit.sources.gathering import SourceError

ABOUT = Database(
    names=r"log\.db",
    sessions=DatabaseTable("talks", session="id", order=("id",), without=frozenset(("seen",))),
    tables=(
        DatabaseTable(
            "said",
            session="talk",
            order=("at", "id"),
            changed="changed",
            inner=(DatabaseTable("bits", session="said"),),
        ),
        DatabaseTable("later", session="talk"),
    ),
    updated="seen",
    parent="parent",
    parent_columns=("id", "mood"),
)
GATHERER = DatabaseGatherer(ABOUT)
LOG = PurePosixPath("log.db")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[apsw.Connection]:
    with closing(apsw.Connection(str(tmp_path / "log.db"))) as db:
        db.execute("CREATE TABLE talks (id TEXT PRIMARY KEY, parent TEXT, seen INTEGER, mood TEXT, extra BLOB)")
        db.execute("CREATE TABLE said (id INTEGER PRIMARY KEY, talk TEXT, at INTEGER, changed INTEGER, text TEXT)")
        db.execute("CREATE TABLE bits (said INTEGER, bit TEXT)")
        db.execute("INSERT INTO talks VALUES ('a', NULL, 1790000000, 'calm', x'00ff'), ('b/..', 'a', 1, 'wild', NULL)")
        db.execute(
            "INSERT INTO said VALUES (1, 'a', 20, 1, 'second'), (2, 'a', 10, 1, 'first'), (3, 'b/..', 1, 1, 'x')"
        )
        db.execute("INSERT INTO bits VALUES (2, 'of the first')")
        yield db


def lines(home: Path, path: PurePosixPath) -> list[tuple[str, dict[str, Any]]]:
    decoded = (msgspec.json.decode(line) for line in GATHERER.render(home, path).data.splitlines())
    return [(line["table"], line["row"]) for line in decoded]


def test_rows_come_in_order_each_followed_by_its_inner_ones(tmp_path: Path, db: apsw.Connection) -> None:
    assert [(table, row.get("text") or row.get("bit")) for table, row in lines(tmp_path, LOG / "a.jsonl")] == [
        ("talks", None),
        ("said", "first"),
        ("bits", "of the first"),
        ("said", "second"),
    ]


def test_columns_are_told_as_they_are_but_for_those_left_out(tmp_path: Path, db: apsw.Connection) -> None:
    (_, row), *_ = lines(tmp_path, LOG / "a.jsonl")
    assert row == {"id": "a", "parent": None, "mood": "calm", "extra": {"base64": "AP8="}}


def test_a_parent_comes_first_with_what_matters_of_it(tmp_path: Path, db: apsw.Connection) -> None:
    found = next(found for found in GATHERER.sessions(tmp_path, LOG, []) if found.path.name != "a.jsonl")
    assert found.path.name == "b%2F...jsonl"
    assert lines(tmp_path, found.path)[0] == ("(parent)", {"id": "a", "mood": "calm"})


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE said SET text = 'other', changed = 2 WHERE id = 1",
        "INSERT INTO said VALUES (9, 'a', 30, 1, 'third')",
        "DELETE FROM said WHERE id = 1",
        "UPDATE talks SET mood = 'glad' WHERE id = 'a'",
    ],
)
def test_the_mark_of_a_session_changes_with_it_and_no_other(tmp_path: Path, db: apsw.Connection, change: str) -> None:
    before = GATHERER.sessions(tmp_path, LOG, [])
    assert [GATHERER.render(tmp_path, found.path).file.inode for found in before] == [each.inode for each in before]
    db.execute(change)
    after = GATHERER.sessions(tmp_path, LOG, [])
    assert [one.inode == other.inode for one, other in zip(before, after, strict=True)] == [False, True]


def test_a_schema_with_more_and_fewer_columns_is_read(tmp_path: Path, db: apsw.Connection) -> None:
    db.execute("ALTER TABLE said DROP COLUMN changed")
    db.execute("ALTER TABLE said ADD COLUMN colour TEXT DEFAULT 'red'")
    db.execute("DROP TABLE bits")
    assert [row.get("colour") for _, row in lines(tmp_path, LOG / "a.jsonl")] == [None, "red", "red"]


def test_another_database_a_missing_session_and_no_database_are_errors(tmp_path: Path, db: apsw.Connection) -> None:
    with pytest.raises(SourceError, match="gone"):
        GATHERER.render(tmp_path, LOG / "nobody.jsonl")
    db.execute("ALTER TABLE said RENAME COLUMN talk TO chat")
    with pytest.raises(SourceError, match="another kind"):
        GATHERER.sessions(tmp_path, LOG, [])
    with pytest.raises(OSError, match="No such file"):
        GATHERER.sessions(tmp_path, PurePosixPath("none.db"), [])


def test_a_writer_that_comes_while_a_closed_database_is_read_makes_it_read_again(
    tmp_path: Path, db: apsw.Connection
) -> None:
    db.execute("PRAGMA journal_mode = wal")
    db.close()
    seen: list[int] = []

    def work(foreign: apsw.Connection) -> int:
        count = int(next(foreign.execute("SELECT count(*) FROM said"))[0])
        seen.append(count)
        if len(seen) == 1:
            with closing(apsw.Connection(str(tmp_path / "log.db"))) as writer:
                writer.execute("INSERT INTO said VALUES (50, 'a', 99, 1, 'new')")
        return count

    assert reading(tmp_path / "log.db", work) == 4
    assert seen == [3, 4]


def test_nothing_can_be_written(tmp_path: Path, db: apsw.Connection) -> None:
    with pytest.raises(SourceError):
        reading(tmp_path / "log.db", lambda foreign: foreign.execute("DELETE FROM said"))
