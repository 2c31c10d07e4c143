"""What publishing a pattern would change, worked out before anything is: which notes, which files, and their lines.

One step for each place: a note, the file of a skill, a file with our block. A step knows what is there now, what the
journal is to be told, and what is to be written. Nothing is changed here.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from afterwit.config.world import World
from afterwit.connect.foreign_files import expanded, shortened
from afterwit.extras.lab.patterns.block_files import BlockFile, block_hash
from afterwit.extras.lab.patterns.catalog import Catalog, CatalogEntry, EntryStatus
from afterwit.extras.lab.patterns.publications import PlacedPatterns, Publications, PublishedPlace, of_pattern
from afterwit.extras.lab.patterns.published_words import block_of, note_of, refuse_unfit, skill_of
from afterwit.extras.lab.skill_folders import (
    FILE,
    SkillChange,
    plan_removal,
    plan_skill,
    skill_readers,
    skills_root,
)
from afterwit.harvest.harvester import id_of
from afterwit.model.errors import UsageError
from afterwit.model.knowledge import Draft, Evidence
from afterwit.store.decisions.published import PublishedForm

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
        fitting = sorted(own for own in all_ids if name and own.startswith(name))
        if len(fitting) > 1:
            raise UsageError(f"Several patterns begin with {name!r}: {', '.join(fitting)}.")
        if not fitting:
            raise UsageError(f"There is no pattern {name!r} in the catalog. `afterwit patterns list` shows it.")
        own = fitting[0]
        return self._entries.get(own) or self._catalog.all_versions(own)[-1].entry

    def publishing(self, request: PublishRequest) -> list[PublishStep]:
        """All that is to be done for a request."""
        entries = list({entry.id: entry for entry in map(self.entry, request.names)}.values())
        for entry in entries:
            if entry.status is not EntryStatus.APPROVED or entry.id not in self._entries:
                raise UsageError(f"{entry.id} is not approved. `afterwit patterns approve {entry.id}` does that.")
            refuse_unfit(entry)
        if not request.forms:
            return self._updating(entries)
        makers: dict[PublishedForm, Callable[[], Iterator[PublishStep]]] = {
            PublishedForm.NOTE: lambda: map(self._note, entries),
            PublishedForm.SKILL: lambda: self._skills(entries, self._roots(request)),
            PublishedForm.BLOCK: lambda: self._blocks(entries, self._files(request)),
        }
        return [step for form in FORMS if form in request.forms for step in makers[form]()]

    def unpublishing(self, names: Sequence[str], forms: Sequence[PublishedForm] = ()) -> list[PublishStep]:
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
        change = self._removal(publication)
        yield PublishStep(placed, f"{_WHAT[publication.form]} goes: {change.file.path}", True, change)

    def _removal(self, publication: PublishedPlace) -> SkillChange:
        if publication.form is PublishedForm.BLOCK:
            return self._block_file(self._path(publication)).removed()
        return plan_removal(self._world.layout, self._world.user_home, publication.records)

    def _updating(self, entries: Sequence[CatalogEntry]) -> list[PublishStep]:
        steps: list[PublishStep] = []
        for entry in entries:
            places = of_pattern(self._published, entry.id)
            if not places:
                raise UsageError(f"{entry.id} is not published yet. Say as what: --as note, --as skill or --as block.")
            for publication in places:
                if publication.form is PublishedForm.NOTE:
                    steps.append(self._note(entry))
                elif publication.form is PublishedForm.SKILL:
                    steps.append(self._skill(entry, self._path(publication).parents[1], publication.placed.agents))
        paths = {self._path(place) for entry in entries for place in self._blocks_with(entry)}
        return [*steps, *self._blocks(entries, sorted(paths), is_update=True)]

    def _blocks_with(self, entry: CatalogEntry) -> list[PublishedPlace]:
        return [place for place in of_pattern(self._published, entry.id) if place.form is PublishedForm.BLOCK]

    def _note(self, entry: CatalogEntry) -> PublishStep:
        draft = note_of(entry, self._person)
        own = id_of(draft)
        earlier = [place for place in of_pattern(self._published, entry.id) if place.form is PublishedForm.NOTE]
        replaced = tuple(place.placed.name for place in earlier if place.placed.name != own)
        placed = PlacedPatterns(form=PublishedForm.NOTE, place=entry.id, name=own, patterns={entry.id: entry.version})
        is_needed = not any(place.placed.name == own for place in earlier)
        return PublishStep(placed, f"note: {entry.text}", is_needed, draft=draft, replaced=replaced)

    def _skills(self, entries: Sequence[CatalogEntry], roots: Mapping[Path, tuple[str, ...]]) -> Iterator[PublishStep]:
        return (self._skill(entry, root, agents) for entry in entries for root, agents in roots.items())

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

    def _files(self, request: PublishRequest) -> list[Path]:
        if not request.files:
            raise UsageError("Say which file gets the block: --file AGENTS.md.")
        return list(dict.fromkeys(request.files))


_WHAT = {PublishedForm.NOTE: "note", PublishedForm.SKILL: "skill", PublishedForm.BLOCK: "block"}
