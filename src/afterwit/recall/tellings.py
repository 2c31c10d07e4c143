"""What a session was told: its draws, those that `learn` has taken in and those that still wait in the spool, as people
see them among what happened; and the moments of telling in words.
"""

from collections.abc import Iterator

import msgspec

from afterwit.agents.hook_payloads import ACTIVITY, AFTER, ASKED, BEFORE, PROMPT, RECALL, START
from afterwit.recall.holdout import CHECK, REPEATED
from afterwit.sessions.originals import TranscriptSource
from afterwit.sessions.show import Begins, Ends, Scene, SessionMoment, Telling, ToldInAll
from afterwit.store.rows.hooks import DrawRow, draws_of_session, live_calls
from afterwit.store.rows.session_list import SessionRow
from afterwit.store.spool import records_of


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
