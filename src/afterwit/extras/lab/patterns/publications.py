"""What is published where, as it follows from the journal. Pure.

An entry says what a place holds since then: a note, a skill's file, or our block in a file, with the patterns in it and
their versions. Files count on the machine that wrote them, notes wherever the journal is.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec

from afterwit.connect.foreign_files import FileRecord
from afterwit.store.decisions import JournalEntry, PatternEntry
from afterwit.store.rows.extras import PublishedForm


class PlacedPatterns(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The body of an entry: what a place holds."""

    form: PublishedForm
    place: str  # the path of a file, as journals hold it; of a note its id
    name: str  # the id of a note, the name of a skill, "" of a block
    patterns: dict[str, str]  # versions by id; none: it was taken back
    agents: tuple[str, ...] = ()  # that read a skill there
    file: FileRecord | None = None
    block: str = ""  # the hash of a block


class PublishedPlace(NamedTuple):
    """What a place holds now, and all that was written there since it was last empty."""

    placed: PlacedPatterns
    at_ms: int
    records: tuple[FileRecord, ...] = ()
    blocks: frozenset[str] = frozenset()

    @property
    def form(self) -> PublishedForm:
        return self.placed.form

    @property
    def place(self) -> str:
        return self.placed.place


Publications = Mapping[tuple[PublishedForm, str], PublishedPlace]


def publications(recorded: Iterable[JournalEntry], machine: str) -> Publications:
    """What is published, by form and place."""
    standing: dict[tuple[PublishedForm, str], PublishedPlace] = {}
    for entry in recorded:
        if entry.kind not in (PatternEntry.PUBLISHED, PatternEntry.UNPUBLISHED):
            continue
        placed = msgspec.convert(dict(entry.body), PlacedPatterns)
        if placed.form is not PublishedForm.NOTE and entry.machine != machine:
            continue
        key = (placed.form, placed.place)
        before = standing.pop(key, None)
        if entry.kind == PatternEntry.PUBLISHED:
            records, blocks = (before.records, before.blocks) if before else ((), frozenset[str]())
            records = (*records, placed.file) if placed.file else records
            standing[key] = PublishedPlace(placed, entry.at_ms, records, blocks | ({placed.block} - {""}))
    return standing


def of_pattern(published: Publications, own: str) -> list[PublishedPlace]:
    """Where a pattern is published."""
    return [publication for publication in published.values() if own in publication.placed.patterns]
