"""Takes in what hooks left in the spool: draws through the journal, calls and faults straight into the database.

Idempotent: a record that was taken in before a run died, and comes again, is known by its key. Everything is redacted
and cleaned on the way, although hooks leave out what could be a secret. Records that make no sense are counted, not
stored. Files stay for a while after the session's last word, because hooks look up in them what it was told.

To take in the end of a session is not to read the session. So what tells of an end comes again, until a run that has
read all sessions that ended says so with `acknowledge_ends`.
"""

from typing import Any, NamedTuple, TypeVar

import msgspec

from afterwit.capture.assembly.texts import safe_text
from afterwit.decisions.journal import DRAWN, catch_up, decide
from afterwit.guard.redaction import Redactor
from afterwit.model.learn_run import WantedSession
from afterwit.store import spool
from afterwit.store.database import transaction
from afterwit.store.rows import hooks
from afterwit.store.rows.hooks import CallRow, FaultRow
from afterwit.store.spool import Batch, Spooled
from afterwit.store.steps import step
from afterwit.store.store import Store

KEPT_DAYS = 14
_DAY_S = 86_400
_NAME_LIMIT = 200
_TEXT_LIMIT = 20_000
_MOST_DRAWS = 200  # in one entry of the journal
R = TypeVar("R", bound=msgspec.Struct)


class Taken(NamedTuple):
    """What came in."""

    draws: int = 0
    calls: int = 0
    faults: int = 0
    ended: tuple[WantedSession, ...] = ()
    bad: int = 0  # lines that could not be read, and records that make no sense
    with_ends: tuple[Batch, ...] = ()  # not acknowledged: they tell of the ends

    def plus(self, other: "Taken") -> "Taken":
        sums = (one + two for one, two in zip(self, other, strict=True))  # type: ignore[operator]
        return Taken(*sums)


class _Draw(msgspec.Struct):
    at: int
    agent: str
    session: str
    moment: str
    items: dict[str, int]
    context: str = ""
    repo: str = ""
    act: str = ""
    held: int = 0
    text: str = ""
    would: str = ""
    signature: str = ""


class _Call(msgspec.Struct):
    at: int
    agent: str
    session: str
    tool: str
    status: str
    target: str = ""
    context: str = ""
    call: str = ""
    summary: str = ""


class _Fault(msgspec.Struct):
    at: int
    agent: str
    event: str
    error: str
    where: str = ""
    said: str = ""


class _Ending(msgspec.Struct):
    agent: str
    session: str
    transcript: str = ""


def take_in(store: Store, redactor: Redactor, now_ms: int) -> Taken:
    """Takes in all that waits, file by file, and removes files of sessions that have been silent for long."""
    catch_up(store)
    total = Taken()
    for batch in spool.drain(store.layout.spool):
        taken = _take(store, redactor, batch, now_ms)
        total = total.plus(taken)
        step("a batch of the spool is stored, not acknowledged")
        if not taken.with_ends:
            spool.acknowledge(batch)
    spool.prune(store.layout.spool, now_ms / 1000 - KEPT_DAYS * _DAY_S)
    return total


def acknowledge_ends(taken: Taken) -> None:
    """For a run that has read all sessions that ended."""
    for batch in taken.with_ends:
        step("a session that ended is read, its end not acknowledged")
        spool.acknowledge(batch)


def _take(store: Store, redactor: Redactor, batch: Batch, now_ms: int) -> Taken:
    by_kind: dict[str, list[Spooled]] = {}
    for record in batch.records:
        by_kind.setdefault(str(record.body.get("kind")), []).append(record)
    drawn = _converted(by_kind.get("draw", ()), _Draw)
    called = _converted(by_kind.get("tool", ()), _Call)
    failed = _converted(by_kind.get("fault", ()), _Fault)
    ended = _converted(by_kind.get("ended", ()), _Ending)
    _journal_draws(store, redactor, drawn, now_ms)
    with transaction(store.db):
        hooks.put_calls(store.db, [_call_row(redactor, key, one) for key, one in called])
        hooks.put_faults(store.db, [_fault_row(redactor, key, one) for key, one in failed])
    tried = sum(len(by_kind.get(kind, ())) for kind in ("draw", "tool", "fault", "ended"))
    bad = batch.bad_lines + tried - len(drawn) - len(called) - len(failed) - len(ended)
    endings = tuple(WantedSession(one.agent, one.session, one.transcript) for _, one in ended)
    return Taken(len(drawn), len(called), len(failed), endings, bad, (batch,) if endings else ())


def _converted(records: "list[Spooled] | tuple[()]", kind: type[R]) -> list[tuple[bytes, R]]:
    """The records that have the shape they should have."""
    found: list[tuple[bytes, R]] = []
    for record in records:
        try:
            found.append((record.key, msgspec.convert(record.body, kind)))
        except msgspec.ValidationError:
            continue
    return found


def _journal_draws(store: Store, redactor: Redactor, drawn: list[tuple[bytes, _Draw]], now_ms: int) -> None:
    known = hooks.known_draws(store.db, [key for key, _ in drawn])
    new = [_draw_body(redactor, key, one) for key, one in drawn if key not in known]
    for start in range(0, len(new), _MOST_DRAWS):
        decide(store, DRAWN, {"draws": new[start : start + _MOST_DRAWS]}, now_ms)


def _draw_body(redactor: Redactor, key: bytes, one: _Draw) -> dict[str, Any]:
    """As the journal holds it, without what is empty."""
    named = {
        name: safe_text(getattr(one, name), redactor, _NAME_LIMIT) for name in ("agent", "session", "moment", "act")
    }
    named |= {name: safe_text(getattr(one, name), redactor, _NAME_LIMIT) for name in ("context", "repo", "signature")}
    texts = {name: safe_text(getattr(one, name), redactor, _TEXT_LIMIT) for name in ("text", "would")}
    filled = {name: value for name, value in (named | texts).items() if value}
    always = {"agent": named["agent"], "session": named["session"], "moment": named["moment"]}
    return {"key": key.hex(), "at": one.at, "held": one.held, "items": one.items, **always, **filled}


def _call_row(redactor: Redactor, key: bytes, one: _Call) -> CallRow:
    names = (one.call, one.tool, one.target, one.status, one.summary)
    call, tool, target, status, summary = (safe_text(name, redactor, _NAME_LIMIT) for name in names)
    agent, session, context = (safe_text(name, redactor, _NAME_LIMIT) for name in (one.agent, one.session, one.context))
    return CallRow(key, agent, session, context, one.at, call, tool, target, status, summary)


def _fault_row(redactor: Redactor, key: bytes, one: _Fault) -> FaultRow:
    names = (one.agent, one.event, one.error, one.where, one.said)
    agent, event, error, where, said = (safe_text(name, redactor, _NAME_LIMIT) for name in names)
    return FaultRow(key, agent, event, one.at, error, where, said)
