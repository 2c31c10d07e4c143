"""Rows of items, of what the gate kept out, and of what people decided and agents were shown."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import apsw

from afterwit.store.database import columns_of, insert_into, json_list
from afterwit.store.decisions import JournalEntry, KnowledgeEntry


class ItemRow(NamedTuple):
    id: str
    scope: str
    category: str
    harvester: str
    status: str
    confidence: float
    last_ms: int
    body: bytes


class ItemHead(NamedTuple):
    """An item without what it says."""

    id: str
    scope: str
    category: str
    harvester: str
    status: str
    confidence: float


class RejectionRow(NamedTuple):
    id: str
    reason: str
    harvester: str
    scope: str
    sentence: str


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


def best_items(db: apsw.Connection, status: str, limit: int) -> list[ItemRow]:
    """The items with this status that are believed most."""
    query = f"SELECT {_ITEM} FROM items WHERE status = ? ORDER BY confidence DESC, id LIMIT ?"  # noqa: S608
    return [ItemRow(*row) for row in db.execute(query, (status, limit))]


def items_with_ids(db: apsw.Connection, ids: Iterable[str]) -> list[ItemRow]:
    """The most believed first."""
    query = f"""SELECT {_ITEM} FROM items WHERE id IN (SELECT value FROM json_each(?))
                ORDER BY confidence DESC, id"""  # noqa: S608
    return [ItemRow(*row) for row in db.execute(query, (json_list(ids),))]


def count_by_status(db: apsw.Connection) -> dict[str, int]:
    return {
        str(status): int(count) for status, count in db.execute("SELECT status, count(*) FROM items GROUP BY status")
    }


def item_scopes(db: apsw.Connection) -> list[str]:
    return [row[0] for row in db.execute("SELECT DISTINCT scope FROM items ORDER BY scope")]


def item_heads(db: apsw.Connection) -> list[ItemHead]:
    """All items, the most believed first."""
    query = f"SELECT {columns_of(ItemHead)} FROM items ORDER BY confidence DESC, id"  # noqa: S608
    return [ItemHead(*row) for row in db.execute(query)]


def ids_with_status(db: apsw.Connection, status: str) -> list[str]:
    return [row[0] for row in db.execute("SELECT id FROM items WHERE status = ?", (status,))]


def items_naming_opposites(db: apsw.Connection) -> list[str]:
    """Ids of those in whose body the field `contradicts` may stand; it is left out where it is empty."""
    query = "SELECT id FROM items INDEXED BY items_naming_opposites WHERE instr(body, x'636f6e7472616469637473')"
    return [row[0] for row in db.execute(query)]


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


class LinkedItem(NamedTuple):
    """An item that takes the place of another, or gave way to one."""

    item: ItemRow
    own_status: str  # before others took its place


def items_with_links(db: apsw.Connection) -> list[LinkedItem]:
    query = f"SELECT {_ITEM}, own_status FROM item_links CROSS JOIN items ON items.id = item_links.id"  # noqa: S608
    return [LinkedItem(ItemRow(*row[:-1]), row[-1]) for row in db.execute(query)]


def put_links(db: apsw.Connection, own_statuses: Mapping[str, str], items: Iterable[str]) -> None:
    """Of these items those that are linked, with their own statuses."""
    query = "SELECT id, own_status FROM item_links WHERE id IN (SELECT value FROM json_each(?))"
    before = dict(db.execute(query, (json_list(items),)))
    db.executemany(
        "DELETE FROM item_links WHERE id = ?", ((name,) for name in sorted(before.keys() - own_statuses.keys()))
    )
    new = [(name, status) for name, status in sorted(own_statuses.items()) if before.get(name) != status]
    db.executemany("INSERT OR REPLACE INTO item_links VALUES (?, ?)", new)


def put_rejections(db: apsw.Connection, rows: Iterable[RejectionRow], scopes: Iterable[str] | None = None) -> None:
    """Replaces those of these scopes, or all."""
    before, after = set(rejections(db, scopes)), {(row.id, row.reason): row for row in rows}
    gone, new = before - set(after.values()), set(after.values()) - before
    for row in gone:
        db.execute("DELETE FROM rejections WHERE id = ? AND reason = ?", (row.id, row.reason))
    db.executemany(insert_into("rejections", columns_of(RejectionRow)), sorted(new))


def rejections(db: apsw.Connection, scopes: Iterable[str] | None = None) -> list[RejectionRow]:
    """Those of these scopes, or all."""
    query = f"""SELECT {columns_of(RejectionRow)} FROM rejections
                WHERE ?1 IS NULL OR scope IN (SELECT value FROM json_each(?1)) ORDER BY reason, id"""  # noqa: S608
    return [RejectionRow(*row) for row in db.execute(query, (json_list(scopes) if scopes is not None else None,))]


def put_doubles(db: apsw.Connection, pairs: Iterable[tuple[str, str]], items: Iterable[str] | None = None) -> None:
    """Replaces those of these items, or all."""
    before, after = set(_doubles_of(db, items)), set(pairs)
    gone, new = before - after, after - before
    for pair in gone:
        db.execute("DELETE FROM doubles WHERE one = ? AND other = ?", pair)
    db.executemany("INSERT INTO doubles VALUES (?, ?)", sorted(new))


def _doubles_of(db: apsw.Connection, items: Iterable[str] | None) -> list[tuple[str, str]]:
    """Pairs begin with the smaller id."""
    if items is None:
        return doubles(db)
    query = "SELECT one, other FROM doubles WHERE one IN (SELECT value FROM json_each(?))"
    return list(db.execute(query, (json_list(items),)))


def doubles(db: apsw.Connection) -> list[tuple[str, str]]:
    return list(db.execute("SELECT one, other FROM doubles ORDER BY one, other"))


def put_decision(db: apsw.Connection, entry: JournalEntry) -> None:
    columns = f"{columns_of(JournalEntry)}, item"
    db.execute(insert_into("item_decisions", columns, "INSERT OR REPLACE"), (*entry.row, entry.item))


def recorded(db: apsw.Connection) -> list[JournalEntry]:
    """The entries of the journal about knowledge, in the order in which they count."""
    query = "SELECT machine, number, at_ms, kind, body FROM item_decisions ORDER BY at_ms, machine, number"
    return [JournalEntry.from_row(*row) for row in db.execute(query)]


def recorded_about(db: apsw.Connection, items: Iterable[str], kinds: Iterable[str] = ()) -> list[JournalEntry]:
    """Those about some items, those of some kinds, and those that take others back."""
    query = """SELECT machine, number, at_ms, kind, body FROM item_decisions
               WHERE item IN (SELECT value FROM json_each(?)) OR kind IN (SELECT value FROM json_each(?))
               ORDER BY at_ms, machine, number"""
    return [
        JournalEntry.from_row(*row)
        for row in db.execute(query, (json_list(items), json_list((*kinds, KnowledgeEntry.UNDONE))))
    ]


def decision_counts(db: apsw.Connection) -> list[tuple[str, int, int]]:
    """How many decisions of each machine there are, and the last: another decision makes it another list."""
    return list(db.execute("SELECT machine, count(*), max(number) FROM item_decisions GROUP BY machine"))


def put_exposure(db: apsw.Connection, row: ExposureRow) -> None:
    db.execute(insert_into("exposures", columns_of(ExposureRow), "INSERT OR IGNORE"), row)


def exposures(db: apsw.Connection, items: Iterable[str] | None = None) -> Iterator[ExposureRow]:
    """Those of these items, or all."""
    which = "" if items is None else "WHERE item IN (SELECT value FROM json_each(?))"
    query = f"SELECT {columns_of(ExposureRow)} FROM exposures {which} ORDER BY at_ms, agent, session, item"  # noqa: S608
    return (ExposureRow(*row) for row in db.execute(query, () if items is None else (json_list(items),)))


def sessions_told(db: apsw.Connection, names: Iterable[str]) -> dict[str, int]:
    """In how many sessions each of these notes or lines was told."""
    query = """SELECT item, count(DISTINCT agent || ' ' || session) FROM exposures
               WHERE is_shown AND item IN (SELECT value FROM json_each(?)) GROUP BY item"""
    return dict(db.execute(query, (json_list(names),)))


def count_exposures(db: apsw.Connection) -> int:
    return int(db.execute("SELECT count(*) FROM exposures").get)


def items_mark(db: apsw.Connection) -> str:
    row = db.execute("SELECT mark FROM settled").fetchone()
    return row[0] if row else ""


def put_items_mark(db: apsw.Connection, mark: str) -> None:
    """The items are made from this state. "": all of them are to be made again."""
    db.execute("INSERT OR REPLACE INTO settled (id, mark) VALUES (1, ?)", (mark,))
    if mark:
        db.execute("DELETE FROM unsettled")
