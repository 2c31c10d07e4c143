"""Rows of items, of what the gate kept out, and of what people decided and agents were shown."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import apsw

from afterwit.store.database import columns_of, insert_into, json_list


class ItemRow(NamedTuple):
    id: str
    scope: str
    category: str
    harvester: str
    status: str
    confidence: float
    last_ms: int
    body: bytes


class RejectionRow(NamedTuple):
    id: str
    reason: str
    harvester: str
    scope: str
    sentence: str


class DecisionRow(NamedTuple):
    machine: str
    number: int
    at_ms: int
    kind: str
    item: str
    body: str  # a JSON object


class ExposureRow(NamedTuple):
    agent: str
    session: str
    item: str
    moment: str
    at_ms: int
    is_shown: int


_ITEM = columns_of(ItemRow, table="items")


def put_item(db: apsw.Connection, row: ItemRow, words: str) -> None:
    delete_item(db, row.id)
    db.execute(insert_into("items", columns_of(ItemRow)), row)
    db.execute("INSERT INTO item_words (rowid, words) VALUES (?, ?)", (db.last_insert_rowid(), words))


def delete_item(db: apsw.Connection, item: str) -> None:
    db.execute("DELETE FROM item_words WHERE rowid = (SELECT rowid FROM items WHERE id = ?)", (item,))
    db.execute("DELETE FROM items WHERE id = ?", (item,))


def all_items(db: apsw.Connection) -> Iterator[ItemRow]:
    """All items, the most believed first."""
    return (ItemRow(*row) for row in db.execute(f"SELECT {_ITEM} FROM items ORDER BY confidence DESC, id"))  # noqa: S608


def items_in(db: apsw.Connection, scopes: Iterable[str], statuses: Iterable[str]) -> Iterator[ItemRow]:
    """Items of these scopes with one of these statuses, the most believed first."""
    query = f"""SELECT {_ITEM} FROM items WHERE scope IN (SELECT value FROM json_each(?))
                AND status IN (SELECT value FROM json_each(?)) ORDER BY confidence DESC, id"""  # noqa: S608
    values = [json_list(names) for names in (scopes, statuses)]
    return (ItemRow(*row) for row in db.execute(query, values))


def count_by_status(db: apsw.Connection) -> dict[str, int]:
    return {
        str(status): int(count) for status, count in db.execute("SELECT status, count(*) FROM items GROUP BY status")
    }


def item_scopes(db: apsw.Connection) -> list[str]:
    return [row[0] for row in db.execute("SELECT DISTINCT scope FROM items ORDER BY scope")]


def item_ids(db: apsw.Connection) -> list[str]:
    return [row[0] for row in db.execute("SELECT id FROM items ORDER BY id")]


def items_named(db: apsw.Connection, name: str, limit: int) -> list[ItemRow]:
    """Items whose id begins so."""
    query = f"SELECT {_ITEM} FROM items WHERE id >= ? AND id < ? ORDER BY id LIMIT ?"  # noqa: S608
    return [ItemRow(*row) for row in db.execute(query, (name, name + "g", limit))]


def items_with_words(db: apsw.Connection, expression: str, limit: int) -> list[ItemRow]:
    """Items that match a full-text expression, best first."""
    query = f"""SELECT {_ITEM} FROM item_words JOIN items ON items.rowid = item_words.rowid
                WHERE item_words MATCH ? ORDER BY bm25(item_words), items.id LIMIT ?"""  # noqa: S608
    return [ItemRow(*row) for row in db.execute(query, (expression, limit))]


def put_rejections(db: apsw.Connection, rows: Iterable[RejectionRow]) -> None:
    """Replaces them all."""
    db.execute("DELETE FROM rejections")
    db.executemany(insert_into("rejections", columns_of(RejectionRow), "INSERT OR REPLACE"), rows)


def rejections(db: apsw.Connection) -> list[RejectionRow]:
    query = f"SELECT {columns_of(RejectionRow)} FROM rejections ORDER BY reason, id"  # noqa: S608
    return [RejectionRow(*row) for row in db.execute(query)]


def put_doubles(db: apsw.Connection, pairs: Iterable[tuple[str, str]]) -> None:
    """Replaces them all."""
    db.execute("DELETE FROM doubles")
    db.executemany("INSERT OR IGNORE INTO doubles VALUES (?, ?)", pairs)


def doubles(db: apsw.Connection) -> list[tuple[str, str]]:
    return list(db.execute("SELECT one, other FROM doubles ORDER BY one, other"))


def put_decision(db: apsw.Connection, row: DecisionRow) -> None:
    db.execute(insert_into("item_decisions", columns_of(DecisionRow), "INSERT OR REPLACE"), row)


def decisions(db: apsw.Connection) -> list[DecisionRow]:
    """All of them, in the order in which they count."""
    query = f"SELECT {columns_of(DecisionRow)} FROM item_decisions ORDER BY at_ms, machine, number"  # noqa: S608
    return [DecisionRow(*row) for row in db.execute(query)]


def put_exposure(db: apsw.Connection, row: ExposureRow) -> None:
    db.execute(insert_into("exposures", columns_of(ExposureRow), "INSERT OR IGNORE"), row)


def exposures(db: apsw.Connection) -> Iterator[ExposureRow]:
    query = f"SELECT {columns_of(ExposureRow)} FROM exposures ORDER BY at_ms, agent, session, item"  # noqa: S608
    return (ExposureRow(*row) for row in db.execute(query))


def count_exposures(db: apsw.Connection) -> int:
    return int(db.execute("SELECT count(*) FROM exposures").get)


def settled_mark(db: apsw.Connection) -> str:
    row = db.execute("SELECT mark FROM settled").fetchone()
    return row[0] if row else ""


def put_settled_mark(db: apsw.Connection, mark: str) -> None:
    db.execute("INSERT OR REPLACE INTO settled (id, mark) VALUES (1, ?)", (mark,))
