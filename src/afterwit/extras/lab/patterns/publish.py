"""Publishes patterns and takes them back: as notes, as skills, in blocks of files.

Shown first, then journalled, then written, and the other way round when it is taken back: killed in between, the same
command does the rest, and a second one changes nothing. Files that others wrote or changed are refused before anything
is journalled. Notes come and go with a person's decision behind them, as if typed. What erased sessions leave without
words is taken back everywhere it can be.
"""

from collections.abc import Callable, Sequence
from contextlib import closing
from enum import StrEnum
from typing import Any, NamedTuple

import msgspec

from afterwit.config.world import World
from afterwit.connect.foreign_files import drop_copies, expanded, look
from afterwit.engine.curation.curate import DecisionDesk, decision_desk
from afterwit.extras.lab.patterns.block_files import BlockFile
from afterwit.extras.lab.patterns.catalog import Catalog, EntryStatus
from afterwit.extras.lab.patterns.publications import Publications, PublishedPlace, of_pattern, publications
from afterwit.extras.lab.patterns.publishing_plan import PublishPlanner, PublishRequest, PublishStep
from afterwit.extras.lab.skill_folders import carry_out, is_changed, keep_bases
from afterwit.knowledge.door.list import all_items
from afterwit.knowledge.door.settle import recorded
from afterwit.model.errors import AfterwitError, PartlyDoneError
from afterwit.model.knowledge import PERSON, Channel, Evidence, ItemStatus, SessionRef
from afterwit.store.atomic import step
from afterwit.store.decisions.decided import DecisionKind, KnowledgeEntry, PatternEntry, in_force
from afterwit.store.decisions.journal import decide_all
from afterwit.store.decisions.published import PublishedForm, recorded_patterns
from afterwit.store.journal import Journal
from afterwit.store.store import readonly_database

Agree = Callable[[Sequence[PublishStep]], bool]


class PublishedState(StrEnum):
    CURRENT = "current"
    OUTDATED = "outdated"  # an earlier version than that of the catalog
    MISSING = "missing"  # somebody removed it
    CHANGED = "changed"  # by hand
    WITHDRAWN = "withdrawn"  # the pattern is not approved any more

    @property
    def in_words(self) -> str:
        """As people read it; nothing where all is well."""
        return _STATE_WORDS[self.value]


_STATE_WORDS = {
    "current": "",
    "outdated": "out of date",
    "missing": "missing",
    "changed": "changed by hand",
    "withdrawn": "no longer approved",
}


class PublishOutcome(NamedTuple):
    """What a command did, or would do."""

    steps: tuple[PublishStep, ...]
    is_done: bool

    @property
    def needed(self) -> tuple[PublishStep, ...]:
        return tuple(step for step in self.steps if step.is_needed)


class ShownPublication(msgspec.Struct, frozen=True, kw_only=True):
    """Where a pattern is published, for people and programs."""

    form: PublishedForm
    version: str
    state: PublishedState
    at_ms: int
    name: str = ""  # the id of a note, the name of a skill
    path: str = ""
    agents: tuple[str, ...] = ()


def publish(world: World, request: PublishRequest, agree: Agree, *, is_dry_run: bool = False) -> PublishOutcome | None:
    """Publishes, if `agree` says so to the steps; None: it did not."""
    with decision_desk(world) as desk:
        planner, _ = _planner(world, desk)
        return _carried_out(world, desk, planner.publishing(request), agree, is_dry_run=is_dry_run)


def unpublish(
    world: World,
    names: Sequence[str] | None,
    agree: Agree,
    forms: Sequence[PublishedForm] = (),
    *,
    is_dry_run: bool = False,
) -> PublishOutcome | None:
    """Takes patterns back, None: all of them, from everywhere or as these forms."""
    with decision_desk(world) as desk:
        planner, published = _planner(world, desk)
        wanted = list(dict.fromkeys(own for place in published.values() for own in place.placed.patterns))
        return _carried_out(
            world, desk, planner.unpublishing(wanted if names is None else names, forms), agree, is_dry_run=is_dry_run
        )


def withdraw_erased(world: World) -> tuple[list[str], list[str]]:
    """Takes back what lost its words with erased sessions. Returns what was taken back, and what could not be."""
    done, left = [], []
    with decision_desk(world) as desk:
        planner, published = _planner(world, desk)
        catalog = _catalog(desk)
        for publication in published.values():
            gone = [own for own, version in publication.placed.patterns.items() if _is_erased(catalog, own, version)]
            if not gone:
                continue
            try:
                steps = list(planner.without(publication, gone))
                _carried_out(world, desk, steps, lambda _: True)
                done += [step.what for step in steps]
            except (AfterwitError, OSError) as error:
                left.append(str(error))
    return done, left


def published_of(
    world: World, catalog: Catalog, names: Sequence[str] | None = None
) -> dict[str, list[ShownPublication]]:
    """Where patterns are published, and how each place stands to the catalog; None: all of them."""
    with readonly_database(world.layout) as db:
        with closing(Journal(world.layout.journal, world.layout.backups)) as journal:
            published = publications(catalog.recorded, journal.machine)
        if not published:
            return {}
        in_use = {
            name
            for item in all_items(db)
            if item.status in (ItemStatus.ACTIVE, ItemStatus.CANDIDATE)
            for name in (item.id, *item.merged)
        }
    shown: dict[str, list[ShownPublication]] = {}
    for own in sorted({own for place in published.values() for own in place.placed.patterns}):
        if names is None or own in names:
            shown[own] = [_shown(world, catalog, own, place, in_use) for place in of_pattern(published, own)]
    return shown


def _shown(world: World, catalog: Catalog, own: str, publication: PublishedPlace, in_use: set[str]) -> ShownPublication:
    placed = publication.placed
    is_note = placed.form is PublishedForm.NOTE
    return ShownPublication(
        form=placed.form,
        version=placed.patterns[own],
        state=_state(world, catalog, own, publication, in_use),
        at_ms=publication.at_ms,
        name=placed.name,
        path="" if is_note else str(expanded(placed.place, world.user_home)),
        agents=placed.agents,
    )


def _state(world: World, catalog: Catalog, own: str, publication: PublishedPlace, in_use: set[str]) -> PublishedState:
    at_place = _at_place(world, publication, in_use)
    if at_place is not PublishedState.CURRENT:
        return at_place
    entry = catalog.entries.get(own)
    if entry is None or entry.status is not EntryStatus.APPROVED:
        return PublishedState.WITHDRAWN
    is_same = entry.version == publication.placed.patterns[own]
    return PublishedState.CURRENT if is_same else PublishedState.OUTDATED


def _at_place(world: World, publication: PublishedPlace, in_use: set[str]) -> PublishedState:
    if publication.form is PublishedForm.NOTE:
        return PublishedState.CURRENT if publication.placed.name in in_use else PublishedState.MISSING
    path = expanded(publication.place, world.user_home)
    try:
        if publication.form is PublishedForm.BLOCK:
            block = BlockFile(world.layout, world.user_home, path, publication.records, publication.blocks)
            is_there, has_changed = not block.is_missing(), block.is_changed()
        else:
            file = look(path)
            is_there, has_changed = file.content is not None, is_changed(file, publication.records)
    except (AfterwitError, OSError):
        return PublishedState.CHANGED
    return PublishedState.MISSING if not is_there else PublishedState.CHANGED if has_changed else PublishedState.CURRENT


def _catalog(desk: DecisionDesk) -> Catalog:
    return Catalog(recorded_patterns(desk.store.db))


def _planner(world: World, desk: DecisionDesk) -> tuple[PublishPlanner, Publications]:
    catalog, machine = _catalog(desk), desk.store.journal.machine
    published = publications(catalog.recorded, machine)
    story = f"{machine}:{desk.at_ms}"
    session = SessionRef(agent=PERSON, native_id=story, story=story, machine=machine, at_ms=desk.at_ms)
    person = Evidence(session=session, channel=Channel.USER, at_ms=desk.at_ms)
    return PublishPlanner(world, catalog, published, person), published


def _is_erased(catalog: Catalog, own: str, version: str) -> bool:
    entries = (made.entry for made in catalog.all_versions(own) if made.entry.version == version)
    return not any(entry.text for entry in entries)


def _carried_out(
    world: World, desk: DecisionDesk, steps: Sequence[PublishStep], agree: Agree, *, is_dry_run: bool = False
) -> PublishOutcome | None:
    needed = [planned for planned in steps if planned.is_needed]
    if is_dry_run:
        return PublishOutcome(tuple(steps), is_done=False)
    if needed:
        if not agree(steps):
            return None
        removed = [planned.change for planned in needed if planned.change is not None and planned.is_removal]
        written = [planned.change for planned in needed if planned.change is not None and not planned.is_removal]
        keep_bases(world.layout, written)
        carry_out(removed)
        step("what is taken back is gone, the journal is not told")
        entries = [entry for planned in needed for entry in _entries(desk, planned)]
        at_ms = max(desk.at_ms, max((entry.at_ms for entry in recorded_patterns(desk.store.db)), default=-1) + 1)
        decide_all(desk.store, entries, at_ms)
        step("what is published is in the journal, its files are not written")
        try:
            carry_out(written)
        except (AfterwitError, OSError) as error:
            raise PartlyDoneError(
                f"This is recorded, but a file could not be written: {error} The same command again writes it."
            ) from error
    if any(planned.placed.form is PublishedForm.NOTE for planned in steps):
        desk.settle()
    bases = {record.base for place in _planner(world, desk)[1].values() for record in place.records}
    drop_copies(world.layout.published_copies, bases)
    return PublishOutcome(tuple(steps), is_done=True)


def _entries(desk: DecisionDesk, publishing: PublishStep) -> list[tuple[str, dict[str, Any]]]:
    """What the journal is told."""
    kind = PatternEntry.UNPUBLISHED if publishing.is_removal else PatternEntry.PUBLISHED
    entries: list[tuple[str, dict[str, Any]]] = [(kind, msgspec.to_builtins(publishing.placed))]
    if publishing.replaced:
        standing = in_force(recorded(desk.store.db))
        entries += [
            (KnowledgeEntry.UNDONE, {"machine": entry.machine, "number": entry.number})
            for entry in standing
            if entry.item in publishing.replaced and _is_of_publishing(entry.kind, entry.body)
        ]
    if publishing.draft is not None:
        own = publishing.placed.name
        entries += [
            (KnowledgeEntry.ADDED, {"item": own, "draft": msgspec.to_builtins(publishing.draft)}),
            (KnowledgeEntry.DECIDED, {"item": own, "decision": DecisionKind.APPROVE}),
        ]
    return entries


def _is_of_publishing(kind: str, body: Any) -> bool:
    return kind == KnowledgeEntry.ADDED or (
        kind == KnowledgeEntry.DECIDED and body.get("decision") == DecisionKind.APPROVE
    )
