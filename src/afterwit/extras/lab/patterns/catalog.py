"""The catalog: what follows from everything that people decided about patterns. Pure.

A decision says what the patterns it is about are from then on, whole. So a version is a decision, what stands is the
last one of each pattern that nobody took back, and a rebuilt store has the same catalog. Version numbers are used once:
after an undo the next one is above all that were ever given.

A first approval is 1.0.0. Other words, and a changed mind, count up the last number; another place or other conditions
the middle one; merging and splitting the first.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from afterwit.extras.lab.patterns.detect import Pattern, PatternEvidence
from afterwit.model.errors import UsageError
from afterwit.model.knowledge import EVERYWHERE
from afterwit.redaction.hygiene import clean
from afterwit.redaction.markers import unkeyed
from afterwit.store.decisions import JournalEntry, PatternEntry, in_force

_EXCERPT = 120
_FIRST_APPROVED = "1.0.0"
_FIRST_OTHER = "0.1.0"


class EntryStatus(StrEnum):
    APPROVED = "approved"
    REJECTED = "rejected"
    MERGED = "merged"  # into another
    SPLIT = "split"  # into others
    QUARANTINED = "quarantined"  # came in a file of patterns, which earlier versions took in: a person has to decide

    @property
    def in_words(self) -> str:
        """As people read it; the value is for files and JSON."""
        return "needs your approval" if self is EntryStatus.QUARANTINED else self.value


class CatalogDecision(StrEnum):
    APPROVE = "approve"
    REJECT = "reject"
    EDIT = "edit"
    MERGE = "merge"
    SPLIT = "split"
    INSTALL = "install"  # of a file of patterns, by an earlier version


class Bump(StrEnum):
    MAJOR = "major"
    MINOR = "minor"
    PATCH = "patch"


class CatalogEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A pattern as people decided about it, in one version."""

    id: str
    version: str = ""
    status: EntryStatus = EntryStatus.APPROVED
    kind: str = ""
    side: str = ""
    title: str = ""
    text: str = ""
    scope: str = ""
    triggers: tuple[str, ...] = ()
    made_from: tuple[str, ...] = ()  # ids of patterns that were merged into it, or of which it is a part
    became: tuple[str, ...] = ()  # ids of the pattern that it went into, or of its parts
    evidence: tuple[PatternEvidence, ...] = ()


class PatternDecided(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The body of an entry in the journal."""

    decision: CatalogDecision
    entries: tuple[CatalogEntry, ...]
    what: str = ""  # in words of ours


class EntryVersion(NamedTuple):
    """One version of a pattern, and how it came about."""

    entry: CatalogEntry
    decision: CatalogDecision
    what: str
    at_ms: int
    number: int
    is_undone: bool = False


class Catalog:
    """All that follows from the entries of the journal, given in their order."""

    def __init__(self, recorded: Sequence[JournalEntry]) -> None:
        self.recorded = list(recorded)
        standing = in_force(self.recorded, PatternEntry.UNDONE)
        kept = {(entry.machine, entry.number) for entry in standing}
        self.standing = [entry for entry in standing if entry.kind == PatternEntry.DECIDED]
        self._versions: dict[str, list[EntryVersion]] = {}
        for entry in self.recorded:
            if entry.kind == PatternEntry.DECIDED:
                decided = msgspec.convert(dict(entry.body), PatternDecided)
                is_undone = (entry.machine, entry.number) not in kept
                for pattern in decided.entries:
                    version = EntryVersion(
                        pattern, decided.decision, decided.what, entry.at_ms, entry.number, is_undone
                    )
                    self._versions.setdefault(pattern.id, []).append(version)

    @property
    def entries(self) -> dict[str, CatalogEntry]:
        """What stands, by id."""
        standing = {own: self.history(own) for own in sorted(self._versions)}
        return {own: history[-1].entry for own, history in standing.items() if history}

    @property
    def ids(self) -> frozenset[str]:
        """Of all patterns that anything was ever decided about."""
        return frozenset(self._versions)

    def history(self, own: str) -> list[EntryVersion]:
        """The versions of a pattern that stand, the first one first."""
        return [version for version in self._versions.get(own, ()) if not version.is_undone]

    def all_versions(self, own: str) -> list[EntryVersion]:
        """Also those that were taken back."""
        return list(self._versions.get(own, ()))

    def next_version(self, own: str, bump: Bump, status: EntryStatus) -> str:
        given = [[int(number) for number in made.entry.version.split(".")] for made in self._versions.get(own, ())]
        if not given:
            return _FIRST_APPROVED if status is EntryStatus.APPROVED else _FIRST_OTHER
        major, minor, patch = max(given)
        if bump is Bump.MAJOR or (not major and status is EntryStatus.APPROVED):
            return f"{major + 1}.0.0"
        return f"{major}.{minor + 1}.0" if bump is Bump.MINOR else f"{major}.{minor}.{patch + 1}"


def entry_from(pattern: Pattern) -> CatalogEntry:
    """A pattern that was found, ready to be decided about. Of what was redacted only the type is left: patterns leave
    the machine."""
    words = (" ".join(clean(unkeyed(piece.excerpt)).split())[:_EXCERPT] for piece in pattern.evidence)
    return CatalogEntry(
        id=pattern.id,
        kind=pattern.kind,
        side=pattern.side,
        title=pattern.title,
        text=pattern.text,
        scope=str(pattern.scope),
        triggers=pattern.triggers,
        evidence=tuple(replace(piece, excerpt=text) for piece, text in zip(pattern.evidence, words, strict=True)),
    )


def name_scope(scope: str) -> str:
    """Where a pattern counts, as people write it."""
    return "everywhere" if scope == str(EVERYWHERE) else scope


def match_id(name: str, ids: Iterable[str], missing: str) -> str:
    """The only id that begins with the name."""
    fitting = sorted(own for own in ids if name and own.startswith(name))
    if len(fitting) > 1:
        raise UsageError(f"Several patterns begin with {name!r}: {', '.join(fitting)}.")
    if not fitting:
        raise UsageError(missing)
    return fitting[0]
