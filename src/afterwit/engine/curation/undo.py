"""Takes back: decisions about knowledge, by command, and all that was learned from a session, a repository, an origin.

Taking back is a decision like others, journalled, and can be taken back itself. What one command decided goes together.
What is forgotten no longer counts as evidence, now and for what comes later. Items that stand on nothing else are gone.
Sessions, digests and the archive stay as they are: this is about knowledge alone.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import apsw
import msgspec

from afterwit.config.world import World
from afterwit.engine.curation.curate import DecisionDesk, decision_desk
from afterwit.knowledge.door.list import all_items
from afterwit.model.errors import UsageError
from afterwit.model.knowledge import IMPORT, Channel, Evidence, Item
from afterwit.sessions.filters import find_repo, find_session
from afterwit.store.decisions import (
    CheckDecided,
    Forgettable,
    Forgotten,
    ItemChanges,
    JournalEntry,
    KnowledgeEntry,
    in_force,
)
from afterwit.store.rows.items import recorded
from afterwit.store.store import readonly_database

_BY_PEOPLE = (
    KnowledgeEntry.DECIDED,
    KnowledgeEntry.ADDED,
    KnowledgeEntry.IMPORTED,
    KnowledgeEntry.FORGOTTEN,
    KnowledgeEntry.JUDGED,
    KnowledgeEntry.READ,
    KnowledgeEntry.CONSOLIDATED,
    KnowledgeEntry.COMPILED,
    KnowledgeEntry.BRIEF_EDITED,
    KnowledgeEntry.CHECK_DECIDED,
)
_BY_MODELS = (KnowledgeEntry.READ, KnowledgeEntry.CONSOLIDATED, KnowledgeEntry.COMPILED)


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
    said = ("drafts", "relations", "rejected", "same", "replaced", "contradict", "lines")
    return entry.kind not in _BY_MODELS or any(entry.body.get(name) for name in said)


def _command(entry: JournalEntry) -> tuple[str, str, int]:
    """What stands for the command that decided it: its moment, or the beginning of a run that takes longer."""
    run_ms = entry.body.get("run_ms", 0) if entry.kind in _BY_MODELS else 0
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
    if entry.kind == KnowledgeEntry.COMPILED:
        lines = len(body.get("lines", ()))
        return f"compile the brief of {body['repo']} with {body['model']}: {lines} line{'' if lines == 1 else 's'}"
    if entry.kind == KnowledgeEntry.BRIEF_EDITED:
        count = len(body.get("put", ())), len(body.get("removed", ()))
        return f"edit the brief of {body['repo']}: {count[0]} written or kept, {count[1]} taken out"
    if entry.kind == KnowledgeEntry.CHECK_DECIDED:
        return msgspec.convert(body, CheckDecided).in_words
    if entry.kind == KnowledgeEntry.REPORTED:
        return f"reported {entry.item} as {'helpful' if body['is_helpful'] else 'wrong'}"
    return f"undo {body['number']}"


class ForgetRequest(NamedTuple):
    """What to forget, as people say it. One of them is set."""

    origin: str = ""
    session: str = ""
    repo: str = ""


class Loss(msgspec.Struct, frozen=True, kw_only=True):
    """An item that loses evidence; with none left it goes."""

    id: str
    fact: str
    evidence: int
    left: int


class Forgetting(msgspec.Struct, frozen=True, kw_only=True):
    """What is forgotten, and whom it concerns."""

    what: str
    name: str
    losses: list[Loss]
    is_dry_run: bool = False


def forget(
    world: World, wanted: ForgetRequest, agree: Callable[[Forgetting], bool], *, is_dry_run: bool = False
) -> Forgetting | None:
    """Forgets, if `agree` says so to the plan. None: it did not."""
    with decision_desk(world) as desk:
        what, name = _resolve(desk.store.db, wanted)
        losses = list(_losses(desk, Forgotten(frozenset({(what, name)}))))
        planned = Forgetting(what=what, name=name, losses=losses, is_dry_run=is_dry_run)
        if is_dry_run:
            return planned
        if not agree(planned):
            return None
        desk.note((KnowledgeEntry.FORGOTTEN, {"what": what, "name": name}))
        desk.settle(is_concluded_again=True)
        return planned


def _resolve(db: apsw.Connection, wanted: ForgetRequest) -> tuple[Forgettable, str]:
    if wanted.session:
        return Forgettable.SESSION, find_session(db, wanted.session).native_id
    if wanted.repo:
        return Forgettable.REPO, find_repo(db, wanted.repo)
    return _origin(db, wanted.origin)


def _origin(db: apsw.Connection, name: str) -> tuple[Forgettable, str]:
    """A channel by its name; else whatever evidence names so: a page or a file, a user, a machine, an agent.

    The name of an imported folder does without its digits where it is the only one that is called so.
    """
    if name in frozenset(Channel):
        return Forgettable.CHANNEL, name
    origins = sorted({origin for item in all_items(db) for piece in item.evidence for origin in _origins(piece)})
    exact = [origin for origin in origins if origin[1] == name]
    fitting = exact[:1] or [origin for origin in origins if _is_folder(origin[1], name)]
    if len(fitting) > 1:
        raise UsageError(f"Several folders are called {name!r}: {', '.join(value for _, value in fitting)}. Name one.")
    if not fitting:
        raise UsageError(f"No evidence comes from {name!r}. `afterwit knowledge why NOTE` shows where it comes from.")
    return fitting[0]


def _is_folder(source: str, name: str) -> bool:
    return source.startswith(f"{IMPORT}:") and source.rpartition("-")[0] == name


def _origins(piece: Evidence) -> Iterator[tuple[Forgettable, str]]:
    yield Forgettable.SOURCE, piece.source
    yield Forgettable.USER, piece.session.user
    yield Forgettable.MACHINE, piece.session.machine
    yield Forgettable.AGENT, piece.session.agent
    yield Forgettable.SESSION, piece.session.root or piece.session.story


def _losses(desk: DecisionDesk, forgotten: Forgotten) -> Iterator[Loss]:
    for item in all_items(desk.store.db):
        left = [piece for piece in item.evidence if not forgotten.takes(piece)]
        if len(left) < len(item.evidence):
            yield _loss(item, left)


def _loss(item: Item, left: list[Evidence]) -> Loss:
    kept = len(left) if any(not piece.is_against for piece in left) else 0
    return Loss(id=item.id, fact=item.sentence, evidence=len(item.evidence), left=kept)
