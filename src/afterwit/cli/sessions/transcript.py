"""A session as lines for people: who said what, what was done and how it ended, subagents behind a bar.

    10:02 ❯ a prompt          ● a reply         ∴ a thought       ※ a notice
    10:02 ◆ told by us        ◇ not told, on purpose
    10:03 ✓ succeeded         ✗ failed          ⊘ denied          ◌ cancelled      · not known      ! probably failed

Texts arrive redacted. On a terminal they are wrapped, and long ones folded unless everything is asked for; in a pipe
nothing is wrapped. Pure: lines in the order of the scenes, made as they are asked for.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import click
import msgspec

from afterwit.cli.terminal.output import cells, cut, wrap
from afterwit.config.calendar import Calendar
from afterwit.model.captured import ActionRow
from afterwit.model.figures import human_count, human_dollars, human_span, human_tokens
from afterwit.model.kinds import EventKind, Lean, Status
from afterwit.recall.holdout import CHECK, REPEATED
from afterwit.recall.tellings import said_at
from afterwit.redaction.hygiene import clean
from afterwit.sessions.cost import Spending
from afterwit.sessions.filters import one_line
from afterwit.sessions.show import (
    Begins,
    CopiedEvents,
    EarlierMoments,
    Ends,
    GoneTexts,
    Scene,
    SessionMoment,
    Telling,
    ToldInAll,
    from_home,
    target_line,
)
from afterwit.store.rows.session_list import SessionRow

_CLOCK = 6  # cells of the column of times
_KIND = 9  # of the column of kinds
_SPAN_FROM_MS = 1_000  # shorter actions do not show how long they took
_LONGEST = 400_000  # characters of a text that are laid out at all where it is folded anyway
_MARKS = {
    EventKind.PROMPT: "❯",
    EventKind.REPLY: "●",
    EventKind.THOUGHT: "∴",
    EventKind.NOTICE: "※",
    EventKind.MODEL_ERROR: "✗",
    EventKind.RESULT: "↳",
}
_COLOURS: dict[EventKind, dict[str, Any]] = {
    EventKind.PROMPT: {"bold": True, "fg": "cyan"},
    EventKind.THOUGHT: {"dim": True, "italic": True},
    EventKind.NOTICE: {"dim": True},
    EventKind.RESULT: {"dim": True},
    EventKind.MODEL_ERROR: {"fg": "red"},
    EventKind.COMPACTION: {"dim": True},
}
_SPEECH = (EventKind.PROMPT, EventKind.REPLY)
_FOLD, _FOLD_SPEECH = 12, 30  # lines
_ENDS = {
    Status.SUCCEEDED: ("✓", {"fg": "green"}),
    Status.FAILED: ("✗", {"fg": "red"}),
    Status.DENIED: ("⊘", {"fg": "yellow"}),
    Status.CANCELLED: ("◌", {"fg": "yellow"}),
    Status.UNKNOWN: ("·", {}),
}
_ACTS = {"refuse": "refused a command", "rewrite": "ran another command", CHECK: "stopped a call"}
_PROBABLY_FAILED = ("!", {"fg": "yellow"})


class Look(NamedTuple):
    """How to draw. A width of None is that of a pipe."""

    calendar: Calendar
    width: int | None = None
    has_colour: bool = False
    is_full: bool = False
    number: str = ""  # of the moment that was asked for: it is marked, and shown whole


def draw(scenes: Iterable[Scene], look: Look, spending: Spending | None = None) -> Iterator[str]:
    """The lines of a transcript, with its heading."""
    return _Drawing(look, spending).lines(scenes)


class _Drawing:
    def __init__(self, look: Look, spending: Spending | None) -> None:
        self._look = look
        self._spending = spending
        self._clock = ""
        self._day = ""
        self._folders: list[str] = []  # of the sessions under way
        self._is_whole = look.is_full
        self._before = ""  # what the last line belonged to, for the blank lines between

    def lines(self, scenes: Iterable[Scene]) -> Iterator[str]:
        for depth, what in scenes:
            match what:
                case Begins(session):
                    yield from self._begin(session, depth)
                case Ends(session):
                    yield from self._end(session, depth)
                case CopiedEvents(events):
                    copied = human_count(events, "event")
                    yield from self._separator(f"{copied} copied from elsewhere left out", depth)
                case EarlierMoments(moments):
                    told = human_count(moments, "earlier moment")
                    yield from self._separator(f"{told} left out; without --at all are shown", depth)
                case GoneTexts(reason):
                    yield from self._separator("texts gone from the archive; what the database knows follows", depth)
                    yield from self._block("※", reason, depth, None, EventKind.NOTICE)
                case SessionMoment():
                    yield from self._moment(what, depth)
                case Telling():
                    yield from self._note_lines(what, depth)
                case ToldInAll():
                    yield ""
                    yield from wrap(_count_tellings(what), self._look.width)

    def _begin(self, session: SessionRow, depth: int) -> Iterator[str]:
        self._folders.append(session.cwd)
        if depth == 0:
            self._day = self._look.calendar.day(session.started_ms)
            yield from self._heading(session)
            return
        name = f"subagent {session.origin}".rstrip()
        self._before = "begin"
        yield from self._block("┌", self._one_line(f"{name}: {session.task}", depth - 1), depth - 1, None, None)
        self._before = "begin"

    def _end(self, session: SessionRow, depth: int) -> Iterator[str]:
        self._folders.pop()
        if depth == 0:
            return
        spent = [*_did(session), f"{human_tokens(session.tokens)} tokens"] if session.tokens else _did(session)
        self._before = "begin"
        yield from self._block("└", " · ".join(spent), depth - 1, None, None)
        self._before = "action"

    def _one_line(self, text: str, depth: int) -> str:
        return cut(clean(one_line(text, 300)), self._room(depth))

    def _room(self, depth: int) -> int | None:
        """Cells for a text behind clock, bars and mark."""
        return None if self._look.width is None else self._look.width - _CLOCK - 2 * depth - 2

    def _heading(self, session: SessionRow) -> Iterator[str]:
        width = self._look.width
        title = one_line(session.title or session.task, 300) or "(no title)"
        yield self._style(cut(clean(title), width), {"bold": True})
        for parts in _facts(session, self._spending, self._look.calendar):
            for line in wrap(clean(" · ".join(part for part in parts if part)), width):
                yield self._style(line, {"dim": True})

    def _moment(self, moment: SessionMoment, depth: int) -> Iterator[str]:
        day = self._look.calendar.day(moment.at_ms)
        if day and day != self._day:
            self._day = day
            yield from self._separator(day, depth)
        if moment.number and moment.number == self._look.number and depth == 0:
            yield from self._separator(f"match {moment.number}", depth)
            self._is_whole = True
        yield from self._speech(moment, depth)
        self._is_whole = self._look.is_full

    def _speech(self, moment: SessionMoment, depth: int) -> Iterator[str]:
        if moment.kind is EventKind.CALL:
            yield from self._call(moment, depth)
        elif moment.kind is EventKind.INTERRUPT:
            yield from self._separator("interrupted", depth, moment.at_ms)
        elif moment.kind is EventKind.COMPACTION:
            yield from self._separator("the context was compacted", depth, moment.at_ms)
            if moment.text:
                yield from self._block(" ", moment.text, depth, None, moment.kind)
        elif moment.text is None:
            if moment.kind is EventKind.PROMPT:
                yield from self._block("❯", "(the text is gone)", depth, moment.at_ms, moment.kind)
        elif moment.text.strip():
            yield from self._block(_MARKS[moment.kind], moment.text, depth, moment.at_ms, moment.kind)

    def _note_lines(self, telling: Telling, depth: int) -> Iterator[str]:
        """Whole, whatever is folded elsewhere: it is what was asked for."""
        moment = said_at(telling.moment, telling.act)
        where = f" in the subagent {telling.context}" if telling.context else ""
        waits = "" if telling.is_learned else " (not learned yet)"
        if telling.act == REPEATED:
            yield from self._block(
                "◆", f"the call was made again{where}{waits}, and passed", depth, telling.at_ms, None
            )
        if telling.text:
            act = _ACTS.get(telling.act, "told")
            yield from self._block("◆", f"{act} {moment}{where}{waits}:\n{telling.text}", depth, telling.at_ms, None)
        if telling.withheld:
            why = "the session is" if telling.is_session_skipped else "these notes are"
            head = f"not told {moment}{where}{waits}: {why} skipped on purpose, to compare"
            yield from self._block("◇", f"{head}\n{telling.withheld}", depth, telling.at_ms, None)

    def _call(self, moment: SessionMoment, depth: int) -> Iterator[str]:
        action = moment.action
        if action is None:
            yield from self._block("·", moment.tool, depth, moment.at_ms, None)
            return
        mark, style = _PROBABLY_FAILED if action.lean == Lean.FAILED else _ENDS[Status(action.status)]
        head, tail = f"{action.kind:<{_KIND}}{target_line(action, self._folders[-1])}", _how_it_ended(action)
        room = self._room(depth)
        shown = f"{cut(head, None if room is None else room - cells(tail) - 2)}  {tail}".rstrip()
        yield from self._gap("action", depth)
        yield self._line(moment.at_ms, depth, self._style(mark, style), shown)
        if self._is_whole:
            yield from self._lines(_arguments(moment), depth, {})
        if action.error:
            yield from self._lines(action.error, depth, style)

    def _block(self, mark: str, text: str, depth: int, at_ms: int | None, kind: EventKind | None) -> Iterator[str]:
        """A text behind its mark, wrapped, folded if it is long."""
        yield from self._gap("action" if kind is EventKind.RESULT else f"block {mark}", depth)
        style = _COLOURS.get(kind, {}) if kind else {}
        first, *rest = self._laid_out(text, depth, (_FOLD_SPEECH if kind in _SPEECH else _FOLD) if kind else None)
        yield self._line(at_ms, depth, self._style(mark, style), self._style(first, style))
        for line in rest:
            yield self._line(None, depth, " ", self._style(line, style))

    def _lines(self, text: str, depth: int, style: dict[str, Any]) -> Iterator[str]:
        for line in self._laid_out(text, depth, _FOLD) if text else ():
            yield self._line(None, depth, " ", self._style(line, style))

    def _laid_out(self, text: str, depth: int, fold: int | None) -> list[str]:
        room = self._room(depth)
        if self._is_whole or fold is None:
            return wrap(text.strip("\n"), room)
        lines = wrap(text[:_LONGEST].strip("\n"), room)
        if len(lines) <= fold + 2:
            return lines
        hidden = len(lines) - fold + text.count("\n", _LONGEST)
        return [*lines[:fold], f"… {hidden:,} more lines (--full shows them)"]

    def _separator(self, text: str, depth: int, at_ms: int | None = None) -> Iterator[str]:
        yield from self._gap("separator", depth)
        room = (self._look.width or 80) - _CLOCK - 2 * depth
        dashes = max(2, room - len(text) - 4)
        yield self._line(at_ms, depth, "", self._style(f"── {text} {'─' * dashes}", {"dim": True}))

    def _gap(self, group: str, depth: int) -> Iterator[str]:
        """A blank line between blocks; actions stand together."""
        is_new = not (group == self._before == "action" or self._before == "begin")
        self._before = group
        if is_new:
            yield self._line(None, depth, "", "")

    def _line(self, at_ms: int | None, depth: int, mark: str, text: str) -> str:
        clock = self._look.calendar.clock(at_ms)
        shown = clock if clock != self._clock else ""
        self._clock = clock or self._clock
        bar = self._style("│ " * depth, {"dim": True})
        return f"{self._style(f'{shown:<{_CLOCK}}', {'dim': True})}{bar}{mark}{' ' if mark else ''}{text}".rstrip()

    def _style(self, text: str, style: dict[str, Any]) -> str:
        return click.style(text, **style) if self._look.has_colour and style and text.strip() else text


def _count_tellings(told: ToldInAll) -> str:
    if told.told or told.skipped:
        skipped = f", and {told.skipped:,} more skipped on purpose, to compare (◇)" if told.skipped else ""
        moments = human_count(told.told, "moment")
        checked = f" Checks stopped {human_count(told.stopped, 'call')}: {told.stopped - told.repeated:,} obeyed,"
        checked = f"{checked} {told.repeated:,} made again." if told.stopped else ""
        return f"Told something at {moments} (◆){skipped}. What it had been told already was not said again.{checked}"
    if told.has_called:
        return "This session was told nothing: its hooks called, and there was nothing to say."
    return (
        f"This session was told nothing: no hook of {told.agent} called in it."
        " `afterwit connect status` shows what is connected."
    )


def _facts(session: SessionRow, spending: Spending | None, calendar: Calendar) -> Iterator[tuple[str, ...]]:
    versions = msgspec.json.decode(session.versions or "[]", type=list[str])
    models = msgspec.json.decode(session.models or "[]", type=list[str])
    yield f"{session.agent} {' '.join(versions[-1:])}".strip(), ", ".join(models)
    yield session.repo, session.branch, from_home(session.cwd)
    begin, end = session.started_ms, session.ended_ms
    span = None if begin is None or end is None else end - begin
    yield calendar.moment(begin) or "no date", human_span(span), *_did(session), *_spent(session, spending)
    origin = f"{session.relation} of {session.parent}" if session.parent else ""
    yield f"session {session.native_id}", origin, "prompts only" if session.is_partial else ""


def _did(session: SessionRow) -> list[str]:
    counts = [human_count(session.prompts, "prompt")] if session.prompts else []
    counts.append(human_count(session.actions, "action"))
    return [*counts, f"{session.failures:,} failed"] if session.failures else counts


def _spent(session: SessionRow, spending: Spending | None) -> list[str]:
    if not session.tokens:
        return []
    cost = [human_dollars(spending.cost_usd, is_partial=spending.is_partial)] if spending else []
    return [f"{human_tokens(session.tokens)} tokens", *cost]


def _how_it_ended(action: ActionRow) -> str:
    """How it ended, where the mark alone does not say it, and how long it took, where that was long."""
    code = f"exit {action.exit_code}" if action.exit_code and action.status == Status.FAILED else ""
    word = action.status if action.status in (Status.DENIED, Status.CANCELLED) else ""
    is_long = action.duration_ms is not None and action.duration_ms >= _SPAN_FROM_MS
    return "  ".join(part for part in (word, code, human_span(action.duration_ms) if is_long else "") if part)


def _arguments(moment: SessionMoment) -> str:
    lines: list[str] = []
    for name, value in (moment.arguments or {}).items():
        text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        lines.append(f"{name}:\n{text}" if "\n" in text else f"{name}: {text}")
    return "\n".join(lines)
