"""People decide about patterns: approve, reject, edit, merge, split, and take the last decision back; and look at what
was decided, the log of it, and how versions differ.

One command is one entry of the journal, and names that fit nothing are refused before anything is decided. A review is
a walk through what waits: every answer is such a decision, kept at once.
"""

import difflib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum

import msgspec
from msgspec.structs import replace

from afterwit.config.world import World
from afterwit.engine.curation.curate import decision_desk, line_of, put_into_words
from afterwit.extras.lab.patterns.catalog import (
    Bump,
    Catalog,
    CatalogDecision,
    CatalogEntry,
    EntryStatus,
    EntryVersion,
    PatternDecided,
    entry_from,
    match_id,
)
from afterwit.extras.lab.patterns.detect import (
    FEWEST_STORIES,
    MOST_EVIDENCE,
    Pattern,
    detect,
    patterns_in,
    short_hash,
)
from afterwit.harvest.harvester import quote_repo
from afterwit.model.errors import UsageError
from afterwit.model.knowledge import EVERYWHERE, Scope, ScopeKind
from afterwit.redaction.markers import unkeyed
from afterwit.sessions.filters import Filter
from afterwit.store.decide import decide_all
from afterwit.store.decisions import PatternEntry
from afterwit.store.rows.extras import pattern_entries
from afterwit.store.store import Store, readonly_database

_ENDED = (EntryStatus.MERGED, EntryStatus.SPLIT)


class SplitBy(StrEnum):
    REPO = "repo"
    AGENT = "agent"


class EntryChanges(msgspec.Struct, frozen=True, kw_only=True):
    """What an edit gives a pattern. What is None stays as it is."""

    title: str | None = None
    text: str | None = None
    scope: str | None = None
    triggers: tuple[str, ...] | None = None

    @property
    def fields(self) -> dict[str, object]:
        return {name: value for name, value in msgspec.structs.asdict(self).items() if value is not None}


class CatalogChange(msgspec.Struct, frozen=True, kw_only=True):
    """What one command did."""

    entries: tuple[CatalogEntry, ...]  # as they are now; empty, where all about them was taken back
    what: str
    has_changed: bool = True
    touched: tuple[str, ...] = ()  # ids that it is about


class CatalogDesk:
    """Where one command decides about patterns."""

    def __init__(self, store: Store, world: World) -> None:
        self._store = store
        self.catalog = Catalog(pattern_entries(store.db))
        self._at_ms = max(world.now_ms, max((entry.at_ms for entry in self.catalog.recorded), default=-1) + 1)

    def entry(self, name: str) -> CatalogEntry:
        """The pattern whose id begins so: as it was decided, else as it is found now."""
        return find_entry(name, self.catalog.entries, self._find_patterns)

    def fresh(self, entry: CatalogEntry) -> CatalogEntry:
        """The same with the evidence that there is now."""
        now = self._find_patterns().get(entry.id)
        return replace(entry, evidence=now.evidence) if now is not None else entry

    def _find_patterns(self) -> dict[str, CatalogEntry]:
        patterns = patterns_in(self._store.db, fewest_stories=1)
        return {pattern.id: entry_from(pattern) for pattern in patterns}

    def with_version(self, entry: CatalogEntry, bump: Bump) -> CatalogEntry:
        return replace(entry, version=self.catalog.next_version(entry.id, bump, entry.status))

    def decide(self, decision: CatalogDecision, entries: Sequence[CatalogEntry], what: str) -> CatalogChange:
        """Journals what these patterns are from now on."""
        body = msgspec.to_builtins(PatternDecided(decision=decision, entries=tuple(entries), what=what))
        return self._journal(PatternEntry.DECIDED, body, [entry.id for entry in entries], what)

    def undo(self, only: int | None = None) -> CatalogChange:
        if not self.catalog.standing:
            raise UsageError("There is no decision about patterns to undo.")
        last = self.catalog.standing[-1]
        if only not in (None, last.number):
            raise UsageError(f"Something else was decided since then: {last.body.get('what', '')}. Undo that first.")
        touched = [entry["id"] for entry in last.body["entries"]]
        body = {"machine": last.machine, "number": last.number}
        return self._journal(PatternEntry.UNDONE, body, touched, f"undid: {last.body.get('what', '')}")

    def _journal(self, kind: PatternEntry, body: dict[str, object], touched: Sequence[str], what: str) -> CatalogChange:
        decide_all(self._store, [(kind, body)], self._at_ms)
        standing = Catalog(pattern_entries(self._store.db)).entries
        entries = tuple(standing[own] for own in touched if own in standing)
        return CatalogChange(entries=entries, what=what, touched=tuple(touched))


@contextmanager
def catalog_desk(world: World) -> Iterator[CatalogDesk]:
    with decision_desk(world) as desk:
        yield CatalogDesk(desk.store, world)


def find_entry(
    name: str, decided: dict[str, CatalogEntry], undecided: Callable[[], dict[str, CatalogEntry]]
) -> CatalogEntry:
    """The pattern whose id begins with the name."""
    everything = decided if name in decided else {**undecided(), **decided}
    return everything[
        match_id(name, everything, f"There is no pattern {name!r}. `afterwit patterns detect` and `list` show them.")
    ]


def judge(world: World, decision: CatalogDecision, names: Sequence[str]) -> CatalogChange:
    """Approves or rejects several patterns as one decision."""
    status = EntryStatus.APPROVED if decision is CatalogDecision.APPROVE else EntryStatus.REJECTED
    with catalog_desk(world) as desk:
        named = {entry.id: entry for entry in map(desk.entry, names)}
        for entry in named.values():
            _refuse_ended(entry)
        changed = [
            desk.with_version(replace(desk.fresh(entry), status=status), Bump.PATCH)
            for entry in named.values()
            if not entry.version or entry.status is not status
        ]
        what = f"{status} {', '.join(named)}"
        if not changed:
            return CatalogChange(entries=tuple(named.values()), what=what, has_changed=False)
        return desk.decide(decision, changed, what)


def edit(world: World, name: str, changes: EntryChanges) -> CatalogChange:
    """Gives a pattern other words, another place or other conditions. That approves it, too."""
    with catalog_desk(world) as desk:
        entry = desk.entry(name)
        _refuse_ended(entry)
        cleaned = _clean_changes(world, changes).fields
        changed = {field: value for field, value in cleaned.items() if getattr(entry, field) != value}
        if not changed and entry.status is EntryStatus.APPROVED and entry.version:
            return CatalogChange(entries=(entry,), what="nothing to change", has_changed=False)
        bump = Bump.MINOR if {"scope", "triggers"} & changed.keys() else Bump.PATCH
        edited = desk.with_version(replace(entry, status=EntryStatus.APPROVED, **changed), bump)
        what = f"edited {', '.join(_IN_WORDS[name] for name in changed) or 'nothing'}"
        return desk.decide(CatalogDecision.EDIT, [edited], what)


_IN_WORDS = {"title": "title", "text": "text", "scope": "what it applies to", "triggers": "when it is shown"}


def _clean_changes(world: World, changes: EntryChanges) -> EntryChanges:
    """Changes as people typed them, clean; of what is redacted only the type is left, as in all files that leave."""
    triggers = changes.triggers
    if triggers is not None:
        triggers = tuple(dict.fromkeys(unkeyed(line_of(world, text)) for text in triggers if text.strip()))
    return EntryChanges(
        title=None if changes.title is None else unkeyed(put_into_words(world, changes.title)),
        text=None if changes.text is None else unkeyed(put_into_words(world, changes.text)),
        scope=None if changes.scope is None else _scope(changes.scope),
        triggers=triggers,
    )


def _scope(text: str) -> str:
    kind, _, name = (part.strip() for part in text.partition(":"))
    if text.strip() in ("everywhere", str(EVERYWHERE)):
        return str(EVERYWHERE)
    if kind in (ScopeKind.REPO, ScopeKind.AGENT) and name:
        return str(Scope(ScopeKind(kind), name))
    raise UsageError(f"{text!r} is none of everywhere, repo:NAME and agent:NAME.")


def merge(world: World, names: Sequence[str]) -> CatalogChange:
    """Makes one pattern of several. The first keeps its id and its words, and gets what the others are about."""
    with catalog_desk(world) as desk:
        entries = list({entry.id: entry for entry in map(desk.entry, names)}.values())
        if len(entries) <= 1:
            raise UsageError("Name at least two different patterns: the one that is kept first.")
        for entry in entries:
            _refuse_ended(entry)
        first, *others = entries
        lists = [entry.evidence for entry in entries]  # of all in turn, so that each is seen to be in it
        turns = [pieces[at] for at in range(MOST_EVIDENCE) for pieces in lists if at < len(pieces)]
        kept = replace(
            first,
            status=EntryStatus.APPROVED,
            scope=first.scope if all(other.scope == first.scope for other in others) else str(EVERYWHERE),
            triggers=tuple(dict.fromkeys(trigger for entry in entries for trigger in entry.triggers)),
            made_from=tuple(dict.fromkeys((*first.made_from, *(other.id for other in others)))),
            evidence=tuple({piece.hash: piece for piece in turns}.values())[:MOST_EVIDENCE],
        )
        gone = [replace(other, status=EntryStatus.MERGED, became=(first.id,)) for other in others]
        what = f"merged {', '.join(other.id for other in others)} into {first.id}"
        decided = [desk.with_version(entry, Bump.MAJOR) for entry in (kept, *gone)]
        return desk.decide(CatalogDecision.MERGE, decided, what)


def split(world: World, name: str, by: SplitBy) -> CatalogChange:
    """Makes one pattern for every repository, or agent, of its evidence."""
    with catalog_desk(world) as desk:
        whole = desk.entry(name)
        _refuse_ended(whole)
        values = sorted({getattr(piece, by) for piece in whole.evidence} - {""})
        if len(values) <= 1:
            raise UsageError(f"All evidence of {whole.id} is of one {_BY_WORDS[by]}: there is nothing to split.")
        parts = [_part(whole, by, value) for value in values]
        became = tuple(part.id for part in parts)
        ended = replace(whole, status=EntryStatus.SPLIT, became=became)
        what = f"split {whole.id} by {_BY_WORDS[by]} into {', '.join(became)}"
        decided = [desk.with_version(entry, Bump.MAJOR) for entry in (ended, *parts)]
        return desk.decide(CatalogDecision.SPLIT, decided, what)


_BY_WORDS = {SplitBy.REPO: "repository", SplitBy.AGENT: "agent"}


def _part(whole: CatalogEntry, by: SplitBy, value: str) -> CatalogEntry:
    where = quote_repo(value) if by is SplitBy.REPO else value
    return replace(
        whole,
        id=short_hash([whole.id, by, value]),
        status=EntryStatus.APPROVED,
        title=f"{whole.title.rstrip('.')} ({where}).",
        scope=str(Scope(ScopeKind(by), value)),
        made_from=(whole.id,),
        evidence=tuple(piece for piece in whole.evidence if getattr(piece, by) == value),
    )


def undo(world: World, only: int | None = None) -> CatalogChange:
    """Takes back what the last command that stands decided; `only` if that is the entry with this number."""
    with catalog_desk(world) as desk:
        return desk.undo(only)


def _refuse_ended(entry: CatalogEntry) -> None:
    if entry.status in _ENDED:
        raise UsageError(f"{entry.id} was {entry.status} into {', '.join(entry.became)}. Decide about that instead.")


class PatternAnswer(StrEnum):
    APPROVED = "approved"
    REJECTED = "rejected"
    EDITED = "edited"
    SKIPPED = "skipped"


class PatternWalk:
    def __init__(self, world: World, patterns: Sequence[Pattern]) -> None:
        self._world = world
        self._patterns = list(patterns)
        self._answers: list[PatternAnswer] = []

    @property
    def next_pattern(self) -> Pattern | None:
        return self._patterns[len(self._answers)] if len(self._answers) < len(self._patterns) else None

    @property
    def position(self) -> int:
        return len(self._answers) + 1

    @property
    def total(self) -> int:
        return len(self._patterns)

    @property
    def tally(self) -> dict[str, int]:
        counts = {answer.value: self._answers.count(answer) for answer in PatternAnswer}
        return counts | {"left": self.total - len(self._answers)}

    def approve(self) -> None:
        judge(self._world, CatalogDecision.APPROVE, [self._id])
        self._answers.append(PatternAnswer.APPROVED)

    def reject(self) -> None:
        judge(self._world, CatalogDecision.REJECT, [self._id])
        self._answers.append(PatternAnswer.REJECTED)

    def edit(self, text: str) -> None:
        """Gives the pattern this text, and approves it with it. Raises where the text is not fit."""
        edit(self._world, self._id, EntryChanges(text=text))
        self._answers.append(PatternAnswer.EDITED)

    def skip(self) -> None:
        self._answers.append(PatternAnswer.SKIPPED)

    def undo(self) -> bool:
        """Takes the last answer of this walk back, so that its pattern is next again; False where there is none."""
        if not self._answers:
            return False
        if self._answers[-1] is not PatternAnswer.SKIPPED:
            undo(self._world)
        self._answers.pop()
        return True

    @property
    def _id(self) -> str:
        return self._patterns[len(self._answers)].id


_ANY = Filter()
_UNDECIDED = "Nothing was decided about {!r}. `afterwit patterns list` shows the catalog."


class ShownPattern(msgspec.Struct, frozen=True, kw_only=True):
    """All about one pattern: as it was decided, as it is found now, or both."""

    entry: CatalogEntry
    current: Pattern | None  # as it is found now
    history: list[EntryVersion]


def catalog_of(world: World) -> Catalog:
    with readonly_database(world.layout) as db:
        return Catalog(pattern_entries(db))


def list_entries(world: World, statuses: tuple[EntryStatus, ...] = ()) -> list[CatalogEntry]:
    """The catalog, by title."""
    entries = catalog_of(world).entries.values()
    chosen = (entry for entry in entries if not statuses or entry.status in statuses)
    return sorted(chosen, key=lambda entry: (entry.title, entry.id))


def show_pattern(world: World, name: str) -> ShownPattern:
    with readonly_database(world.layout) as db:
        catalog = Catalog(pattern_entries(db))
        current = {pattern.id: pattern for pattern in patterns_in(db, fewest_stories=1)}
    entry = find_entry(name, catalog.entries, lambda: {own: entry_from(pattern) for own, pattern in current.items()})
    return ShownPattern(entry=entry, current=current.get(entry.id), history=catalog.history(entry.id))


def list_undecided(world: World, wanted: Filter = _ANY, fewest_stories: int = FEWEST_STORIES) -> list[Pattern]:
    """What was found and nobody has decided about."""
    decided = catalog_of(world).entries
    return [pattern for pattern in detect(world, wanted, fewest_stories) if pattern.id not in decided]


def log(world: World, name: str = "") -> list[EntryVersion]:
    """What was decided, about one pattern or all, the latest first; also what was taken back."""
    catalog = catalog_of(world)
    if name:
        own = match_id(name, catalog.ids, _UNDECIDED.format(name))
        return catalog.all_versions(own)[::-1]
    versions = (version for own in catalog.ids for version in catalog.all_versions(own))
    return sorted(versions, key=lambda version: (-version.at_ms, -version.number, version.entry.id))


def diff(world: World, name: str, old: str = "", new: str = "") -> list[str]:
    """The lines in which two versions of a pattern differ; without names, the last two that stand."""
    catalog = catalog_of(world)
    own = match_id(name, catalog.ids, _UNDECIDED.format(name))
    versions = {version.entry.version: version.entry for version in catalog.all_versions(own)}
    standing = [version.entry.version for version in catalog.history(own)]
    new = new or (standing[-1] if standing else list(versions)[-1])
    before = list(versions)[: list(versions).index(new)] if new in versions else []
    earlier = [version for version in standing if version in before] or before
    old = old or (earlier[-1] if earlier else "")
    for version in filter(None, (old, new)):
        if version not in versions:
            raise UsageError(f"{own} has no version {version}. It has {', '.join(versions)}.")
    before_lines, after_lines = (_lines(versions[version]) if version else [] for version in (old, new))
    names = (f"{own} {old or 'nothing'}", f"{own} {new}")
    return list(difflib.unified_diff(before_lines, after_lines, *names, lineterm=""))


def _lines(entry: CatalogEntry) -> list[str]:
    """One for each field, and one for each piece of evidence."""
    fields = msgspec.structs.asdict(entry)
    pieces = [f"evidence = {msgspec.json.encode(piece).decode()}" for piece in fields.pop("evidence")]
    return [*(f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in fields.items()), *pieces]
