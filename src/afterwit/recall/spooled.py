"""Takes in what hooks left in the spool: draws through the journal, calls and faults straight into the database.

Idempotent: a record that was taken in before a run died, and comes again, is known by its key. Everything is redacted
and cleaned on the way, although hooks leave out what could be a secret. Records that make no sense are counted, not
stored. Files stay for a while after the session's last word, because hooks look up in them what it was told.

To take in the end of a session is not to read the session. So what tells of an end comes again, until a run that has
read all sessions that ended says so with `acknowledge_ends`.
"""

import operator
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

import msgspec

from afterwit.capture.assembly.texts import safe_telling, safe_text
from afterwit.model.learn_run import WantedSession
from afterwit.recall.history import DRAW
from afterwit.redaction.redaction import Redactor
from afterwit.store import spool
from afterwit.store.atomic import step
from afterwit.store.database import transaction
from afterwit.store.decide import DRAWN, catch_up, decide
from afterwit.store.rows import hooks
from afterwit.store.rows.erased import keys_of_erased, session_key
from afterwit.store.rows.hooks import CallRow, DrawRow, FaultRow
from afterwit.store.spool import Batch, Spooled
from afterwit.store.store import Store

KEPT_DAYS = 14
_DAY_S = 86_400
_NAME_LIMIT = 200
_LIMITS = {"text": 20_000, "would": 20_000}  # of what was told, or would have been
_ALWAYS = ("at", "held", "items", "agent", "session", "moment")  # in the journal, empty or not
_AS_IT_IS = frozenset(
    ("agent", "session", "context", "repo", "moment", "act", "text", "would", "arm", "item_odds", "took_ms")
)
_UNREAD = "…"  # stands for a text that nobody redacted
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
        return Taken(*map(operator.add, self, other))


class _Draw(msgspec.Struct, kw_only=True):
    """In the order in which the journal has it."""

    at: int
    held: int = 0
    items: dict[str, int]
    arm: str = ""
    odds: dict[str, float] = {}
    item_odds: float | None = None
    took_ms: int | None = msgspec.field(name="ms", default=None)
    agent: str
    session: str
    moment: str
    act: str = ""
    context: str = ""
    repo: str = ""
    signature: str = ""
    text: str = ""
    would: str = ""


class _Call(msgspec.Struct, kw_only=True):
    """A `CallRow` but for its key."""

    at_ms: int = msgspec.field(name="at")
    agent: str
    session: str
    tool: str
    status: str
    target: str = ""
    context: str = ""
    call_id: str = msgspec.field(name="call", default="")
    summary: str = ""


class _Fault(msgspec.Struct, kw_only=True):
    """A `FaultRow` but for its key."""

    at_ms: int = msgspec.field(name="at")
    agent: str
    event: str
    error: str
    place: str = msgspec.field(name="where", default="")
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


def draws_in(records: Iterable[Spooled], redactor: Redactor | None = None) -> list[DrawRow]:
    """The draws among what hooks noted, as they will be stored; without a redactor, without their texts."""
    spoken = [record for record in records if record.body.get("kind") == DRAW]
    return [_draw_row(key, draw, redactor) for key, draw in _converted(spoken, _Draw)]


def _draw_row(key: bytes, draw: _Draw, redactor: Redactor | None) -> DrawRow:
    values = msgspec.structs.asdict(draw) if redactor is None else _safe(draw, redactor)
    if redactor is None:
        values |= {name: _UNREAD if values[name] else "" for name in _LIMITS}
    return DrawRow(
        key=key,
        at_ms=draw.at,
        is_held=int(bool(draw.held)),
        items=msgspec.json.encode(draw.items).decode(),
        odds=msgspec.json.encode(draw.odds).decode(),
        **{name: values[name] for name in DrawRow._fields if name in _AS_IT_IS},
    )


def acknowledge_ends(taken: Taken) -> None:
    """For a run that has read all sessions that ended."""
    for batch in taken.with_ends:
        step("a session that ended is read, its end not acknowledged")
        spool.acknowledge(batch)


def _take(store: Store, redactor: Redactor, batch: Batch, now_ms: int) -> Taken:
    by_kind: dict[str, list[Spooled]] = {}
    gone = keys_of_erased(store.db)
    for record in batch.records:
        if session_key(str(record.body.get("agent")), str(record.body.get("session"))) in gone:
            continue
        by_kind.setdefault(str(record.body.get("kind")), []).append(record)
    drawn = _converted(by_kind.get(DRAW, ()), _Draw)
    called = _converted(by_kind.get("tool", ()), _Call)
    failed = _converted(by_kind.get("fault", ()), _Fault)
    ended = _converted(by_kind.get("ended", ()), _Ending)
    _journal_draws(store, redactor, drawn, now_ms)
    with transaction(store.db):
        hooks.put_calls(store.db, [CallRow(key=key, **_safe(call, redactor)) for key, call in called])
        hooks.put_faults(store.db, [FaultRow(key=key, **_safe(fault, redactor)) for key, fault in failed])
    tried = sum(len(by_kind.get(kind, ())) for kind in ("draw", "tool", "fault", "ended"))
    bad = batch.bad_lines + tried - len(drawn) - len(called) - len(failed) - len(ended)
    endings = tuple(WantedSession(ending.agent, ending.session, ending.transcript) for _, ending in ended)
    return Taken(len(drawn), len(called), len(failed), endings, bad, (batch,) if endings else ())


def _converted(records: Sequence[Spooled], kind: type[R]) -> list[tuple[bytes, R]]:
    """The records that have the shape they should have."""
    converted: list[tuple[bytes, R]] = []
    for record in records:
        with suppress(msgspec.ValidationError):
            converted.append((record.key, msgspec.convert(record.body, kind)))
    return converted


def _journal_draws(store: Store, redactor: Redactor, drawn: list[tuple[bytes, _Draw]], now_ms: int) -> None:
    stored = hooks.keys_of_draws(store.db, [key for key, _ in drawn])
    new = [_draw_body(redactor, key, draw) for key, draw in drawn if key not in stored]
    for start in range(0, len(new), _MOST_DRAWS):
        decide(store, DRAWN, {"draws": new[start : start + _MOST_DRAWS]}, now_ms)


def _draw_body(redactor: Redactor, key: bytes, draw: _Draw) -> dict[str, Any]:
    """As the journal holds it, without what is empty."""
    values = _safe(draw, redactor)
    filled = {name: value for name, value in values.items() if value or name in _ALWAYS}
    return {"key": key.hex(), **filled}


def _safe(record: msgspec.Struct, redactor: Redactor) -> dict[str, Any]:
    """The fields of a record, its texts redacted, clean and of bounded length."""
    values = msgspec.structs.asdict(record)
    return {
        name: _safe_text(name, value, redactor) if isinstance(value, str) else value for name, value in values.items()
    }


def _safe_text(name: str, text: str, redactor: Redactor) -> str:
    if name in _LIMITS:
        return safe_telling(text, redactor, _LIMITS[name])
    return safe_text(text, redactor, _NAME_LIMIT)
