"""Which versions of patterns were published when, as the journal says it: for whoever tells versions apart. Pure."""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from afterwit.decisions.decided import PatternEntry, Recorded


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


def published_versions(recorded: Iterable[Recorded], form: PublishedForm) -> list[PublishedVersion]:
    """All that were ever published in this form, in the order of the journal."""
    return [
        PublishedVersion(str(entry.body["name"]), pattern, str(version), entry.at_ms)
        for entry in recorded
        if entry.kind == PatternEntry.PUBLISHED and entry.body["form"] == form
        for pattern, version in entry.body["patterns"].items()
    ]
