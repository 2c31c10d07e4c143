"""Which versions of patterns were published when, as the journal says it: for whoever tells versions apart."""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

import apsw
import msgspec

from afterwit.store.decisions.decided import PatternEntry, Recorded
from afterwit.store.rows.patterns import pattern_decisions


class PublishedForm(StrEnum):
    """As what a pattern goes out."""

    NOTE = "note"
    SKILL = "skill"
    BLOCK = "block"


class PublishedVersion(NamedTuple):
    """A version of a pattern, under the name by which sessions show it: the id of a note, the name of a skill."""

    name: str
    pattern: str
    version: str
    at_ms: int


def recorded_patterns(db: apsw.Connection) -> list[Recorded]:
    """The entries of the journal about patterns, in the order in which they count."""
    return [
        Recorded(row.machine, row.number, row.at_ms, row.kind, "", msgspec.json.decode(row.body))
        for row in pattern_decisions(db)
    ]


def published_versions(recorded: Iterable[Recorded], form: PublishedForm) -> list[PublishedVersion]:
    """All that were ever published in this form, in the order of the journal."""
    return [
        PublishedVersion(str(entry.body["name"]), pattern, str(version), entry.at_ms)
        for entry in recorded
        if entry.kind == PatternEntry.PUBLISHED and entry.body["form"] == form
        for pattern, version in entry.body["patterns"].items()
    ]
