"""`afterwit share status` and `log`: what is shared, what would leave and come in, and who said what."""

from collections.abc import Iterable, Iterator

import msgspec

from afterwit.capture.checkouts import GitCheckout
from afterwit.config.world import World
from afterwit.extras.team.folder import ShareFolder
from afterwit.extras.team.outgoing import local_notes, page_notes
from afterwit.extras.team.place import shares_of
from afterwit.extras.team.pull import Pulled, pull
from afterwit.extras.team.push import Pushed, PushRequest, push
from afterwit.extras.team.records import LineKind, SharedLine, mark_of
from afterwit.store.store import open_store


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


def status(world: World, place: GitCheckout) -> ShareStatus:
    """Every note of the shares, and what a push and a pull would do now."""
    rows = []
    for share in shares_of(world, place):
        folder = ShareFolder(share.folder)
        with open_store(world.layout) as store:
            notes = local_notes(store.db, share.repo) | page_notes(store.db, share.repo)
        here = {own: note.item for own, note in notes.items()}
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


def log(world: World, place: GitCheckout) -> list[LogRow]:
    """Who said what, the latest first."""
    rows = []
    for share in shares_of(world, place):
        folder = ShareFolder(share.folder)
        for own, file in folder.files.items():
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
                for line, fact in _with_facts(file.lines)
            ]
    return sorted(rows, key=lambda row: (-row.at_ms, row.id, row.by, row.what))


def _with_facts(lines: Iterable[SharedLine]) -> Iterator[tuple[SharedLine, str]]:
    """What was said, with the words that it is about: an approval is one of the words that it names, or else of the
    author's own, and a rejection one of those that stood there before. "" where none of them are left."""
    ordered = sorted(lines, key=lambda line: (line.order, line.kind is not LineKind.NOTE))
    worded = [(line.by, line.words) for line in ordered if line.words is not None]
    of_author = {by: words.fact for by, words in worded}
    by_mark = {mark_of(words): words.fact for _, words in worded}
    latest = ""
    for line in ordered:
        if line.words is not None:
            latest = line.words.fact
        if line.kind is LineKind.APPROVED:
            yield line, by_mark.get(line.of) or of_author.get(line.by, "")
        elif line.kind is not LineKind.EVIDENCE:
            yield line, latest
