"""Sessions in a table of keys and values."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path, PurePosixPath

import apsw
import msgspec
import pytest

from afterwit.sources.databases import KeyValueGatherer, KeyValues
from afterwit.sources.gathering import SourceError

GATHERER = KeyValueGatherer(
    KeyValues(
        names=r"kv\.db",
        table="store",
        session="talk:",
        item="word:",
        order="order",
        item_id="id",
        updated="at",
        secrets=frozenset(("cipher",)),
    )
)
KV = PurePosixPath("kv.db")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[apsw.Connection]:
    with closing(apsw.Connection(str(tmp_path / "kv.db"))) as db:
        db.execute("CREATE TABLE store (key TEXT UNIQUE, value BLOB)")
        put(
            db, "talk:a", '{"at": 1790000000000, "cipher": "k", "order": [{"id": "2"}, {"id": "1"}, {"id": "gone"}, 7]}'
        )
        put(db, "word:a:1", '{"text": "second"}')
        put(db, "word:a:2", '{"text": "first", "cipher": "k"}')
        put(db, "word:ab:1", '{"text": "of another"}')
        put(db, "talk:empty", '{"order": []}')
        put(db, "talk:torn", '{"order": [')
        put(db, "talks:no", '{"order": [{"id": "1"}]}')
        yield db


def put(db: apsw.Connection, key: str, value: str) -> None:
    db.execute("INSERT OR REPLACE INTO store VALUES (?, ?)", (key, value.encode()))


def test_only_conversations_with_messages_are_sessions(tmp_path: Path, db: apsw.Connection) -> None:
    (found,) = GATHERER.sessions(tmp_path, KV, [])
    assert (str(found.path), found.mtime_ns) == ("kv.db/a.jsonl", 1790000000000 * 1_000_000)


def test_messages_come_in_the_order_that_the_conversation_says(tmp_path: Path, db: apsw.Connection) -> None:
    data = GATHERER.render(tmp_path, KV / "a.jsonl").data
    rows = [msgspec.json.decode(line)["row"] for line in data.splitlines()]
    assert [row.get("text") for row in rows] == [None, "first", "second", None]
    assert b"cipher" not in data


def test_the_mark_changes_with_the_conversation(tmp_path: Path, db: apsw.Connection) -> None:
    (before,) = GATHERER.sessions(tmp_path, KV, [])
    assert GATHERER.render(tmp_path, before.path).file == before
    put(db, "talk:a", '{"at": 1790000000001, "order": [{"id": "1"}]}')
    (after,) = GATHERER.sessions(tmp_path, KV, [])
    assert after.inode != before.inode


def test_what_is_gone_or_foreign_is_an_error(tmp_path: Path, db: apsw.Connection) -> None:
    with pytest.raises(SourceError, match="gone"):
        GATHERER.render(tmp_path, KV / "b.jsonl")
    db.execute("DROP TABLE store")
    with pytest.raises(SourceError, match="another kind"):
        GATHERER.sessions(tmp_path, KV, [])
