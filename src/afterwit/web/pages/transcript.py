"""One session as a page: windows of moments that load as one scrolls, prompts to jump between, calls folded.

The order of a session is worked out once and kept for the latest few. What Afterwit told the session stands where it
was told, with what was kept from it. Without JavaScript the windows are pages with links.
"""

import difflib
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from afterwit.model.errors import UsageError
from afterwit.recall.tellings import said_at, tellings
from afterwit.sessions.cost import spending_of
from afterwit.sessions.filters import find_session, one_line, short_id
from afterwit.sessions.list import Session
from afterwit.sessions.originals import TranscriptSource, source_of
from afterwit.sessions.show import Telling, safe_row, target_line
from afterwit.sessions.windows import OutlineMoment, SessionOutline, WindowMoment, outline, window
from afterwit.store.rows.files import is_pinned
from afterwit.store.rows.session_list import SessionRow, session_of, subagents_of
from afterwit.store.store import readonly_database
from afterwit.web.answering import Ask, WebAnswer, WebRoute, redirect, render, session_path, with_fields
from afterwit.web.pages.sessions import session_asked

_OLD = ("old_string", "old_str", "oldText", "old_text", "oldString")
_NEW = ("new_string", "new_str", "newText", "new_text", "newString")
_PATCH = ("patch", "input", "diff")
_STARTS = ("*** Begin Patch", "diff --git", "--- ", "@@ ")
_MOST_LINES = 400
_SIGNS = {"+": "added", "-": "removed", "@": "place", "*": "place"}


class ShownLine(NamedTuple):
    kind: str  # added, removed, place, or "" for what stays
    text: str


def changes_in(arguments: Mapping[str, Any] | None) -> list[ShownLine]:
    """What a call changes; nothing where its arguments do not say so."""
    if not arguments:
        return []
    lines: list[ShownLine] = []
    for pair in (arguments, *_inner_calls(arguments)):
        old, new = _first_text(pair, _OLD), _first_text(pair, _NEW)
        if old is not None and new is not None:
            lines += _diff(old, new)
    if not lines:
        patch = _first_text(arguments, _PATCH)
        if patch is not None and patch.lstrip().startswith(_STARTS):
            lines = diff_lines(patch.splitlines()[: _MOST_LINES + 1])
    if len(lines) > _MOST_LINES:
        return [*lines[:_MOST_LINES], ShownLine("place", "… more lines")]
    return lines


def diff_lines(lines: Iterable[str]) -> list[ShownLine]:
    """Lines of a patch, each by its sign."""
    return [ShownLine(_SIGNS.get(line[:1], ""), line) for line in lines]


def _inner_calls(arguments: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Several replacements that one call makes."""
    for value in arguments.values():
        if isinstance(value, list):
            yield from (entry for entry in value if isinstance(entry, Mapping))


def _first_text(arguments: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    return next((arguments[name] for name in names if isinstance(arguments.get(name), str)), None)


def _diff(old: str, new: str) -> Iterator[ShownLine]:
    before, after = old.splitlines()[:_MOST_LINES], new.splitlines()[:_MOST_LINES]
    lines = difflib.unified_diff(before, after, n=2, lineterm="")
    yield from diff_lines(line for line in lines if not line.startswith(("---", "+++")))


WINDOW = 60
LONGEST = 6_000
_BEFORE = 3  # moments that are shown before the one that was asked for
_KEPT_OUTLINES = 6
_MOST_PROMPTS = 300
_PROMPT_CHARS = 110


class ShownScene(NamedTuple):
    """One line of the transcript: a moment with what belongs to it."""

    moment: WindowMoment
    tellings: list[Telling]  # that came before it
    subagents: list[SessionRow]  # that it started
    changes: list[ShownLine]  # that an edit makes
    target: str  # of a call, in one line
    day: str  # where a new one begins


def _show(ask: Ask) -> WebAnswer:
    with source_of(ask.world) as source:
        row = session_asked(ask, source)
        plan = _outline(ask, source, row)
        first = _first(ask, plan)
        parts = _window(ask, source, row, plan, first)
        if ask.is_fragment:
            return render(ask, "transcript_window.html", **parts)
        children = subagents_of(source.store.db, row.agent, row.native_id)
        parent = session_of(source.store.db, row.agent, row.parent) if row.parent else None
        return render(
            ask,
            "transcript.html",
            session=Session(
                safe_row(source, row),
                id=short_id(source.store.db, row.native_id),
                is_pinned=is_pinned(source.store.db, row.agent, row.native_id),
                spending=spending_of(source.store.db, ask.world.settings, row),
            ),
            parent=parent,
            children=[safe_row(source, child) for child in children],
            prompts=len(plan.prompts),
            failures=len(plan.failures),
            said_at=said_at,
            **{name: value for name, value in parts.items() if name != "said_at"},
        )


def _window(ask: Ask, source: TranscriptSource, row: SessionRow, plan: SessionOutline, first: int) -> dict[str, Any]:
    last = min(len(plan.moments), first + WINDOW)
    shown_moments = window(source, row, plan, range(first, last), LONGEST)
    path = session_path(row.agent, row.native_id)
    return {
        "scenes": list(_scenes(ask, source, row, plan, first, shown_moments)),
        "path": path,
        "row": row,
        "first": first,
        "last": last,
        "total": len(plan.moments),
        "earlier": with_fields(path, {}, **{"from": max(0, first - WINDOW)}) if first else "",
        "later": with_fields(path, {}, **{"from": last}) if last < len(plan.moments) else "",
        "asked": ask.first("at"),
        "wanted": _number_asked(ask, plan),
        "next_prompt": _beyond(plan, plan.prompts, last),
        "next_failure": _beyond(plan, plan.failures, last),
        "said_at": said_at,
    }


def _number_asked(ask: Ask, plan: SessionOutline) -> str:
    """The number of the moment that was asked for; of an output, that of its call."""
    place = plan.place_of(ask.first("at")) if ask.first("at") else None
    return "" if place is None else plan.moments[place].number


def _beyond(plan: SessionOutline, places: list[int], last: int) -> str:
    """The number of the first of these that lies behind the window."""
    at = bisect_left(places, last)
    return plan.moments[places[at]].number if at < len(places) else ""


def _scenes(
    ask: Ask, source: TranscriptSource, row: SessionRow, plan: SessionOutline, first: int, moments: list[WindowMoment]
) -> Iterator[ShownScene]:
    waiting = _due(tellings(source, row), plan, first, first + len(moments))
    children = [safe_row(source, child) for child in subagents_of(source.store.db, row.agent, row.native_id)]
    day = ask.world.calendar.day(_time_before(plan.moments, first))
    for moment in moments:
        at_ms = moment.at.at_ms
        due = [telling for telling in waiting if at_ms is not None and telling.at_ms < at_ms]
        waiting = [telling for telling in waiting if telling not in due]
        today = ask.world.calendar.day(at_ms) or day
        started = [child for child in children if moment.call_id and child.parent_call == moment.call_id]
        yield _scene(moment, row.cwd)._replace(tellings=due, subagents=started, day=today if today != day else "")
        day = today


def _scene(moment: WindowMoment, folder: str) -> ShownScene:
    target = moment.tool if moment.action is None else target_line(moment.action, folder)
    return ShownScene(moment, [], [], changes_in(moment.arguments), target, "")


def _due(told: list[Telling], plan: SessionOutline, first: int, last: int) -> list[Telling]:
    """What was told between this window and those around it."""
    begin = _time_before(plan.moments, first) if first else None
    end = _time_before(plan.moments, last) if last < len(plan.moments) else None
    return [
        telling
        for telling in told
        if (begin is None or telling.at_ms >= begin) and (end is None or telling.at_ms < end)
    ]


def _time_before(moments: Sequence[OutlineMoment], place: int) -> int | None:
    return next((m.at_ms for m in reversed(moments[max(0, place - WINDOW) : place]) if m.at_ms is not None), None)


def _first(ask: Ask, plan: SessionOutline) -> int:
    """Where the window begins: at a number, at a time, or at a place."""
    if number := ask.first("at"):
        place = plan.place_of(number)
        if place is None:
            raise UsageError(f"This session has no moment {number!r}.")
        return max(0, place - _BEFORE)
    if when := ask.number("when_s"):
        return max(0, plan.place_at(when * 1000) - _BEFORE)
    return min(ask.number("from"), max(0, len(plan.moments) - 1))


def _outline(ask: Ask, source: TranscriptSource, row: SessionRow) -> SessionOutline:
    """Worked out once for a session as long as it does not grow."""
    kept: dict[tuple[int, int, int | None], SessionOutline] = ask.kept.setdefault("outlines", {})
    key = (row.id, row.events, row.ended_ms)
    plan = kept.pop(key, None)
    if plan is None:
        plan = outline(source, row)
    kept[key] = plan
    while len(kept) > _KEPT_OUTLINES:
        kept.pop(next(iter(kept)), None)
    return plan


def _prompts(ask: Ask) -> WebAnswer:
    """The prompts of a session, to jump to."""
    with source_of(ask.world) as source:
        row = session_asked(ask, source)
        plan = _outline(ask, source, row)
        places = plan.prompts[:_MOST_PROMPTS]
        listed = [
            (moment.at, one_line(moment.said.text or "(the text is gone)", _PROMPT_CHARS))
            for moment in window(source, row, plan, places, _PROMPT_CHARS * 5)
        ]
    return render(
        ask,
        "prompts_part.html" if ask.is_fragment else "prompts.html",
        row=row,
        path=session_path(row.agent, row.native_id),
        prompts=listed,
        more=len(plan.prompts) - len(listed),
    )


def _moment(ask: Ask) -> WebAnswer:
    """One moment with all of its text."""
    with source_of(ask.world) as source:
        row = session_asked(ask, source)
        plan = _outline(ask, source, row)
        place = plan.place_of(ask.first("at"))
        if place is None:
            raise UsageError(f"This session has no moment {ask.first('at')!r}.")
        (moment,) = window(source, row, plan, [place], 0)
    scene = _scene(moment, row.cwd)
    return render(
        ask, "moment.html", row=row, path=session_path(row.agent, row.native_id), scene=scene, said_at=said_at
    )


def _by_id(ask: Ask) -> WebAnswer:
    """A session by its id or the beginning of it."""
    with readonly_database(ask.world.layout) as db:
        row = find_session(db, ask.first("id"))
    return redirect(session_path(row.agent, row.native_id))


ROUTES = (
    WebRoute("/session", _by_id),
    WebRoute("/sessions/{agent}/{session:path}", _show),
    WebRoute("/prompts/{agent}/{session:path}", _prompts),
    WebRoute("/moment/{agent}/{session:path}", _moment),
)
