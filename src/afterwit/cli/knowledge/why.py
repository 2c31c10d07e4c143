"""`afterwit knowledge why`: every piece of evidence behind an item."""

import datetime as dt
from collections.abc import Iterator
from itertools import chain
from typing import Any

import click
import msgspec

from afterwit.cli.commands import command
from afterwit.cli.knowledge.list import EXITS, item_shape, not_heard, silences
from afterwit.cli.terminal.options import Here, reporting, timed
from afterwit.cli.terminal.output import has_colour, page, print_json, terminal_width, wrap
from afterwit.config.calendar import Calendar
from afterwit.engine.curation.why import Backing, EvidenceSide, PersonTurn, Why, line_that_tells, line_with
from afterwit.engine.curation.why import why as run
from afterwit.knowledge.documents import WrittenEvidence, written
from afterwit.knowledge.door.listeners import who_listens
from afterwit.knowledge.whose_words import Listener
from afterwit.model.figures import human_count
from afterwit.model.knowledge import GIT, PERSON, Evidence, ItemStatus
from afterwit.redaction.hygiene import clean

_COMMIT_CHARS = 10


@command(
    examples=("afterwit knowledge why 3fa9c1", "afterwit knowledge why 3fa9c1 --json"),
    exits=EXITS,
)
@click.argument("item", metavar="NOTE")
@reporting
@timed
def why(here: Here, item: str, is_json: bool) -> None:
    """Show all evidence behind a note: where, when, and the words themselves.

    First what speaks for it, then what speaks against it. Of each excerpt the line that tells most stands out: bold on
    a terminal, behind a > elsewhere. Of your own words the whole turn is shown, with what the agent had said before and
    said next. Of files that change together the changes are shown. Below each piece stands how to open its session.
    NOTE is an id or the beginning of one; of a line of the brief the notes that it rests on are shown.
    """
    line = line_with(here.world, item)
    names = line.notes if line is not None else (item,)
    answers = [run(here.world, name, has_turns=not is_json) for name in names]
    if is_json:
        shapes = [_shape(answer) for answer in answers]
        print_json(shapes[0] if line is None else {"line": line.text, "notes": shapes})
        return
    width, to = terminal_width(), who_listens(here.world)
    rests_on = f"rests on {human_count(len(names), 'note')}:" if names else "a person's own line"
    heading = [] if line is None else [*wrap(clean(line.text), width), rests_on]
    told = ([*([""] if line else []), *why_lines(answer, to, here.calendar, width)] for answer in answers)
    page(chain(heading, *told))


def why_lines(answer: Why, to: Listener, calendar: Calendar, width: int | None) -> Iterator[str]:
    """The whole answer, line by line; a width of None is that of a pipe."""
    item = answer.item
    yield from wrap(clean(item.sentence), width)
    reason = "" if item.status is ItemStatus.ACTIVE else f": {item.reason or 'no reason noted'}"
    yield from wrap(clean(f"{item.status.in_words}, {item.rests_on}{reason}"), width)
    for reason in (*silences(item), *not_heard(item, to)):
        yield from wrap(clean(f"Not told: {reason}"), width)
    for is_against, heading in ((False, "For it"), (True, "Against it")):
        backings = [backing for backing in answer.evidence if backing.evidence.is_against is is_against]
        yield ""
        yield f"{heading}: {_count_side(answer.side(calendar, is_against=is_against), backings, calendar)}"
        for backing in backings:
            yield ""
            yield from _piece(answer, backing, calendar, width)
    for decision in answer.decisions:
        yield ""
        yield from wrap(clean(f"{calendar.moment(decision.at_ms)}  decided: {decision.what}"), width)


def _count_side(side: EvidenceSide, backings: list[Backing], calendar: Calendar) -> str:
    """How many sessions, and how far they lie apart: five of one day say less than five of a month."""
    parts = ["a person's own words"] if any(backing.evidence.session.agent == PERSON for backing in backings) else []
    if side.sessions:
        is_all = side.sessions == side.independent_sessions
        number = human_count(side.independent_sessions, "independent session")
        among = "" if is_all else f" ({human_count(side.sessions, 'session')} in all)"
        days = "on one day" if side.days == 1 else f"on {human_count(side.days, 'day')}" if side.days else ""
        parts.append(f"{number}{among} {days}".rstrip())
    span = " to ".join(dict.fromkeys(filter(None, map(calendar.day, (side.since_ms, side.last_ms)))))
    return (", and ".join(parts) + (f" ({span})" if span else "")) or "nothing"


def _piece(answer: Why, backing: Backing, calendar: Calendar, width: int | None) -> Iterator[str]:
    piece, session = backing.evidence, backing.evidence.session
    at = f", step {piece.at}" if piece.at is not None else ""
    repo = session.repo.rpartition("/")[2]
    place = "  ".join(filter(None, (calendar.moment(piece.at_ms or session.at_ms or None), session.agent, repo)))
    sign = "against" if piece.is_against else "for"
    yield from wrap(clean(f"{place}  {sign}, {piece.channel.in_words}{at}"), width)
    if backing.edits:
        yield from _changes(backing, calendar, width)
    elif backing.turn is not None and backing.turn.words:
        yield from _turn(answer, piece, backing.turn, width)
    else:
        yield from _excerpt(answer, piece.excerpt, width)
    if backing.turn is not None and backing.turn.gone:
        yield from _indent(f"not the whole turn: {backing.turn.gone}", "  ", width)
    if piece.source:
        yield from _indent(piece.source, "  from ", width)
    yield f"  {clean(_how_to_open(piece, backing.opens))}"


def _changes(backing: Backing, calendar: Calendar, width: int | None) -> Iterator[str]:
    for edit in backing.edits:
        times = "" if edit.changes == 1 else f", {edit.changes} times"
        is_other = edit.session != backing.evidence.session.native_id
        other = f" (session {edit.session})" if is_other else ""
        yield from _indent(f"{calendar.moment(edit.at_ms)}  changed {edit.path}{times}{other}", "  │ ", width)


def _turn(answer: Why, piece: Evidence, turn: PersonTurn, width: int | None) -> Iterator[str]:
    if turn.before:
        yield from _indent(turn.before, f"  before, {piece.session.agent}: ", width)
    yield from _excerpt(answer, turn.words, width)
    if turn.left_out:
        yield f"  … {human_count(turn.left_out, 'more character')}"
    if turn.after:
        yield from _indent(turn.after, f"  after, {piece.session.agent}: ", width)


def _excerpt(answer: Why, text: str, width: int | None) -> Iterator[str]:
    telling = line_that_tells(answer.item, text)
    for number, line in enumerate(text.splitlines()):
        yield from _mark_line(line, width) if number == telling else _indent(line, "  │ ", width)


def _mark_line(line: str, width: int | None) -> Iterator[str]:
    """The line that counts: bold where that can be seen, else marked."""
    is_bold = has_colour()
    for row in _indent(line, "  │ " if is_bold else "  > ", width):
        yield click.style(row, bold=True) if is_bold else row


def _indent(text: str, first: str, width: int | None) -> Iterator[str]:
    for row in wrap(clean(text), None if width is None else width - len(first)):
        yield f"{first}{row}"


def _how_to_open(piece: Evidence, opens: str) -> str:
    if opens:
        return f"afterwit sessions show {opens}"
    if piece.session.agent == PERSON:
        return "written by a person"
    if piece.session.agent == GIT:
        return f"afterwit guards show {piece.session.native_id[:_COMMIT_CHARS]}"
    return f"session {piece.session.native_id} is not in this store"


def _shape(answer: Why) -> dict[str, Any]:
    utc = Calendar(0, dt.UTC)
    return {
        "item": item_shape(answer.item, has_evidence=False),
        "speaks_for": answer.side(utc, is_against=False),
        "speaks_against": answer.side(utc, is_against=True),
        "evidence": [_evidence_shape(answer, backing) for backing in answer.evidence],
        "decisions": msgspec.to_builtins(answer.decisions),
    }


def _evidence_shape(answer: Why, backing: Backing) -> dict[str, Any]:
    """As in `index.json`, with all fields, the changes of files, and whether the session can be opened."""
    alone = msgspec.structs.replace(answer.item, evidence=(backing.evidence,))
    (piece,) = written(alone).evidence
    return {name: getattr(piece, name) for name in WrittenEvidence.__struct_fields__} | {
        "edits": msgspec.to_builtins(backing.edits),
        "is_here": backing.is_here,
    }
