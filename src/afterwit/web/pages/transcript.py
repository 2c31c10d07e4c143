"""One session as a page: windows of moments that load as one scrolls, prompts to jump between, calls folded.

The order of a session is worked out once and kept for the latest few. What Afterwit told the session stands where it
was told, with what was kept from it. Without JavaScript the windows are pages with links.
"""

import difflib
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import Any, NamedTuple

from afterwit.actions.changes import SpanChange, changes_of
from afterwit.model.errors import UsageError
from afterwit.model.kinds import CHANGES
from afterwit.recall.blame import blame_lines, moment_of, standing
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
from afterwit.web.pages.sessions import choices, session_asked

_MOST_LINES = 400
_HEADING = 2  # lines of a diff that name two files
_SIGNS = {"+": "added", "-": "removed", "@": "place", "*": "place"}


class ShownLine(NamedTuple):
    kind: str  # added, removed, place, or "" for what stays
    text: str


def changes_in(arguments: Mapping[str, Any] | None) -> list[ShownLine]:
    """What a call changes, file by file where it changes several; nothing where its arguments do not say so."""
    changes = changes_of(arguments)
    is_named = len({change.path for change in changes}) > 1
    lines: list[ShownLine] = []
    for path, same in groupby(changes, key=lambda change: change.path):
        lines += [ShownLine("place", path)] if is_named else []
        lines += (line for change in same for line in _diff(change))
    if len(lines) > _MOST_LINES:
        return [*lines[:_MOST_LINES], ShownLine("place", "… more lines")]
    return lines


def diff_lines(lines: Iterable[str]) -> list[ShownLine]:
    """Lines of a patch, each by its sign."""
    return [ShownLine(_SIGNS.get(line[:1], ""), line) for line in lines]


def _diff(change: SpanChange) -> Iterator[ShownLine]:
    before, after = change.before[:_MOST_LINES], change.after[:_MOST_LINES]
    lines = difflib.unified_diff(before, after, n=2, lineterm="")
    yield from diff_lines(islice(lines, _HEADING, None))


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
    is_change = moment.action is not None and moment.action.kind in CHANGES
    return ShownScene(moment, [], [], changes_in(moment.arguments) if is_change else [], target, "")


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


def _blame(ask: Ask) -> WebAnswer:
    """Who wrote the lines of a file in a checkout; with a session, what of its lines still stands."""
    repo, file = ask.first("repo"), ask.first("file")
    with source_of(ask.world) as source:
        row = session_of(source.store.db, ask.first("agent"), ask.first("session"))
        files = blame_lines(source, ask.world, None, file, repo) if repo and file else []
        runs = [(run, moment_of(source, run.edit) if run.edit else "") for blamed in files for run in blamed.runs]
        stands = standing(source, ask.world, row) if row else []
    return render(
        ask,
        "blame.html",
        repo=row.repo if row else repo,
        file=file,
        runs=runs,
        row=row,
        stands=stands,
        choices=choices(ask),
    )


ROUTES = (
    WebRoute("/blame", _blame),
    WebRoute("/session", _by_id),
    WebRoute("/sessions/{agent}/{session:path}", _show),
    WebRoute("/prompts/{agent}/{session:path}", _prompts),
    WebRoute("/moment/{agent}/{session:path}", _moment),
)
