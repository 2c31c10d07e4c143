"""When each note is told to sessions: at their start, a prompt, an activity, after a failure, or never.

What is told at a start is read from the deck, and the rest comes from the very functions that fill it, so that what a
list says of a note is what hooks do. A note that is told at several moments is named with the first of them.
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

import apsw
import msgspec

from afterwit.agents.hook_payloads import ACTIVITY, AFTER, ASKED, BEFORE, PROMPT, RECALL, START
from afterwit.config.world import World
from afterwit.knowledge.brief import ENTRIES, pages_of
from afterwit.knowledge.door.listeners import listener_here
from afterwit.knowledge.shown_items import may_be_told_to
from afterwit.model.brief import Line
from afterwit.model.knowledge import Item, ItemStatus
from afterwit.recall.deck.firing_lines import answers, is_called, is_touched, lines_of
from afterwit.recall.deck.reader import Deck
from afterwit.recall.holdout import CHECK, REPEATED
from afterwit.recall.recall import speaking_items
from afterwit.sessions.originals import TranscriptSource
from afterwit.sessions.show import Begins, Ends, Scene, SessionMoment, Telling, ToldInAll
from afterwit.store.decisions import in_force
from afterwit.store.rows.hooks import DrawRow, draws_of_session, live_calls
from afterwit.store.rows.items import recorded_about
from afterwit.store.rows.session_list import SessionRow
from afterwit.store.spool import records_of
from afterwit.store.store import readonly_database


class ToldWhen(StrEnum):
    """The first moment at which a session hears of a note."""

    START = "at start"
    PROMPT = "at prompt"
    ACTIVITY = "at first edit, test, commit"
    FAILURE = "after a failure"
    NEVER = "never"


def told_when(world: World, notes: Iterable[Item] | None = None) -> dict[str, ToldWhen]:
    """By the ids of these notes, or of all; what is not among them is told never."""
    with readonly_database(world.layout) as db:
        return told_in(db, world, notes)


def told_in(db: apsw.Connection, world: World, notes: Iterable[Item] | None = None) -> dict[str, ToldWhen]:
    """The same, for whoever has the store open."""
    to = listener_here(db, world)
    told = speaking_items(db, to) if notes is None else [item for item in notes if may_be_told_to(item, to)]
    moments = _by_trigger(told)
    heads = {name: item.id for item in told for name in (item.id, *item.merged)}
    start = _at_start(world)
    for page in pages_of(in_force(recorded_about(db, (), ENTRIES))).values():
        for line in page.lines:
            when = ToldWhen.START if line.heading and line.id in start else _first_moment(line)
            for name in filter(None, map(heads.get, line.notes if when is not ToldWhen.NEVER else ())):
                moments[name] = min(when, moments.get(name, when), key=list(ToldWhen).index)
    return moments | {item.id: ToldWhen.START for item in told if item.id in start}


def _at_start(world: World) -> frozenset[str]:
    """The lines of all start blocks that hooks have. Without a deck they have none."""
    try:
        return Deck(str(world.layout.deck)).told_at_start()
    except (ValueError, apsw.Error):
        return frozenset()


def _first_moment(line: Line) -> ToldWhen:
    """When a line on demand is told."""
    if any(trigger.topic for trigger in line.triggers):
        return ToldWhen.PROMPT
    if any(trigger.activity or trigger.program for trigger in line.triggers):
        return ToldWhen.ACTIVITY
    return ToldWhen.FAILURE if line.triggers else ToldWhen.NEVER


def _by_trigger(items: Sequence[Item]) -> dict[str, ToldWhen]:
    """What fires at a prompt, an action or a failure by itself, of the lines that hooks have."""
    by_id = {item.id: item for item in items}
    moments: dict[str, ToldWhen] = {}
    for line in lines_of(items):
        item = by_id[line.item]
        is_active = item.status is ItemStatus.ACTIVE
        if is_active and any(trigger.topic for trigger in item.triggers):
            moments[item.id] = ToldWhen.PROMPT
        elif is_active and any(
            trigger.activity is not None or is_called(item, trigger) or is_touched(item, trigger)
            for trigger in item.triggers
        ):
            moments[item.id] = ToldWhen.ACTIVITY
        elif any(answers(item, trigger) for trigger in line.triggers):
            moments[item.id] = ToldWhen.FAILURE
    return moments


def tellings(source: TranscriptSource, session: SessionRow) -> list[Telling]:
    """In the order in which they happened."""
    from afterwit.recall.spooled import draws_in  # which writes, too

    stored = draws_of_session(source.store.db, session.agent, session.native_id)
    spooled = draws_in(records_of(source.store.layout.spool, session.agent, session.native_id), source.redactor)
    keys = {draw.key for draw in stored}
    waiting = [draw for draw in spooled if draw.key not in keys]
    drawn = [_make_telling(source, draw, is_learned=draw.key in keys) for draw in (*stored, *waiting)]
    return sorted(drawn, key=lambda telling: telling.at_ms)


def with_tellings(source: TranscriptSource, session: SessionRow, told: Iterator[Scene]) -> Iterator[Scene]:
    """The scenes of a session with what it was told where it was told, and a summary at its beginning."""
    waiting = tellings(source, session)
    summary = ToldInAll(
        told=sum(bool(telling.text) for telling in waiting),
        skipped=sum(not telling.text and telling.act != REPEATED for telling in waiting),
        stopped=sum(telling.act == CHECK and bool(telling.text) for telling in waiting),
        repeated=sum(telling.act == REPEATED for telling in waiting),
        has_called=bool(waiting) or _has_called(source, session),
        agent=session.agent,
    )
    for scene in told:
        if isinstance(scene.what, SessionMoment) and scene.what.at_ms is not None:
            due = [telling for telling in waiting if _is_due(telling, scene, scene.what.at_ms)]
            waiting = [telling for telling in waiting if telling not in due]
            yield from (Scene(scene.depth, telling) for telling in due)
        elif scene.depth == 0 and isinstance(scene.what, Ends):
            yield from (Scene(0, telling) for telling in waiting)
        yield scene
        if scene.depth == 0 and isinstance(scene.what, Begins):
            yield Scene(0, summary)


def _is_due(telling: Telling, scene: Scene, at_ms: int) -> bool:
    """What a subagent was told stands among what it did; what the session was told, only there."""
    return telling.at_ms < at_ms and (scene.depth == 0 or bool(telling.context))


def _has_called(source: TranscriptSource, session: SessionRow) -> bool:
    """Whether any hook noted anything of the session."""
    name = session.agent, session.native_id
    return bool(live_calls(source.store.db, *name) or records_of(source.store.layout.spool, *name))


def _make_telling(source: TranscriptSource, draw: DrawRow, *, is_learned: bool) -> Telling:
    text, would = source.redactor.text(draw.text), source.redactor.text(draw.would)
    items = msgspec.json.decode(draw.items, type=dict[str, int])
    return Telling(
        at_ms=draw.at_ms,
        moment=draw.moment,
        act=draw.act,
        context=draw.context,
        text=text,
        withheld=kept_back(text, would),
        is_session_skipped=bool(draw.is_held),
        told=[item for item, is_shown in items.items() if is_shown],
        skipped=[item for item, is_shown in items.items() if not is_shown],
        is_learned=is_learned,
    )


def kept_back(text: str, would: str) -> str:
    """The lines that would have been said besides those that were."""
    said = set(text.splitlines())
    return "\n".join(line for line in would.splitlines() if line not in said)


_WORDS = {
    START: "at the start of a session",
    PROMPT: "with a prompt",
    BEFORE: "before a command",
    AFTER: "after a failure",
    RECALL: "when it asked",
    ASKED: "when it asked",
}
_ACTS = {
    ACTIVITY: "at a first edit, test or commit",
    "refuse": "by refusing a command",
    CHECK: "by a check",
    REPEATED: "by a check",
    "rewrite": "by rewriting a command",
}


def said_at(moment: str, act: str = "") -> str:
    """The moment in words; of what was told with an action, whether that had to fail."""
    return _ACTS.get(act) or _WORDS.get(moment, moment)
