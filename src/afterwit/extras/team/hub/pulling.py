"""What comes in from a hub: rows are fetched page by page into the store, and what follows from them is journalled.

A row counts only as far as it is what its member may say: the lines are by its author, on its machine, and about its
repository. The rest is named and passed over. Pages and cursor are kept together, so a run that was killed goes on
where it was; what was not taken in yet is marked, so nothing is forgotten between the two.
"""

from collections.abc import Collection, Mapping

import apsw
import msgspec

from afterwit.config.world import World, redactor_of
from afterwit.engine.curation.curate import decision_desk
from afterwit.extras.team.folder import BadLine
from afterwit.extras.team.hub import rows
from afterwit.extras.team.hub.connection import Hub
from afterwit.extras.team.hub.rows import NoteLinesRow
from afterwit.extras.team.incoming import is_others, news, states_of
from afterwit.extras.team.local_notes import known_states
from afterwit.extras.team.pull import brought_by
from afterwit.extras.team.push import SharedChange
from afterwit.extras.team.records import SharedLine, SharedNote, decoded, encoded, line_in, note_of
from afterwit.model.knowledge import IMPORT
from afterwit.store.atomic import step
from afterwit.store.database import transaction
from afterwit.store.decisions import KnowledgeEntry
from afterwit.store.rows import extras as kept
from afterwit.store.rows.extras import HubLinesRow
from afterwit.store.rows.items import items_with_ids

PAGE = 1_000
_ENTRY = 1_000  # notes in one entry of the journal


def fetch(db: apsw.Connection, hub: Hub, repo: str, machine: str) -> list[BadLine]:
    """Brings what is new on the hub; the lines that could not be taken."""
    cursor = kept.hub_cursor(db, hub.key, repo)
    head = rows.head_tick(hub.db, hub.team)
    bad: list[BadLine] = []
    if head < cursor.tick:  # it was put back to an earlier state
        cursor = cursor._replace(tick=0)
        with transaction(db):
            kept.unsend_all(db, hub.key, repo, hub.role, machine)
    while cursor.tick < head:
        page = rows.lines_after(hub.db, hub.team, repo, cursor.tick, head, PAGE)
        is_last = len(page) < PAGE
        cursor = cursor._replace(tick=head if is_last else page[-1].tick)
        with transaction(db):
            kept.put_hub_lines(db, [row for sent in page for row in _news(db, hub, repo, machine, sent, bad)])
            kept.put_hub_cursor(db, cursor)
        step("a page of a hub is kept")
    return bad


def _news(
    db: apsw.Connection, hub: Hub, repo: str, machine: str, sent: NoteLinesRow, bad: list[BadLine]
) -> list[HubLinesRow]:
    lines = _checked(sent, repo, bad)
    clock_ms = max((line.clock_ms for line in lines), default=0)
    place = (hub.key, repo, sent.note, sent.member, sent.machine)
    row = HubLinesRow(*place, clock_ms, encoded(lines), is_sent=1, is_taken=0)
    present = kept.own_lines_at(db, row)
    is_own = (sent.member, sent.machine) == (hub.role, machine)
    if present is not None and (present.body == row.body or (is_own and not present.is_sent)):
        return []
    return [row]


def _checked(sent: NoteLinesRow, repo: str, bad: list[BadLine]) -> tuple[SharedLine, ...]:
    lines = []
    name = f"{repo}/{sent.note} of {sent.author}"
    try:
        said = decoded(sent.lines, list[msgspec.Raw])
    except ValueError as error:
        bad.append(BadLine(file=name, line=0, reason=str(error)[:200]))
        return ()
    for number, plain in enumerate(said, start=1):
        try:
            line = line_in(bytes(plain))
            if (line.by, line.machine) != (sent.author, sent.machine):
                raise ValueError(f"it says that it is by {line.by!r}, and was written by {sent.author!r}")
            if line.words is not None and line.words.repo != repo:
                raise ValueError("it is about another repository")
        except ValueError as error:  # msgspec's own errors are ValueErrors too
            bad.append(BadLine(file=name, line=number, reason=str(error)[:200]))
        else:
            lines.append(line)
    return tuple(lines)


def lines_of(
    db: apsw.Connection, hub: Hub, repo: str, notes: Collection[str] | None
) -> dict[str, dict[tuple[str, str], tuple[SharedLine, ...]]]:
    """What is kept of these notes, or of all: by note, then by member and machine."""
    by_note: dict[str, dict[tuple[str, str], tuple[SharedLine, ...]]] = {}
    for row in kept.hub_lines(db, hub.key, repo, notes):
        lines = tuple(map(line_in, row.body.splitlines()))
        by_note.setdefault(row.note, {})[row.member, row.machine] = lines
    return by_note


def shared_notes(
    lines: Mapping[str, Mapping[tuple[str, str], tuple[SharedLine, ...]]], now_ms: int
) -> dict[str, SharedNote]:
    """What follows from the lines of each note."""
    notes = {own: note_of(own, _all(said), now_ms) for own, said in lines.items()}
    return {own: note for own, note in sorted(notes.items()) if note is not None}


def _all(said: Mapping[tuple[str, str], tuple[SharedLine, ...]]) -> list[SharedLine]:
    return [line for lines in said.values() for line in lines]


def take_in(
    world: World, hub: Hub, repo: str, touched: Collection[str] | None, *, is_dry_run: bool
) -> list[SharedChange]:
    """Journals what others say of these notes by now, or of all; what that brought."""
    if touched is not None and not touched:
        return []
    source = hub.source(repo)
    with decision_desk(world, is_new=True) as desk:
        db = desk.store.db
        lines = lines_of(db, hub, repo, touched)
        notes = shared_notes(lines, world.now_ms)
        others = {own: note for own, note in notes.items() if is_others(_all(lines[own]), desk.store.journal.machine)}
        found_here = {row.id for row in items_with_ids(db, others) if row.harvester != IMPORT}
        states = states_of(others, found_here, world.settings.share, repo, redactor_of(world).value)
        before = known_states(db, source)
        if touched is not None:
            before = {own: before[own] for own in touched if own in before}
        brought = news(states, before)
        if (brought or before) and not is_dry_run:  # also after a run that was killed before it settled
            parts = [brought[start : start + _ENTRY] for start in range(0, len(brought), _ENTRY)]
            bodies = ({"source": source, "notes": msgspec.to_builtins(part)} for part in parts)
            desk.note(*((KnowledgeEntry.SHARED, body) for body in bodies))
            desk.settle()
    return [brought_by(state, before.get(state.id), notes.get(state.id)) for state in brought]
