"""Rows that extras need: what this machine knows of hubs, verdicts on fixes, and what was decided about patterns and
skills.

Of hubs these are lines there, own ones that wait to be sent, cursors, and what changed; `hub` says which hub, in which
team, as whom. Losing these costs a sync from the beginning, and nothing else. The others follow from entries of the
journal; of several verdicts on a commit the latest counts, in whatever order the entries of several machines come.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

import apsw
import msgspec

from afterwit.model.guards import CheckedFix, GuardVerdict
from afterwit.store.database import columns_of, insert_into, json_list
from afterwit.store.decisions import JournalEntry, PatternEntry

ITEM = "item"
DIGEST = "digest"


class HubLinesRow(NamedTuple):
    """What one machine says about one note."""

    hub: str
    repo: str
    note: str
    member: str
    machine: str
    clock_ms: int  # the latest of its lines; 0: it has none
    body: bytes  # lines of JSON
    is_sent: int
    is_taken: int


class HubCursor(NamedTuple):
    hub: str
    repo: str
    tick: int = 0
    number: int = 0
    digest_number: int = 0
    looked_ms: int = 0
    rules: str = ""


class SentDigest(NamedTuple):
    session_id: int
    name: str
    mark: bytes


class SessionSums(NamedTuple):
    """What was done in a repository, counted."""

    sessions: int
    successes: int
    prompts: int
    actions: int
    failures: int
    tokens: int


class NamedSession(NamedTuple):
    id: int
    agent: str
    native_id: str


_LINES = columns_of(HubLinesRow)


def put_hub_lines(db: apsw.Connection, rows: Iterable[HubLinesRow]) -> None:
    db.executemany(insert_into("hub_lines", _LINES, "INSERT OR REPLACE"), rows)


def hub_lines(db: apsw.Connection, hub: str, repo: str, notes: Iterable[str] | None = None) -> list[HubLinesRow]:
    """What is said about these notes, or about all."""
    which = "" if notes is None else "AND note IN (SELECT value FROM json_each(?))"
    query = f"SELECT {_LINES} FROM hub_lines WHERE hub = ? AND repo = ? {which}"  # noqa: S608
    values = (hub, repo) if notes is None else (hub, repo, json_list(notes))
    return [HubLinesRow(*row) for row in db.execute(query, values)]


def own_lines_at(db: apsw.Connection, row: HubLinesRow) -> HubLinesRow | None:
    """What is kept in the place of a row."""
    query = f"""SELECT {_LINES} FROM hub_lines WHERE hub = ? AND repo = ? AND note = ? AND member = ?
                AND machine = ?"""  # noqa: S608
    present = db.execute(query, row[:5]).fetchone()
    return HubLinesRow(*present) if present else None


def untaken_notes(db: apsw.Connection, hub: str, repo: str, after_ms: int) -> list[str]:
    """Notes of which something has not been taken in yet, or has a time after this moment."""
    query = """SELECT note FROM hub_lines INDEXED BY hub_lines_untaken
               WHERE hub = :hub AND repo = :repo AND is_taken = 0
               UNION SELECT note FROM hub_lines INDEXED BY hub_lines_by_clock
               WHERE hub = :hub AND repo = :repo AND clock_ms > :after_ms"""
    return [row[0] for row in db.execute(query, {"hub": hub, "repo": repo, "after_ms": after_ms})]


def mark_taken(db: apsw.Connection, hub: str, repo: str) -> None:
    query = """UPDATE hub_lines INDEXED BY hub_lines_untaken SET is_taken = 1
               WHERE hub = ? AND repo = ? AND is_taken = 0"""
    db.execute(query, (hub, repo))


def unsent_lines(db: apsw.Connection, hub: str, repo: str, limit: int) -> list[HubLinesRow]:
    query = f"""SELECT {_LINES} FROM hub_lines INDEXED BY hub_lines_unsent WHERE hub = ? AND repo = ? AND is_sent = 0
                ORDER BY note LIMIT ?"""  # noqa: S608
    return [HubLinesRow(*row) for row in db.execute(query, (hub, repo, limit))]


def unsend_all(db: apsw.Connection, hub: str, repo: str, member: str, machine: str) -> None:
    """All own lines are to be sent again."""
    query = "UPDATE hub_lines SET is_sent = 0 WHERE hub = ? AND repo = ? AND member = ? AND machine = ?"
    db.execute(query, (hub, repo, member, machine))


def latest_clock(db: apsw.Connection, hub: str, repo: str, until_ms: int) -> int:
    query = "SELECT ifnull(max(clock_ms), 0) FROM hub_lines WHERE hub = ? AND repo = ? AND clock_ms <= ?"
    return int(db.execute(query, (hub, repo, until_ms)).get)


def hub_cursor(db: apsw.Connection, hub: str, repo: str) -> HubCursor:
    query = f"SELECT {columns_of(HubCursor)} FROM hub_cursors WHERE hub = ? AND repo = ?"  # noqa: S608
    row = db.execute(query, (hub, repo)).fetchone()
    return HubCursor(*row) if row else HubCursor(hub, repo)


def put_hub_cursor(db: apsw.Connection, row: HubCursor) -> None:
    db.execute(insert_into("hub_cursors", columns_of(HubCursor), "INSERT OR REPLACE"), row)


def last_change(db: apsw.Connection) -> int:
    return int(db.execute("SELECT ifnull(max(number), 0) FROM hub_changes").get)


def changes_since(db: apsw.Connection, kind: str, number: int) -> list[str]:
    """The names of what changed after the change with this number."""
    query = "SELECT name FROM hub_changes INDEXED BY hub_changes_by_number WHERE number > ? AND kind = ?"
    return [row[0] for row in db.execute(query, (number, kind))]


def digests_sent(
    db: apsw.Connection, hub: str, repo: str, sessions: Sequence[int] | None = None
) -> dict[int, SentDigest]:
    """Those of these sessions, or all."""
    which = "" if sessions is None else "AND session_id IN (SELECT value FROM json_each(?))"
    query = f"SELECT session_id, name, mark FROM hub_digests WHERE hub = ? AND repo = ? {which}"  # noqa: S608
    values = (hub, repo) if sessions is None else (hub, repo, json_list(sessions))
    return {row[0]: SentDigest(*row) for row in db.execute(query, values)}


def put_sent_digests(db: apsw.Connection, hub: str, repo: str, rows: Iterable[SentDigest]) -> None:
    db.executemany("INSERT OR REPLACE INTO hub_digests VALUES (?, ?, ?, ?, ?)", ((hub, repo, *row) for row in rows))


def forget_sent_digests(db: apsw.Connection, hub: str, repo: str, sessions: Iterable[int]) -> None:
    query = "DELETE FROM hub_digests WHERE hub = ? AND repo = ? AND session_id = ?"
    db.executemany(query, ((hub, repo, session) for session in sessions))


def sessions_with_digest(db: apsw.Connection, repo: str, sessions: Sequence[int] | None = None) -> list[NamedSession]:
    """Of these sessions, or of all, those in the repository that have a digest."""
    which = "" if sessions is None else "AND sessions.id IN (SELECT value FROM json_each(?))"
    query = f"""SELECT sessions.id, agent, native_id FROM sessions JOIN digests ON session_id = sessions.id
                WHERE repo = ? {which} ORDER BY sessions.id"""  # noqa: S608
    return [
        NamedSession(*row) for row in db.execute(query, (repo,) if sessions is None else (repo, json_list(sessions)))
    ]


def session_sums(db: apsw.Connection, repo: str) -> SessionSums:
    query = """SELECT count(*), ifnull(sum(outcome = 'success'), 0), ifnull(sum(prompts), 0), ifnull(sum(actions), 0),
                   ifnull(sum(failures), 0), ifnull(sum(tokens_input + tokens_cache_read + tokens_cache_write
                   + tokens_output), 0) FROM sessions WHERE repo = ? AND relation <> 'subagent'"""
    return SessionSums(*db.execute(query, (repo,)).fetchone() or (0,) * 6)


_VERDICT = msgspec.json.Decoder(GuardVerdict)


def put_verdict(db: apsw.Connection, at_ms: int, body: Mapping[str, Any]) -> None:
    """A verdict on a fix, unless a later one is there."""
    text = msgspec.json.encode(body, order="deterministic").decode()
    db.execute(
        """INSERT INTO guard_verdicts (commit_id, repo, checked_ms, body) VALUES (?, ?, ?, ?)
           ON CONFLICT (commit_id) DO UPDATE SET repo = excluded.repo, checked_ms = excluded.checked_ms,
           body = excluded.body WHERE excluded.checked_ms >= guard_verdicts.checked_ms""",
        (body["commit"], body["repo"], at_ms, text),
    )


def verdicts(db: apsw.Connection) -> dict[str, GuardVerdict]:
    """All verdicts, by commit."""
    rows = db.execute("SELECT commit_id, body FROM guard_verdicts ORDER BY commit_id")
    return {commit: _VERDICT.decode(body) for commit, body in rows}


def fix_checks(db: apsw.Connection) -> list[CheckedFix]:
    """All verdicts with the time of the check, by commit."""
    rows = db.execute("SELECT body, checked_ms FROM guard_verdicts ORDER BY commit_id")
    return [CheckedFix(_VERDICT.decode(body), checked_ms) for body, checked_ms in rows]


def put_pattern_decision(db: apsw.Connection, entry: JournalEntry) -> None:
    db.execute(insert_into("pattern_decisions", columns_of(JournalEntry), "INSERT OR REPLACE"), entry.row)


def pattern_entries(db: apsw.Connection) -> list[JournalEntry]:
    """The entries of the journal about patterns, in the order in which they count."""
    query = "SELECT machine, number, at_ms, kind, body FROM pattern_decisions ORDER BY at_ms, machine, number"
    return [JournalEntry.from_row(*row) for row in db.execute(query)]


def put_skill_decision(db: apsw.Connection, entry: JournalEntry) -> None:
    columns = f"{columns_of(JournalEntry)}, trial"
    values = (*entry.row, str(entry.body["trial"]))
    db.execute(insert_into("skill_decisions", columns, "INSERT OR REPLACE"), values)


def skill_entries(db: apsw.Connection) -> list[JournalEntry]:
    """The entries of the journal about versions of skills, in the order in which they count."""
    query = "SELECT machine, number, at_ms, kind, body FROM skill_decisions ORDER BY at_ms, machine, number"
    return [JournalEntry.from_row(*row) for row in db.execute(query)]


def has_skill_decisions(db: apsw.Connection) -> bool:
    return db.execute("SELECT 1 FROM skill_decisions LIMIT 1").fetchone() is not None


class PublishedForm(StrEnum):
    """As what a pattern goes out."""

    NOTE = "note"
    SKILL = "skill"
    BLOCK = "block"


class PublishedVersion(NamedTuple):
    """A version of a pattern, under the name by which sessions show it: the id of a note, the name of a skill."""

    name: str
    pattern: str
    version: str
    at_ms: int


def versions_published(recorded: Iterable[JournalEntry], form: PublishedForm) -> list[PublishedVersion]:
    """All that were ever published in this form, in the order of the journal."""
    return [
        PublishedVersion(str(entry.body["name"]), pattern, str(version), entry.at_ms)
        for entry in recorded
        if entry.kind == PatternEntry.PUBLISHED and entry.body["form"] == form
        for pattern, version in entry.body["patterns"].items()
    ]
