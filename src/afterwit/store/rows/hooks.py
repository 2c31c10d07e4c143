"""Rows of what hooks left behind: draws with exposures, calls that they saw, their faults; and the shares of the
hold-out.

Every row has the key of its record in the spool, so that a record that comes twice is stored once. The shares (which
part of the sessions gets nothing, and which part of the items a session does not get) are chosen by people, so that an
effect can be told from chance, and applied from the journal.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import apsw
import msgspec

from afterwit.model.figures import human_count
from afterwit.store.database import columns_of, insert_into
from afterwit.store.rows.items import ExposureRow, put_exposure

UNKNOWN_AGENT = "mcp"  # in draws of the MCP server: a client that is none we know
_FAULT_LIMIT = 1_000  # rows that are kept: the latest say enough


class Shares(NamedTuple):
    """What is held out, and the experiment that somebody started last."""

    session_share: float = 0.1
    item_share: float = 0.1
    since_ms: int = 0  # 0: nobody has chosen
    arms: tuple[str, ...] = ()  # of the experiment, while it is under way
    compared: tuple[str, ...] = ()  # its arms, also when it is over
    started_ms: int = 0
    stopped_ms: int = 0


class DrawRow(NamedTuple):
    key: bytes
    agent: str
    session: str
    context: str
    repo: str
    moment: str
    act: str
    at_ms: int
    is_held: int
    items: str
    text: str
    would: str
    arm: str
    odds: str
    item_odds: float | None
    took_ms: int | None


class DrawnSession(NamedTuple):
    """A session for which something was drawn, and whether it is one that gets nothing."""

    agent: str
    session: str
    is_held: int


class CallRow(NamedTuple):
    key: bytes
    agent: str
    session: str
    context: str
    at_ms: int
    call_id: str
    tool: str
    target: str
    status: str
    summary: str


class FaultRow(NamedTuple):
    key: bytes
    agent: str
    event: str
    at_ms: int
    error: str
    place: str
    said: str


def keys_of_draws(db: apsw.Connection, keys: Iterable[bytes]) -> set[bytes]:
    """Those of the keys whose draws are stored."""
    query = "SELECT 1 FROM draws WHERE key = ?"
    return {key for key in keys if db.execute(query, (key,)).fetchone()}


def put_draw(db: apsw.Connection, body: Mapping[str, Any]) -> None:
    """One draw as the journal has it, and an exposure for each of its items."""
    items = {str(item): int(bool(is_shown)) for item, is_shown in body["items"].items()}
    row = DrawRow(
        key=bytes.fromhex(body["key"]),
        agent=body["agent"],
        session=body["session"],
        context=body.get("context", ""),
        repo=body.get("repo", ""),
        moment=body["moment"],
        act=body.get("act", ""),
        at_ms=body["at"],
        is_held=int(bool(body.get("held"))),
        items=msgspec.json.encode(items, order="sorted").decode(),
        text=body.get("text", ""),
        would=body.get("would", ""),
        arm=body.get("arm", ""),
        odds=msgspec.json.encode(body.get("odds", {}), order="sorted").decode(),
        item_odds=body.get("item_odds"),
        took_ms=body.get("took_ms"),
    )
    db.execute(insert_into("draws", columns_of(DrawRow), "INSERT OR IGNORE"), row)
    for item, is_shown in items.items():
        put_exposure(db, ExposureRow(row.agent, row.session, item, row.moment, row.at_ms, is_shown))


def draws(db: apsw.Connection) -> list[DrawRow]:
    return draws_of_runs(db, "")


def draws_of_runs(db: apsw.Connection, beginning: str) -> list[DrawRow]:
    """The draws of sessions whose id begins so."""
    query = f"""SELECT {columns_of(DrawRow)} FROM draws
                WHERE substr(session, 1, length(:beginning)) = :beginning ORDER BY at_ms, key"""  # noqa: S608
    return [DrawRow(*row) for row in db.execute(query, {"beginning": beginning})]


def draws_since(db: apsw.Connection, since_ms: int) -> Iterator[DrawRow]:
    """In order of time, one by one: their texts may be many."""
    query = f"SELECT {columns_of(DrawRow)} FROM draws WHERE at_ms >= ? ORDER BY at_ms, key"  # noqa: S608
    return (DrawRow(*row) for row in db.execute(query, (since_ms,)))


def draws_of_session(db: apsw.Connection, agent: str, session: str) -> list[DrawRow]:
    query = f"SELECT {columns_of(DrawRow)} FROM draws WHERE agent = ? AND session = ? ORDER BY at_ms, key"  # noqa: S608
    return [DrawRow(*row) for row in db.execute(query, (agent, session))]


def has_draws(db: apsw.Connection) -> bool:
    return db.execute("SELECT 1 FROM draws LIMIT 1").fetchone() is not None


def last_told(db: apsw.Connection) -> DrawRow | None:
    """The latest draw with which anything was said."""
    query = f"SELECT {columns_of(DrawRow)} FROM draws WHERE text <> '' ORDER BY at_ms DESC, key LIMIT 1"  # noqa: S608
    row = db.execute(query).fetchone()
    return DrawRow(*row) if row else None


def count_tellings(db: apsw.Connection, beginning: str) -> dict[str, int]:
    """In how many sessions each item was told whose name begins so; 0 where it was drawn and held out in all."""
    query = """SELECT item, count(DISTINCT iif(is_shown, agent || char(0) || session, NULL)) FROM exposures
               WHERE item >= :beginning AND item < :beginning || char(1114111) GROUP BY item"""
    return {str(item): int(count) for item, count in db.execute(query, {"beginning": beginning})}


def sessions_drawn(db: apsw.Connection, since_ms: int) -> set[DrawnSession]:
    query = f"SELECT DISTINCT {columns_of(DrawnSession)} FROM draws WHERE at_ms >= ?"  # noqa: S608
    return {DrawnSession(*row) for row in db.execute(query, (since_ms,))}


def put_calls(db: apsw.Connection, rows: Iterable[CallRow]) -> None:
    db.executemany(insert_into("live_calls", columns_of(CallRow), "INSERT OR IGNORE"), rows)


def live_calls(db: apsw.Connection, agent: str, session: str) -> list[CallRow]:
    query = f"SELECT {columns_of(CallRow)} FROM live_calls WHERE agent = ? AND session = ? ORDER BY at_ms, key"  # noqa: S608
    return [CallRow(*row) for row in db.execute(query, (agent, session))]


def latest_calls(db: apsw.Connection) -> dict[str, int]:
    """When the hooks of each agent left a record last."""
    query = """SELECT agent, max(at_ms) FROM (
                   SELECT agent, at_ms FROM draws WHERE moment NOT IN ('recall', 'asked')
                   UNION ALL SELECT agent, at_ms FROM live_calls
                   UNION ALL SELECT agent, at_ms FROM hook_faults)
               GROUP BY agent"""
    return {str(agent): int(at_ms) for agent, at_ms in db.execute(query)}


def sessions_since(db: apsw.Connection, agent: str, since_ms: int) -> int:
    """How many sessions of an agent with actions in them, and that are nobody's subagent, began after that."""
    query = """SELECT count(*) FROM sessions
               WHERE agent = :agent AND started_ms > :since AND parent = '' AND actions > 0"""
    return int(db.execute(query, {"agent": agent, "since": since_ms}).get)


def put_faults(db: apsw.Connection, rows: Iterable[FaultRow]) -> None:
    """Adds faults, and lets go of the oldest beyond the limit."""
    db.executemany(insert_into("hook_faults", columns_of(FaultRow), "INSERT OR IGNORE"), rows)
    db.execute(
        """DELETE FROM hook_faults WHERE key IN
           (SELECT key FROM hook_faults ORDER BY at_ms DESC, key LIMIT -1 OFFSET ?)""",
        (_FAULT_LIMIT,),
    )


def faults(db: apsw.Connection, since_ms: int = 0) -> list[FaultRow]:
    query = f"SELECT {columns_of(FaultRow)} FROM hook_faults WHERE at_ms >= ? ORDER BY at_ms, key"  # noqa: S608
    return [FaultRow(*row) for row in db.execute(query, (since_ms,))]


def shares(db: apsw.Connection) -> Shares:
    row = db.execute(f"SELECT {columns_of(Shares)} FROM experiment").fetchone()  # noqa: S608
    if row is None:
        return Shares()
    session_share, item_share, since_ms, arms, compared, *times = row
    return Shares(session_share, item_share, since_ms, _names(arms), _names(compared), *times)


def put_shares(db: apsw.Connection, chosen: Shares) -> None:
    values = [msgspec.json.encode(value).decode() if isinstance(value, tuple) else value for value in chosen]
    db.execute(insert_into("experiment", f"id, {columns_of(Shares)}", "INSERT OR REPLACE"), (1, *values))


def _names(stored: str) -> tuple[str, ...]:
    return msgspec.json.decode(stored, type=tuple[str, ...])


class CheckUse(NamedTuple):
    """What a check did in live sessions."""

    sessions: int  # in which it stopped a call
    stopped: int
    repeated: int  # calls that were made again all the same

    @property
    def obeyed(self) -> int:
        return max(0, self.stopped - self.repeated)

    @property
    def in_words(self) -> str:
        where = f"{human_count(self.stopped, 'call')} in {human_count(self.sessions, 'session')}"
        return f"stopped {where}: {self.obeyed:,} obeyed, {self.repeated:,} made again"


def uses_of_checks(db: apsw.Connection) -> dict[str, CheckUse]:
    """By check, of what was not held out."""
    query = """SELECT entry.key, count(DISTINCT iif(act = 'check', agent || char(0) || session, NULL)),
                      sum(act = 'check'), sum(act = 'repeated')
               FROM draws, json_each(draws.items) AS entry
               WHERE act IN ('check', 'repeated') AND NOT is_held GROUP BY entry.key"""
    return {str(item): CheckUse(*map(int, counts)) for item, *counts in db.execute(query)}
