"""Takes decisions about knowledge back: the latest command, or an earlier one by its number.

Taking back is a decision like others, journalled, and can be taken back itself. What one command decided goes together.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from afterwit.config.world import World
from afterwit.engine.curation.curate import decision_desk
from afterwit.knowledge.door.settle import recorded
from afterwit.model.errors import UsageError
from afterwit.store.decisions import ItemChanges, JournalEntry, KnowledgeEntry, in_force
from afterwit.store.store import readonly_database

_BY_PEOPLE = (
    KnowledgeEntry.DECIDED,
    KnowledgeEntry.ADDED,
    KnowledgeEntry.IMPORTED,
    KnowledgeEntry.FORGOTTEN,
    KnowledgeEntry.JUDGED,
    KnowledgeEntry.READ,
    KnowledgeEntry.CONSOLIDATED,
)


class Past(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of the journal, for people."""

    number: int
    machine: str
    at_ms: int
    what: str
    item: str = ""
    is_undone: bool = False


def past(world: World, limit: int) -> list[Past]:
    """What was decided, the latest first."""
    with readonly_database(world.layout) as db:
        entries = recorded(db)
    standing = {(entry.machine, entry.number) for entry in in_force(entries)}
    decisions = [
        past_of(entry, is_undone=(entry.machine, entry.number) not in standing)
        for entry in reversed(entries)
        if entry.kind in (*_BY_PEOPLE, KnowledgeEntry.UNDONE)
    ]
    return decisions[:limit] if limit else decisions


def undo(world: World, number: int | None = None) -> list[Past]:
    """Takes back what one command decided: the one with this entry of this machine, or else the latest that stands."""
    with decision_desk(world) as desk:
        wanted = _together(in_force(recorded(desk.store.db)), desk.store.journal.machine, number)
        desk.note(*((KnowledgeEntry.UNDONE, {"machine": entry.machine, "number": entry.number}) for entry in wanted))
        touched = [entry.kind for entry in (*wanted, *_targets(recorded(desk.store.db), wanted))]
        desk.settle(is_concluded_again=KnowledgeEntry.FORGOTTEN in touched)
        return [past_of(entry, is_undone=True) for entry in wanted]


def _together(standing: list[JournalEntry], machine: str, number: int | None) -> list[JournalEntry]:
    if number is None:
        latest = next((entry for entry in reversed(standing) if entry.kind in _BY_PEOPLE and _has_said(entry)), None)
        if latest is None:
            raise UsageError("There is no decision to undo.")
    else:
        kinds = (*_BY_PEOPLE, KnowledgeEntry.UNDONE)
        named = (entry for entry in standing if (entry.machine, entry.number) == (machine, number))
        latest = next((entry for entry in named if entry.kind in kinds), None)
        if latest is None:
            raise UsageError(f"There is no decision {number} about notes. `afterwit knowledge undo --list` shows them.")
    same = [entry for entry in standing if _command(entry) == _command(latest)]
    return [entry for entry in same if entry.kind != KnowledgeEntry.KEPT]  # nobody's decision


def _has_said(entry: JournalEntry) -> bool:
    """Whether taking an entry back changes anything: a session in which a model found nothing does not stand between a
    person and their last decision."""
    said = (
        ("drafts", "relations", "rejected") if entry.kind == KnowledgeEntry.READ else ("same", "replaced", "contradict")
    )
    is_by_model = entry.kind in (KnowledgeEntry.READ, KnowledgeEntry.CONSOLIDATED)
    return not is_by_model or any(entry.body.get(name) for name in said)


def _command(entry: JournalEntry) -> tuple[str, str, int]:
    """What stands for the command that decided it: its moment, or the beginning of a run that takes longer."""
    is_by_model = entry.kind in (KnowledgeEntry.READ, KnowledgeEntry.CONSOLIDATED)
    run_ms = entry.body.get("run_ms", 0) if is_by_model else 0
    return (entry.machine, "run", run_ms) if run_ms else (entry.machine, "moment", entry.at_ms)


def _targets(entries: list[JournalEntry], undoing: list[JournalEntry]) -> list[JournalEntry]:
    """What the entries that are taken back had taken back."""
    names = {(entry.body["machine"], entry.body["number"]) for entry in undoing if entry.kind == KnowledgeEntry.UNDONE}
    return [entry for entry in entries if (entry.machine, entry.number) in names]


def past_of(entry: JournalEntry, *, is_undone: bool) -> Past:
    """An entry in words."""
    return Past(
        number=entry.number,
        machine=entry.machine,
        at_ms=entry.at_ms,
        what=_what(entry),
        item=entry.item,
        is_undone=is_undone,
    )


def _changes(body: Mapping[str, Any]) -> str:
    """What an edit sets."""
    said = msgspec.convert(dict(body), ItemChanges).in_words
    return f": {said}" if said else ""


def _what(entry: JournalEntry) -> str:
    body = entry.body
    if entry.kind == KnowledgeEntry.DECIDED:
        return f"{body['decision']} {entry.item}{_changes(body)}"
    if entry.kind == KnowledgeEntry.ADDED:
        return f"add {entry.item}: {body['draft']['sentence']}"
    if entry.kind == KnowledgeEntry.IMPORTED:
        return f"import {len(body['drafts'])} notes from {body['source']}"
    if entry.kind == KnowledgeEntry.FORGOTTEN:
        return f"forget {body['what']} {body['name']}"
    if entry.kind == KnowledgeEntry.JUDGED:
        return f"audit {entry.item}: {body['verdict']}"
    if entry.kind == KnowledgeEntry.LESSON:
        return f"lesson {entry.item}: {body['draft']['sentence']}"
    if entry.kind == KnowledgeEntry.READ:
        notes, session = len(body.get("drafts", ())), body["session"]["native_id"]
        return f"read session {session} with {body['model']}: {notes} note{'' if notes == 1 else 's'}"
    if entry.kind == KnowledgeEntry.CONSOLIDATED:
        merged = sum(len(group) - 1 for group in body.get("same", ()))
        settled = f"{merged} merged, {len(body.get('replaced', ()))} replaced"
        return f"settle the notes of {body['repo'] or 'no repository'} with {body['model']}: {settled}"
    if entry.kind == KnowledgeEntry.REPORTED:
        return f"reported {entry.item} as {'helpful' if body['is_helpful'] else 'wrong'}"
    return f"undo {body['number']}"
