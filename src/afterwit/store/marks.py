"""Marks of what the database belongs with (the redaction key, the machine's id, the deck), the last runs, and what
changed since the deck was dealt last.

A lost key or id is made anew without a word, because a first run has none either. Only the mark of the one that the
rows were made with tells that it is another. A rebuilt database is made with what is there, and marks that. What is to
be dealt again is noted by triggers of the database, whoever makes the change; each question about it costs what one
repository or scope has, not what there is.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import apsw

from afterwit.store.database import transaction
from afterwit.store.regular_files import read_regular

KEY = "redaction-key"
MACHINE = "machine"
LEARNED = "learned"
IN_USE = "in-use"  # notes, each with when a run first found it in use; 0: not known
PACKED = "packed"  # bytes of originals, and what they took in the archive when that was last looked at
DECK = "deck"  # its fingerprint; two of them while a new one is put in the place of the old. It names its parts
CHECKED = "checked"  # the day on which, and the file at which, the last look at a part of the archive ended
EXAMPLES = "examples"  # ids of the templates that the experiment under way tells of, separated by blanks
_PURPOSE = b"afterwit mark"


class LastRun(NamedTuple):
    mark: str
    body: bytes


class LastLearned(NamedTuple):
    """When `learn` ended last, and what the last run with news brought."""

    at_ms: int
    news_ms: int = 0  # 0: no run had any
    sessions: int = 0
    new_sessions: int = 0
    new_notes: int = 0


def key_mark(key: bytes) -> str:
    """Tells one key from another, and nothing of either."""
    return hashlib.blake2b(_PURPOSE, key=key, digest_size=16).hexdigest()


def fingerprint(path: Path) -> str:
    """Of a deck as it lies there; "" where there is none. Nobody writes to a deck, so reading it harms no lock."""
    try:
        return hashlib.blake2b(read_regular(path), digest_size=16).hexdigest()
    except OSError:
        return ""


def mark(db: apsw.Connection, name: str) -> str:
    """ "" where there is none."""
    row = db.execute("SELECT value FROM marks WHERE name = ?", (name,)).fetchone()
    return str(row[0]) if row else ""


def put_mark(db: apsw.Connection, name: str, value: str) -> None:
    with transaction(db):
        db.execute("INSERT OR REPLACE INTO marks VALUES (?, ?)", (name, value))


def note_owner(db: apsw.Connection, key: bytes, machine: str) -> None:
    """Marks the key and the machine of a database that has no mark yet."""
    for name, value in ((KEY, key_mark(key)), (MACHINE, machine)):
        if not mark(db, name):
            with transaction(db):
                db.execute("INSERT OR IGNORE INTO marks VALUES (?, ?)", (name, value))


def last_learned(db: apsw.Connection) -> LastLearned | None:
    """None in a store that was made, or derived again, without a run that says so."""
    noted = mark(db, LEARNED)
    return LastLearned(*json.loads(noted)) if noted else None


def put_last_learned(db: apsw.Connection, learned: LastLearned) -> None:
    put_mark(db, LEARNED, json.dumps(learned))


def note_without_news(db: apsw.Connection, at_ms: int) -> None:
    """For a run that has found nothing."""
    put_last_learned(db, (last_learned(db) or LastLearned(at_ms))._replace(at_ms=at_ms))


def in_use_since(db: apsw.Connection) -> dict[str, int] | None:
    """By id, when each note came into use; None where no run has noted that."""
    noted = mark(db, IN_USE)
    return dict(json.loads(noted)) if noted else None


def put_in_use_since(db: apsw.Connection, since_ms: Mapping[str, int]) -> None:
    put_mark(db, IN_USE, json.dumps(since_ms, sort_keys=True))


def last_run(db: apsw.Connection) -> LastRun | None:
    row = db.execute("SELECT mark, body FROM standing").fetchone()
    return LastRun(*row) if row else None


def put_last_run(db: apsw.Connection, row: LastRun) -> None:
    db.execute("INSERT OR REPLACE INTO standing VALUES (1, ?, ?)", row)


def forget_last_run(db: apsw.Connection) -> None:
    """For whoever changes the store by another way than a run."""
    db.execute("DELETE FROM standing")


class DeckChange(NamedTuple):
    scope: str
    session_id: int  # 0: notes of the scope


def deck_changes(db: apsw.Connection) -> list[DeckChange]:
    return [DeckChange(*row) for row in db.execute("SELECT scope, session_id FROM undealt")]


def forget_deck_changes(db: apsw.Connection) -> None:
    db.execute("DELETE FROM undealt")


def newest_in(db: apsw.Connection, repo: str, most: int) -> list[int]:
    """The sessions of a repository that began last."""
    query = """SELECT id FROM sessions WHERE repo = ?
               ORDER BY started_ms DESC, agent DESC, native_id DESC LIMIT ?"""
    return [row[0] for row in db.execute(query, (repo, most))]


class NewTask(NamedTuple):
    """What a session of people was asked first."""

    started_ms: int
    task: str
    branch: str


def newest_tasks(db: apsw.Connection, repo: str, most: int) -> list[NewTask]:
    """Those of the sessions in a repository that began last."""
    query = """SELECT started_ms, task, branch FROM sessions WHERE repo = ? AND task <> '' AND parent = ''
               ORDER BY started_ms DESC, agent DESC, native_id DESC LIMIT ?"""
    return [NewTask(row[0] or 0, row[1], row[2]) for row in db.execute(query, (repo, most))]


def count_stories(db: apsw.Connection, repo: str, agent: str) -> int:
    """How many sessions there, or of that agent where no repository is named, came out of no other, by the kept
    counts."""
    place = "repo = :repo" if repo else "agent = :agent" if agent else "TRUE"
    query = f"SELECT ifnull(sum(stories), 0) FROM session_places WHERE {place}"  # noqa: S608
    return int(db.execute(query, {"repo": repo, "agent": agent}).get)
