"""`afterwit share status` and `log`: what is shared, what would leave and come in, and who said what."""

import msgspec

from afterwit.config.world import World
from afterwit.guards.history import FixPlace
from afterwit.share.folder import ShareFolder
from afterwit.share.local_notes import local_notes
from afterwit.share.place import shares_of
from afterwit.share.pull import Pulled, pull
from afterwit.share.push import Pushed, PushRequest, push
from afterwit.share.records import LineKind
from afterwit.store.store import opened


class SharedRow(msgspec.Struct, frozen=True, kw_only=True):
    """One note of a share, as `status` shows it."""

    share: str
    id: str
    item: str  # here; "" where it is not
    fact: str
    approved_by: list[str]
    rejected_by: str
    status: str  # here, in words


class LogRow(msgspec.Struct, frozen=True, kw_only=True):
    share: str
    id: str
    at_ms: int
    by: str
    machine: str
    what: str
    fact: str


class ShareStatus(msgspec.Struct, frozen=True, kw_only=True):
    notes: list[SharedRow]
    outgoing: list[Pushed]  # what a push would do now
    incoming: list[Pulled]  # and a pull


def status(world: World, place: FixPlace) -> ShareStatus:
    """Every note of the shares, and what a push and a pull would do now."""
    rows = []
    for share in shares_of(world, place):
        folder = ShareFolder(share.folder)
        with opened(world.layout) as store:
            here = {own: note.item for own, note in local_notes(store.db, share.repo).items()}
        for own, note in folder.notes(world.now_ms).items():
            item = here.get(own)
            rows.append(
                SharedRow(
                    share=share.name,
                    id=own,
                    item=item.id if item is not None else "",
                    fact=note.words.fact,
                    approved_by=list(note.approved_by),
                    rejected_by=note.rejected_by,
                    status=item.status.in_words if item is not None else "not taken in",
                )
            )
    outgoing = push(world, place, lambda _: False, PushRequest(is_dry_run=True)) or []
    return ShareStatus(notes=rows, outgoing=outgoing, incoming=pull(world, place, is_dry_run=True))


def log(world: World, place: FixPlace) -> list[LogRow]:
    """Who said what, the latest first."""
    rows = []
    for share in shares_of(world, place):
        folder = ShareFolder(share.folder)
        notes = folder.notes(world.now_ms)
        for own, file in folder.files.items():
            fact = notes[own].words.fact if own in notes else ""
            rows += [
                LogRow(
                    share=share.name,
                    id=own,
                    at_ms=line.clock_ms,
                    by=line.by,
                    machine=line.machine,
                    what="shared" if line.kind is LineKind.NOTE else str(line.kind),
                    fact=fact,
                )
                for line in file.lines
                if line.kind is not LineKind.EVIDENCE
            ]
    return sorted(rows, key=lambda row: (-row.at_ms, row.id, row.by, row.what))
