"""Publishes patterns and takes them back: as notes, as skills, in blocks of files.

What would change is planned first, one step for each place, and shown; then it is journalled, then written, and the
other way round when it is taken back: killed in between, the same command does the rest, and a second one changes
nothing. Files that others wrote or changed are refused before anything is journalled. Notes come and go with a person's
decision behind them, as if typed. What erased sessions leave without words is taken back everywhere it can be.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from afterwit.config.world import World
from afterwit.connect.foreign_files import drop_copies, expanded, look, shortened
from afterwit.engine.curation.curate import DecisionDesk, decision_desk
from afterwit.extras.lab.patterns.block_files import BlockFile, block_hash
from afterwit.extras.lab.patterns.catalog import Catalog, CatalogEntry, EntryStatus, match_id
from afterwit.extras.lab.patterns.publications import (
    PlacedPatterns,
    Publications,
    PublishedPlace,
    of_pattern,
    publications,
)
from afterwit.extras.lab.patterns.published_words import block_of, note_of, refuse_unfit, skill_of
from afterwit.extras.lab.skill_folders import (
    FILE,
    SkillChange,
    carry_out,
    is_changed,
    keep_bases,
    plan_removal,
    plan_skill,
    skill_readers,
    skills_root,
)
from afterwit.harvest.harvester import id_of
from afterwit.knowledge.door.list import all_items
from afterwit.model.errors import AfterwitError, PartlyDoneError, UsageError
from afterwit.model.knowledge import PERSON, Channel, Draft, Evidence, ItemStatus, SessionRef
from afterwit.store.atomic import step
from afterwit.store.decide import decide_all
from afterwit.store.decisions import DecisionKind, KnowledgeEntry, PatternEntry, in_force
from afterwit.store.journal import Journal
from afterwit.store.rows.extras import PublishedForm, pattern_entries
from afterwit.store.rows.items import recorded
from afterwit.store.store import readonly_database

FORMS = tuple(PublishedForm)


class PublishRequest(NamedTuple):
    """What a person asks for. Without a form, what is published already is brought up to date."""

    names: tuple[str, ...]
    forms: tuple[PublishedForm, ...] = ()
    agents: tuple[str, ...] = ()  # that get a skill; none: all that are used here
    project: Path | None = None  # whose folder gets the skill, instead of the user's
    files: tuple[Path, ...] = ()  # that get the block


class PublishStep(NamedTuple):
    """What is to happen at one place."""

    placed: PlacedPatterns  # afterwards; without patterns: it is taken back
    what: str  # in words
    is_needed: bool
    change: SkillChange | None = None
    draft: Draft | None = None  # of a note
    replaced: tuple[str, ...] = ()  # notes that go

    @property
    def is_removal(self) -> bool:
        return not self.placed.patterns


class PublishPlanner:
    """Works steps out, from what stands in the journal."""

    def __init__(self, world: World, catalog: Catalog, published: Publications, person: Evidence) -> None:
        self._world, self._catalog, self._published, self._person = world, catalog, published, person
        self._entries = catalog.entries

    def entry(self, name: str) -> CatalogEntry:
        """The pattern of the catalog whose id begins so, published or not."""
        all_ids = {*self._entries, *(own for place in self._published.values() for own in place.placed.patterns)}
        missing = f"There is no pattern {name!r} in the catalog. `afterwit patterns list` shows it."
        own = match_id(name, all_ids, missing)
        return self._entries.get(own) or self._catalog.all_versions(own)[-1].entry

    def plan(self, request: PublishRequest) -> list[PublishStep]:
        """All that is to be done for a request."""
        entries = list({entry.id: entry for entry in map(self.entry, request.names)}.values())
        for entry in entries:
            if entry.status is not EntryStatus.APPROVED or entry.id not in self._entries:
                raise UsageError(f"{entry.id} is not approved. `afterwit patterns approve {entry.id}` does that.")
            refuse_unfit(entry)
        if not request.forms:
            return self._plan_update(entries)
        if PublishedForm.BLOCK in request.forms and not request.files:
            raise UsageError("Say which file gets the block: --file AGENTS.md.")
        makers: dict[PublishedForm, Callable[[], Iterator[PublishStep]]] = {
            PublishedForm.NOTE: lambda: map(self._note, entries),
            PublishedForm.SKILL: lambda: (
                self._skill(entry, *place) for entry in entries for place in self._roots(request).items()
            ),
            PublishedForm.BLOCK: lambda: self._blocks(entries, list(dict.fromkeys(request.files))),
        }
        return [step for form in FORMS if form in request.forms for step in makers[form]()]

    def plan_removal(self, names: Sequence[str], forms: Sequence[PublishedForm] = ()) -> list[PublishStep]:
        """All that takes these patterns back, from everywhere or as these forms."""
        gone = [self.entry(name).id for name in names]
        return [
            step
            for publication in self._published.values()
            if publication.form in (forms or FORMS) and not publication.placed.patterns.keys().isdisjoint(gone)
            for step in self.without(publication, gone)
        ]

    def without(self, publication: PublishedPlace, gone: Iterable[str]) -> Iterator[PublishStep]:
        """One place without these patterns."""
        left = {own: version for own, version in publication.placed.patterns.items() if own not in gone}
        if publication.form is PublishedForm.BLOCK and left:
            entries = [self._version(own, version) for own, version in left.items()]
            yield self._block(self._path(publication), entries)
            return
        placed = PlacedPatterns(
            form=publication.form, place=publication.place, name=publication.placed.name, patterns={}
        )
        if publication.form is PublishedForm.NOTE:
            yield PublishStep(placed, f"note {placed.name} goes", True, replaced=(placed.name,))
            return
        if publication.form is PublishedForm.BLOCK:
            change = self._block_file(self._path(publication)).removed()
        else:
            change = plan_removal(self._world.layout, self._world.user_home, publication.records)
        yield PublishStep(placed, f"{publication.form} goes: {change.file.path}", True, change)

    def _plan_update(self, entries: Sequence[CatalogEntry]) -> list[PublishStep]:
        steps: list[PublishStep] = []
        paths: set[Path] = set()
        for entry in entries:
            places = of_pattern(self._published, entry.id)
            if not places:
                raise UsageError(f"{entry.id} is not published yet. Say as what: --as note, --as skill or --as block.")
            for publication in places:
                if publication.form is PublishedForm.NOTE:
                    steps.append(self._note(entry))
                elif publication.form is PublishedForm.SKILL:
                    steps.append(self._skill(entry, self._path(publication).parents[1], publication.placed.agents))
                else:
                    paths.add(self._path(publication))
        return [*steps, *self._blocks(entries, sorted(paths), is_update=True)]

    def _note(self, entry: CatalogEntry) -> PublishStep:
        draft = note_of(entry, self._person)
        own = id_of(draft)
        earlier = [place for place in of_pattern(self._published, entry.id) if place.form is PublishedForm.NOTE]
        replaced = tuple(place.placed.name for place in earlier if place.placed.name != own)
        placed = PlacedPatterns(form=PublishedForm.NOTE, place=entry.id, name=own, patterns={entry.id: entry.version})
        is_needed = not any(place.placed.name == own for place in earlier)
        return PublishStep(placed, f"note: {entry.text}", is_needed, draft=draft, replaced=replaced)

    def _skill(self, entry: CatalogEntry, root: Path, agents: tuple[str, ...]) -> PublishStep:
        document = skill_of(entry)
        place = shortened(root / document.name / FILE, self._world.user_home)
        before = self._published.get((PublishedForm.SKILL, place))
        change = plan_skill(root, document, self._world.user_home, before.records if before else ())
        placed = PlacedPatterns(
            form=PublishedForm.SKILL,
            place=place,
            name=document.name,
            patterns={entry.id: entry.version},
            agents=agents,
            file=change.record,
        )
        is_needed = change.is_needed or before is None or before.placed.patterns != placed.patterns
        return PublishStep(placed, f"skill for {', '.join(agents)}: {change.file.path}", is_needed, change)

    def _blocks(
        self, entries: Sequence[CatalogEntry], paths: Sequence[Path], *, is_update: bool = False
    ) -> Iterator[PublishStep]:
        for path in paths:
            before = self._published.get((PublishedForm.BLOCK, shortened(path, self._world.user_home)))
            there = before.placed.patterns if before else {}
            news = [entry for entry in entries if not is_update or entry.id in there]
            names = {entry.id for entry in news}
            kept = [self._version(own, version) for own, version in there.items() if own not in names]
            yield self._block(path, [*kept, *news])

    def _block(self, path: Path, entries: Sequence[CatalogEntry]) -> PublishStep:
        place = shortened(path, self._world.user_home)
        before = self._published.get((PublishedForm.BLOCK, place))
        change = self._block_file(path).written(block_of(entries))
        placed = PlacedPatterns(
            form=PublishedForm.BLOCK,
            place=place,
            name="",
            patterns={entry.id: entry.version for entry in entries},
            file=change.record,
            block=block_hash(path, change),
        )
        is_needed = change.is_needed or before is None or before.placed.patterns != placed.patterns
        return PublishStep(placed, f"block in {path}", is_needed, change)

    def _block_file(self, path: Path) -> BlockFile:
        before = self._published.get((PublishedForm.BLOCK, shortened(path, self._world.user_home)))
        records, blocks = (before.records, before.blocks) if before else ((), frozenset[str]())
        return BlockFile(self._world.layout, self._world.user_home, path, records, blocks)

    def is_erased(self, own: str, version: str) -> bool:
        """Whether a version lost its words."""
        return not self._version(own, version).text

    def _version(self, own: str, version: str) -> CatalogEntry:
        return next(made.entry for made in self._catalog.all_versions(own) if made.entry.version == version)

    def _path(self, publication: PublishedPlace) -> Path:
        return expanded(publication.place, self._world.user_home)

    def _roots(self, request: PublishRequest) -> dict[Path, tuple[str, ...]]:
        """Where agents look for skills, with those that look there. Folders that are one, by a link, count once."""
        home, environ = self._world.user_home, self._world.environ
        named = dict.fromkeys(request.agents or self._used())
        if not named:
            names = ", ".join(agent.name for agent in skill_readers())
            raise UsageError(f"No agent that reads skills was used here. Name one with --agent: {names}.")
        real: dict[str, Path] = {}
        roots: dict[Path, tuple[str, ...]] = {}
        for name in named:
            root = skills_root(name, home, environ, request.project)
            first = real.setdefault(os.path.realpath(root), root)
            roots[first] = (*roots.get(first, ()), name)
        return roots

    def _used(self) -> list[str]:
        home = self._world.user_home
        return [
            agent.name
            for agent in skill_readers()
            if agent.connect and any((home / folder).is_dir() for folder in agent.connect.folders)
        ]


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


class ShownPublication(msgspec.Struct, frozen=True, kw_only=True):
    """Where a pattern is published, for people and programs."""

    form: PublishedForm
    version: str
    state: PublishedState
    at_ms: int
    name: str = ""  # the id of a note, the name of a skill
    path: str = ""
    agents: tuple[str, ...] = ()


def publish(
    world: World, request: PublishRequest, agree: Agree, *, is_dry_run: bool = False
) -> list[PublishStep] | None:
    """Publishes, if `agree` says so to the steps, and returns them; None: it did not."""
    with decision_desk(world) as desk:
        planner, _ = _planner(world, desk)
        return _carry_out(world, desk, planner.plan(request), agree, is_dry_run=is_dry_run)


def unpublish(
    world: World,
    names: Sequence[str] | None,
    agree: Agree,
    forms: Sequence[PublishedForm] = (),
    *,
    is_dry_run: bool = False,
) -> list[PublishStep] | None:
    """Takes patterns back, None: all of them, from everywhere or as these forms."""
    with decision_desk(world) as desk:
        planner, published = _planner(world, desk)
        wanted = list(dict.fromkeys(own for place in published.values() for own in place.placed.patterns))
        return _carry_out(
            world, desk, planner.plan_removal(wanted if names is None else names, forms), agree, is_dry_run=is_dry_run
        )


def withdraw_erased(world: World) -> tuple[list[str], list[str]]:
    """Takes back what lost its words with erased sessions. Returns what was taken back, and what could not be."""
    done, left = [], []
    with decision_desk(world) as desk:
        planner, published = _planner(world, desk)
        for publication in published.values():
            gone = [own for own, version in publication.placed.patterns.items() if planner.is_erased(own, version)]
            try:
                steps = list(planner.without(publication, gone)) if gone else []
                _carry_out(world, desk, steps, lambda _: True)
                done += [step.what for step in steps]
            except (AfterwitError, OSError) as error:
                left.append(str(error))
    return done, left


def find_published(
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
            shown[own] = [_describe_place(world, catalog, own, place, in_use) for place in of_pattern(published, own)]
    return shown


def _describe_place(
    world: World, catalog: Catalog, own: str, publication: PublishedPlace, in_use: set[str]
) -> ShownPublication:
    placed, entry = publication.placed, catalog.entries.get(own)
    state = _at_place(world, publication, in_use)
    if state is PublishedState.CURRENT and (entry is None or entry.status is not EntryStatus.APPROVED):
        state = PublishedState.WITHDRAWN
    elif state is PublishedState.CURRENT and entry is not None and entry.version != placed.patterns[own]:
        state = PublishedState.OUTDATED
    return ShownPublication(
        form=placed.form,
        version=placed.patterns[own],
        state=state,
        at_ms=publication.at_ms,
        name=placed.name,
        path="" if placed.form is PublishedForm.NOTE else str(expanded(placed.place, world.user_home)),
        agents=placed.agents,
    )


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


def _planner(world: World, desk: DecisionDesk) -> tuple[PublishPlanner, Publications]:
    catalog, machine = Catalog(pattern_entries(desk.store.db)), desk.store.journal.machine
    published = publications(catalog.recorded, machine)
    story = f"{machine}:{desk.at_ms}"
    session = SessionRef(agent=PERSON, native_id=story, story=story, machine=machine, at_ms=desk.at_ms)
    person = Evidence(session=session, channel=Channel.USER, at_ms=desk.at_ms)
    return PublishPlanner(world, catalog, published, person), published


def _carry_out(
    world: World, desk: DecisionDesk, steps: list[PublishStep], agree: Agree, *, is_dry_run: bool = False
) -> list[PublishStep] | None:
    needed = [planned for planned in steps if planned.is_needed]
    if is_dry_run:
        return steps
    if needed:
        if not agree(steps):
            return None
        removed = [planned.change for planned in needed if planned.change is not None and planned.is_removal]
        written = [planned.change for planned in needed if planned.change is not None and not planned.is_removal]
        keep_bases(world.layout, written)
        carry_out(removed)
        step("what is taken back is gone, the journal is not told")
        entries = [entry for planned in needed for entry in _entries(desk, planned)]
        at_ms = max(desk.at_ms, max((entry.at_ms for entry in pattern_entries(desk.store.db)), default=-1) + 1)
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
    return steps


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


def renew(world: World) -> list[str]:
    """After sessions were erased: what was done, in sentences. Earlier versions wrote the catalog into files, too."""
    said = []
    for path in world.layout.patterns.glob("*.toml"):
        path.unlink()
        said.append(f"{path}, which an earlier version wrote, was removed.")
    if world.settings.patterns.catalog is not None:
        said.append(f"Files in {world.settings.patterns.catalog} that an earlier version wrote may hold words of them.")
    taken_back, left = withdraw_erased(world)
    said += [f"Of what patterns publish, {what}: its words came from them." for what in taken_back]
    said += [f"A published pattern has words that came from them and could not be taken back. {why}" for why in left]
    return said
