"""`afterwit share push`: writes what this machine has to say into the files of a share.

A look for secrets stops everything before the first file is written. In a checkout the files are left to the user's
next commit, unless one is asked for; a repository of its own is fetched before, and committed and sent after. Repeating
it does nothing that was done.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from afterwit.capture.checkouts import GitCheckout
from afterwit.config.world import World, redactor_of
from afterwit.connect.foreign_files import look, replace
from afterwit.edits.edits import UnreadableError
from afterwit.edits.own_text import MarkedBlock
from afterwit.extras.team.folder import FOLDER, BadLine, ShareFolder
from afterwit.extras.team.git_commands import ShareGit
from afterwit.extras.team.outgoing import LocalNote, Sharer, local_notes, own_lines, page_notes
from afterwit.extras.team.place import Share, author_of, git_in, shares_of
from afterwit.extras.team.records import LineKind, SharedLine, SharedNote, next_clock, with_own
from afterwit.knowledge.door.list import find_item
from afterwit.knowledge.shown_items import sentence
from afterwit.model.errors import UsageError
from afterwit.model.knowledge import Item, ItemStatus
from afterwit.redaction.markers import CLOSING, OPENING
from afterwit.redaction.shown import NOTHING, Shown, between_markers, joined, ours
from afterwit.store.store import open_store, require

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


def notes_approved_here(notes: Mapping[str, LocalNote], shared: Mapping[str, SharedNote]) -> list[Item]:
    """The notes of a share that a person here stands behind."""
    return [
        note.item
        for own, note in notes.items()
        if own in shared
        and not shared[own].rejected_by
        and note.will.is_approved
        and note.item.status is ItemStatus.ACTIVE
    ]


class PushRequest(NamedTuple):
    """How a push is wanted."""

    rules: Sequence[str] = ()  # notes in a user's own words that are to be rules of the project
    is_committed: bool = False
    is_in_agents_file: bool | None = None  # None: where the block is there already
    is_dry_run: bool = False


PLAINLY = PushRequest()


class SharedChange(msgspec.Struct, frozen=True, kw_only=True):
    """What a push says anew of one note, or a pull brings."""

    id: str  # in the share
    change: str  # shared, changed, approved, rejected, taken back; of a pull: new, changed, rejected, gone
    fact: str
    by: str = ""


class Pushed(msgspec.Struct, frozen=True, kw_only=True):
    share: str
    changes: list[SharedChange]
    files: list[str]
    bad: list[BadLine]
    is_committed: bool = False
    is_sent: bool = False
    is_dry_run: bool = False


def push(
    world: World,
    place: GitCheckout,
    agree: Callable[[Pushed], bool],
    request: PushRequest = PLAINLY,
) -> list[Pushed] | None:
    """Writes what this machine has to say, if `agree` says so to each plan; None: it did not."""
    require(world.layout)
    done = []
    for share in shares_of(world, place):
        with git_in(world, share, is_dry_run=request.is_dry_run) as git:
            pushed = _push(world, share, git, agree, request)
        if pushed is None:
            return None
        done.append(pushed)
    return done


def _push(
    world: World, share: Share, git: ShareGit, agree: Callable[[Pushed], bool], request: PushRequest
) -> Pushed | None:
    if share.is_own and not request.is_dry_run:
        git.fetch(FOLDER)
    folder = ShareFolder(share.folder)
    shared = folder.notes(world.now_ms)
    with open_store(world.layout) as store:
        named = [find_item(store.db, name).id for name in request.rules]
        sharer = Sharer(author_of(world, git), store.journal.machine, world.settings.share.policy, frozenset(named))
        notes = local_notes(store.db, share.repo) | page_notes(store.db, share.repo)
    before = {own: _own(file.lines, sharer) for own, file in folder.files.items() if _own(file.lines, sharer)}
    clock_ms = next_clock((file.lines for file in folder.files.values()), world.now_ms)
    lines = own_lines(notes, shared, before, sharer, share.lies_in, clock_ms)
    lines = {own: some for own, some in lines.items() if own not in folder.closed}
    changes = []
    for own, some in sorted(lines.items()):
        present = folder.files[own].lines if own in folder.files else ()
        folder.put(own, with_own(present, some, sharer.by, sharer.machine))
        changes += changes_of(own, before.get(own, ()), some, shared)
    refuse_secrets(world, lines)
    plan = Pushed(share=share.name, changes=changes, files=[], bad=folder.bad, is_dry_run=request.is_dry_run)
    if request.is_dry_run:
        return plan
    if changes and not agree(plan):
        return None
    files = folder.write(world.now_ms)
    if not share.is_own:
        told = notes_approved_here(notes, folder.notes(world.now_ms))
        files += refresh(share.root, told, is_wanted=request.is_in_agents_file)
    may_commit = share.is_own or request.is_committed
    has_committed = may_commit and git.commit(FOLDER)
    if share.is_own:
        git.send(FOLDER)
    return msgspec.structs.replace(plan, files=files, is_committed=has_committed, is_sent=share.is_own)


def _own(lines: Sequence[SharedLine], sharer: Sharer) -> tuple[SharedLine, ...]:
    return tuple(line for line in lines if (line.by, line.machine) == (sharer.by, sharer.machine))


def changes_of(
    own: str, before: Sequence[SharedLine], after: Sequence[SharedLine], shared: Mapping[str, SharedNote]
) -> list[SharedChange]:
    """What the lines of one machine say anew, evidence aside."""
    had, has = ({line.content: line for line in lines} for lines in (before, after))
    worded = next((line.words for line in (*after, *before) if line.words is not None), None)
    fact = worded.fact if worded is not None else shared[own].words.fact if own in shared else ""
    if not after:
        return [SharedChange(id=own, change="taken back", fact=fact)] if before else []
    had_words = any(line.words is not None for line in before)
    changes = []
    for content, line in has.items():
        if content in had or line.kind is LineKind.EVIDENCE:
            continue
        change = ("changed" if had_words else "shared") if line.kind is LineKind.NOTE else str(line.kind)
        changes.append(SharedChange(id=own, change=change, fact=fact))
    return changes


def refuse_secrets(world: World, lines: Mapping[str, Sequence[SharedLine]]) -> None:
    """Stops a push whose lines redaction would change: whatever it found may not leave."""
    redact = redactor_of(world).value
    for own, some in sorted(lines.items()):
        plain = msgspec.to_builtins([_text_of(line) for line in some])
        if msgspec.json.encode(redact(plain)) != msgspec.json.encode(plain):
            raise UsageError(
                f"Note {own} holds what looks like a secret or the name of a person, and nothing was shared."
                f" `afterwit knowledge show {own}` shows it; `afterwit knowledge edit {own}` gives it other words."
            )


def _text_of(line: SharedLine) -> object:
    """What a line says. A hash is ours and says nothing, and by chance looks like the number of a card."""
    piece = line.evidence
    return line.words if piece is None else msgspec.structs.replace(piece, hash="")
