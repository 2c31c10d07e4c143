"""The block of a share in AGENTS.md: for agents that have the files alone, in continuous integration and in sandboxes.

In it stand the notes that a person approved here and nobody rejected, as every agent may read them. Once there is a
block, every push brings it up to date. Around it nothing is touched, and who does not want it any more takes it out.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from afterwit.connect.foreign_files import look, replace
from afterwit.edits.edits import UnreadableError
from afterwit.edits.own_text import MarkedBlock
from afterwit.extras.team.outgoing import LocalNote
from afterwit.extras.team.records import SharedNote
from afterwit.knowledge.shown_items import sentence
from afterwit.model.errors import UsageError
from afterwit.model.knowledge import Item, ItemStatus
from afterwit.redaction.markers import CLOSING, OPENING
from afterwit.redaction.shown import NOTHING, Shown, between_markers, joined, ours

AGENTS_FILE = "AGENTS.md"
_NAME = "share"


def refresh(root: Path, notes: Iterable[Item], *, is_wanted: bool | None) -> list[str]:
    """Writes the block where it is wanted, or there already (None); takes it out where it is not. The changed file."""
    file = look(root / AGENTS_FILE)
    text = block_of(notes)
    edit = MarkedBlock(file.path, text, name=_NAME)
    try:
        before = (file.content or b"").decode()
        is_kept = edit.text_in(before) is not None if is_wanted is None else is_wanted
        wanted = edit.added(before) if text and is_kept else edit.removed(before)
    except (UnreadableError, UnicodeDecodeError) as error:
        raise UsageError(f"{file.path}: {error}. Nothing was written.") from error
    if wanted == before:
        return []
    replace(file, wanted.encode() or None)
    return [AGENTS_FILE]


def block_of(notes: Iterable[Item]) -> Shown:
    """What stands in it; "" where there is nothing to say."""
    lines = [joined((ours("- "), said)) for item in notes if (said := sentence(item))]
    return between_markers(joined(sorted(lines), "\n"), OPENING, CLOSING) if lines else NOTHING


def approved_here(notes: Mapping[str, LocalNote], shared: Mapping[str, SharedNote]) -> list[Item]:
    """The notes of a share that a person here stands behind."""
    return [
        note.item
        for own, note in notes.items()
        if own in shared
        and not shared[own].rejected_by
        and note.will.is_approved
        and note.item.status is ItemStatus.ACTIVE
    ]
