"""Every text of a database is found, also the packed ones."""

from pathlib import Path

import msgspec

from afterwit.model import zstd
from afterwit.store.checks import RowTexts, rows_with_texts, texts_in
from afterwit.store.database import connect


def test_texts_come_table_by_table_with_a_way_to_find_the_row(tmp_path: Path) -> None:
    db = connect(tmp_path / "some.db")
    db.execute("CREATE TABLE trees (id INTEGER PRIMARY KEY, name TEXT, height REAL)")
    db.execute("CREATE TABLE owners (name TEXT PRIMARY KEY) WITHOUT ROWID")
    db.execute("INSERT INTO trees VALUES (7, 'apple', 2.5), (9, NULL, 1.0)")
    db.execute("INSERT INTO owners VALUES ('ada')")
    assert list(rows_with_texts(db)) == [RowTexts("owners", "row 1", ("ada",)), RowTexts("trees", "id 7", ("apple",))]
    db.close()


def test_a_full_text_table_that_keeps_its_texts_is_not_missed(tmp_path: Path) -> None:
    db = connect(tmp_path / "some.db")
    db.execute("CREATE VIRTUAL TABLE words USING fts5 (text)")
    db.execute("INSERT INTO words VALUES ('prune the apples')")
    assert [row.texts for row in rows_with_texts(db)] == [("prune the apples",)]
    db.close()


def test_packed_values_are_unpacked() -> None:
    packed = msgspec.msgpack.encode({"task": ["prune", {"deep": "apples"}], "count": 3})
    assert list(texts_in(packed)) == ["task", "prune", "deep", "apples", "count"]
    assert list(texts_in(zstd.Compressor(3).compress(packed))) == list(texts_in(packed))


def test_bytes_that_are_nothing_we_know_are_read_as_text() -> None:
    assert list(texts_in(b"token=abc")) == ["token=abc"]
    assert list(texts_in(b"\x28\xb5\x2f\xfd and no more")) != []
