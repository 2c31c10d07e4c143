"""Takes in what hooks left in the spool: draws through the journal, calls and faults straight into the database.

Idempotent: a record that was taken in before a run died, and comes again, is known by its key. Everything is redacted
and cleaned on the way, although hooks leave out what could be a secret. Records that make no sense are counted, not
stored. Files stay for a while after the session's last word, because hooks look up in them what it was told.

To take in the end of a session is not to read the session. So what tells of an end comes again, until a run that has
read all sessions that ended says so with `acknowledge_ends`.
"""

import operator
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

import apsw
import msgspec

from afterwit.agents.hook_payloads import RECALL, RUN
from afterwit.capture.assembly.texts import safe_telling, safe_text
from afterwit.config.world import World
from afterwit.model.learn_run import WantedSession
from afterwit.recall.holdout import DRAW, History, Odds, holdout_key, is_told, odds_for
from afterwit.redaction.redaction import Redactor
from afterwit.store import spool
from afterwit.store.atomic import step
from afterwit.store.database import transaction
from afterwit.store.decide import DRAWN, catch_up, decide
from afterwit.store.layout import redaction_key
from afterwit.store.rows import hooks
from afterwit.store.rows.erased import keys_of_erased, session_key
from afterwit.store.rows.hooks import UNKNOWN_AGENT, CallRow, DrawRow, FaultRow, shares
from afterwit.store.spool import Batch, Spooled
from afterwit.store.spool_file import SpoolFile
from afterwit.store.store import Store

KEPT_DAYS = 14
_DAY_S = 86_400
_NAME_LIMIT = 200
_LIMITS = {"text": 20_000, "would": 20_000}  # of what was told, or would have been
_ALWAYS = ("at", "held", "items", "agent", "session", "moment")  # in the journal, empty or not
_AS_IT_IS = frozenset(
    ("agent", "session", "context", "repo", "moment", "act", "text", "would", "arm", "item_odds", "took_ms")
)
_UNREAD = "…"  # stands for each letter of a text that nobody redacted
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
    return [_draw_row(key, draw, redactor) for key, draw in _convert(spoken, _Draw)]


def _draw_row(key: bytes, draw: _Draw, redactor: Redactor | None) -> DrawRow:
    values = msgspec.structs.asdict(draw) if redactor is None else _safe(draw, redactor)
    if redactor is None:
        values |= {name: _UNREAD * len(values[name]) for name in _LIMITS}
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
    drawn = _convert(by_kind.get(DRAW, ()), _Draw)
    called = _convert(by_kind.get("tool", ()), _Call)
    failed = _convert(by_kind.get("fault", ()), _Fault)
    ended = _convert(by_kind.get("ended", ()), _Ending)
    _journal_draws(store, redactor, drawn, now_ms)
    with transaction(store.db):
        hooks.put_calls(store.db, [CallRow(key=key, **_safe(call, redactor)) for key, call in called])
        hooks.put_faults(store.db, [FaultRow(key=key, **_safe(fault, redactor)) for key, fault in failed])
    tried = sum(len(by_kind.get(kind, ())) for kind in ("draw", "tool", "fault", "ended"))
    bad = batch.bad_lines + tried - len(drawn) - len(called) - len(failed) - len(ended)
    endings = tuple(WantedSession(ending.agent, ending.session, ending.transcript) for _, ending in ended)
    return Taken(len(drawn), len(called), len(failed), endings, bad, (batch,) if endings else ())


def _convert(records: Sequence[Spooled], kind: type[R]) -> list[tuple[bytes, R]]:
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


_AGAIN_MS = 600_000
_SILENT_S = 6 * 3_600  # after so long without a word a session may be over without having said so


class Audience(NamedTuple):
    """To whom something is said, and what is drawn for it."""

    agent: str
    session: str
    repo: str
    key: bytes
    odds: Odds

    @property
    def arm(self) -> str:
        return self.odds.arm(self.key, self.agent, self.session)

    @property
    def is_held_out(self) -> bool:
        return not is_told(self.arm, RECALL)

    def hears(self, item: str) -> bool:
        """Whether it is to be told an item; "" stands for what no item is behind."""
        if self.is_held_out:
            return False
        return not item or not self.odds.leaves_out(self.key, self.agent, self.session, item)


def audience_of(db: apsw.Connection, world: World, agent: str, run: str, repo: str) -> Audience:
    """Who asks: the session, or the run where the session cannot be told."""
    name = agent or UNKNOWN_AGENT
    session = _session(world, name, repo) or run
    chosen = shares(db)
    noted = [record.body for record in spool.records_of(world.layout.spool, name, session)]
    odds = History(noted, "").odds or odds_for(chosen.session_share, chosen.item_share, chosen.arms)
    return Audience(name, session, repo, holdout_key(redaction_key(world.layout)), odds)


def note(world: World, to: Audience, moment: str, items: Mapping[str, bool], text: str, would: str = "") -> None:
    """Records what is given, and what would have been. The same again within minutes is one record: agents go in
    circles."""
    record: dict[str, object] = {"kind": DRAW, "at": world.now_ms, "agent": to.agent, "session": to.session}
    record |= {"repo": to.repo} if to.repo else {}
    record |= {"moment": moment, "items": {item: int(is_shown) for item, is_shown in items.items()}}
    record |= {"held": int(to.is_held_out), "arm": to.arm, "odds": to.odds.arms, "item_odds": to.odds.item}
    record |= {"text": text} | ({"would": would} if would != text else {})
    with SpoolFile(str(world.layout.spool), to.agent, to.session) as file:
        if not any(_is_same(earlier, record) for earlier in file.records()):
            file.append(record)


def _is_same(earlier: Mapping[str, object], record: Mapping[str, object]) -> bool:
    at, then = record["at"], earlier.get("at")
    is_recent = isinstance(at, int) and isinstance(then, int) and 0 <= at - then < _AGAIN_MS
    return is_recent and all(earlier.get(name) == record.get(name) for name in ("kind", "moment", "repo", "items"))


def _session(world: World, agent: str, repo: str) -> str:
    """The one session that it can be; "" where there is none, or more than one."""
    running = spool.under_way(world.layout.spool, agent, world.now_ms / 1000 - _SILENT_S)
    here = [session for session, repos in running.items() if repo in repos and not session.startswith(RUN)]
    return here[0] if repo and len(here) == 1 else ""
