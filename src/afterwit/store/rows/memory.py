"""Rows of the local memory backend, and how well an entry fits a query. Transactions are the caller's.

`put` and `remove` are how entries of the journal are applied: in the same order they give the same rows. The word index
holds the words of every user apart, by a mark of the user before each word, and is therefore asked per user at no cost.

Words are folded and stemmed by SQLite's own tokenizer, so that "tests" finds "testing". Words that say nothing count
only where a query has no others. The score is that of BM25 for a field of key and value, with words of the key counted
twice.
"""

import functools
import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import apsw
import msgspec

from afterwit.model.memory_entry import Entry, Hit, Plain, Write
from afterwit.store.database import json_list

MOST_TERMS = 32  # of a query
_LONGEST_WORD = 64
_IDLE = frozenset(
    """a about an and any are as at be by can did do does for from get has have how i in is it its me my no not of on or
    our should so that the their them then there these they this to us was we were what when where which who why will
    with would you your""".split()  # noqa: SIM905
)
_SATURATION = 1.2
_BY_LENGTH = 0.5
_USUAL_LENGTH = 24
_OPTIONS = ["unicode61", "remove_diacritics", "2"]
STORED = "memory-stored"  # {"user": …, "key": …, "value": …, "metadata": {…}}
DELETED = "memory-deleted"  # {"user": …, "key": …}
_COLUMNS = "key, value, metadata, created_ms, updated_ms"
_metadata = msgspec.json.Decoder(dict[str, Plain])


def put(db: apsw.Connection, write: Write) -> None:
    """Keeps an entry, in place of an earlier one."""
    created_ms = _drop(db, write.user, write.key)
    values = {
        "user": write.user,
        "key": write.key,
        "value": write.value,
        "metadata": msgspec.json.encode(write.metadata, order="deterministic").decode(),
        "created_ms": write.at_ms if created_ms is None else created_ms,
        "updated_ms": write.at_ms,
    }
    db.execute(
        """INSERT INTO memory_entries (user, key, value, metadata, created_ms, updated_ms)
           VALUES (:user, :key, :value, :metadata, :created_ms, :updated_ms)""",
        values,
    )
    mark = mark_of(write.user)
    words = " ".join(mark + word for word in set(words_of(f"{write.key} {write.value}")))
    db.execute("INSERT INTO memory_words (rowid, words) VALUES (?, ?)", (db.last_insert_rowid(), words))
    _tick(db, write.at_ms)


def remove(db: apsw.Connection, user: str, key: str, at_ms: int) -> bool:
    """Removes an entry; False if there is none."""
    is_there = _drop(db, user, key) is not None
    _tick(db, at_ms)
    return is_there


def get(db: apsw.Connection, user: str, key: str) -> Entry | None:
    query = f"SELECT {_COLUMNS} FROM memory_entries WHERE user = ? AND key = ?"  # noqa: S608
    row = db.execute(query, (user, key)).fetchone()
    return None if row is None else _entry(*row)


def entries(db: apsw.Connection, user: str, ids: Iterable[int]) -> list[Entry]:
    """Those of these entries that are the user's. The plus keeps SQLite from walking all entries of the user."""
    query = f"""SELECT {_COLUMNS} FROM memory_entries
                WHERE id IN (SELECT value FROM json_each(?)) AND +user = ?"""  # noqa: S608
    return [_entry(*row) for row in db.execute(query, (json_list(ids), user))]


def keys(db: apsw.Connection, user: str, prefix: str) -> list[str]:
    """Keys that begin so, by code point."""
    query = "SELECT key FROM memory_entries WHERE user = ? AND key >= ? ORDER BY key"
    names = []
    for (key,) in db.execute(query, (user, prefix)):
        if not key.startswith(prefix):
            break
        names.append(key)
    return names


def newest_with(db: apsw.Connection, user: str, word: str, most: int) -> list[int]:
    """The ids of the newest entries of the user that have the word."""
    query = "SELECT rowid FROM memory_words WHERE memory_words MATCH ? ORDER BY rowid DESC LIMIT ?"
    return [row[0] for row in db.execute(query, (f'"{mark_of(user)}{word}"', most))]


def clock(db: apsw.Connection) -> int:
    """The latest moment that was applied."""
    row: Sequence[int] | None = db.execute("SELECT at_ms FROM memory_clock").fetchone()
    return row[0] if row else 0


def mark_of(user: str) -> str:
    """What stands before the words of this user. Two users with one mark are still told apart by their rows."""
    return hashlib.sha256(user.encode()).hexdigest()[:12] + "x"


def _drop(db: apsw.Connection, user: str, key: str) -> int | None:
    """Removes an entry and its words. Returns when it was created, or None if there is none."""
    query = "DELETE FROM memory_entries WHERE user = ? AND key = ? RETURNING id, created_ms"
    row = db.execute(query, (user, key)).fetchone()
    if row is None:
        return None
    db.execute("DELETE FROM memory_words WHERE rowid = ?", (row[0],))
    created_ms: int = row[1]
    return created_ms


def _tick(db: apsw.Connection, at_ms: int) -> None:
    db.execute(
        """INSERT INTO memory_clock VALUES (1, :at_ms)
           ON CONFLICT (id) DO UPDATE SET at_ms = max(at_ms, excluded.at_ms)""",
        {"at_ms": at_ms},
    )


def _entry(key: str, value: str, metadata: str, created_ms: int, updated_ms: int) -> Entry:
    return Entry(
        key=key, value=value, metadata=_metadata.decode(metadata), created_ms=created_ms, updated_ms=updated_ms
    )


def apply(db: apsw.Connection, kind: str, body: Mapping[str, Any], at_ms: int) -> None:
    """Applies an entry of the journal."""
    if kind == STORED:
        put(db, msgspec.convert({**body, "at_ms": at_ms}, Write))
    else:
        remove(db, body["user"], body["key"], at_ms)


def words_of(text: str) -> list[str]:
    """All words of a text, stemmed, in order."""
    tokens = _tokenizer()(
        text.encode("utf-8", "replace"),
        apsw.FTS5_TOKENIZE_DOCUMENT,
        None,
        include_offsets=False,
        include_colocated=False,
    )
    return [word[:_LONGEST_WORD] for word in cast("list[str]", tokens)]


def terms_of(query: str) -> list[str]:
    """The different words of a query that say something, or all of them if none does."""
    words = list(dict.fromkeys(words_of(query)))
    telling = [word for word in words if word not in _idle_stems()]
    return (telling or words)[:MOST_TERMS]


def weight(count: int, total: int) -> float:
    """How much a word tells that `count` of `total` entries have."""
    return math.log(1 + total / max(count, 1))


def fit(entry: Entry, weights: Mapping[str, float]) -> float:
    """How well the entry fits the words; 0 if it has none of them."""
    words = words_of(f"{entry.key} {entry.key} {entry.value}")
    damping = _SATURATION * (1 - _BY_LENGTH + _BY_LENGTH * len(words) / _USUAL_LENGTH)
    counts = ((words.count(word), word_weight) for word, word_weight in weights.items())
    return sum(word_weight * count / (count + damping) for count, word_weight in counts)


def rank(entries: Iterable[Entry], weights: Mapping[str, float], limit: int) -> list[Hit]:
    """The best, of equal ones the newest first."""
    hits = [Hit(entry, score) for entry in entries if (score := fit(entry, weights)) > 0]
    hits.sort(key=lambda hit: (-hit.score, -hit.entry.updated_ms, hit.entry.key))
    return hits[:limit]


def search(entries: Sequence[Entry], query: str, limit: int) -> list[Hit]:
    """A query over a handful of entries, without an index."""
    terms = terms_of(query)
    words_by_entry = [set(words_of(f"{entry.key} {entry.value}")) for entry in entries]
    weights = {term: weight(sum(term in words for words in words_by_entry), len(entries)) for term in terms}
    return rank(entries, weights, limit)


@functools.cache
def _tokenizer() -> apsw.FTS5Tokenizer:
    return apsw.Connection(":memory:").fts5_tokenizer("porter", _OPTIONS)


@functools.cache
def _idle_stems() -> frozenset[str]:
    return frozenset(words_of(" ".join(_IDLE)))
