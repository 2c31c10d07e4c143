"""Knowledge as files: writes a folder for people and for git, and takes one in from elsewhere.

A folder is written whole or not at all file by file, unchanged files are left alone, and pages of ours that no longer
have a subject are removed; nothing else in it is touched. What comes in is redacted once more, has its folder as its
only origin, and waits for a person. Several folders give the same in any order.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec

from afterwit.config.world import World, redactor_of
from afterwit.engine.curation.brief import lines_by_title, view_in
from afterwit.engine.curation.curate import DecisionDesk, decision_desk
from afterwit.knowledge.belief import HALF_LIFE_DAYS, belief_by, prior_of
from afterwit.knowledge.documents import (
    Confidence,
    Document,
    PageFolder,
    WrittenItem,
    decoded,
    document,
    encoded,
    evidence_in,
    is_ours,
    merge,
    pages,
)
from afterwit.knowledge.door.list import ItemFilter, all_items, resolve_filter
from afterwit.knowledge.door.listeners import listener_here
from afterwit.knowledge.shown_items import for_others, may_be_told_to
from afterwit.model.errors import UsageError
from afterwit.model.knowledge import IMPORT, Channel, Draft, Evidence, Item, ScopeKind, SessionRef
from afterwit.store.atomic import replace_file
from afterwit.store.decisions import KnowledgeEntry, in_force
from afterwit.store.regular_files import read_regular
from afterwit.store.rows.items import recorded
from afterwit.store.store import readonly_database

INDEX = "index.json"
_MOST_BYTES = 64_000_000
_LONGEST_NAME = 60
_DIGITS = 6


class Exported(msgspec.Struct, frozen=True, kw_only=True):
    folder: str
    items: int
    written: list[str]  # files, below the folder
    removed: list[str]
    unchanged: int


class Incoming(msgspec.Struct, frozen=True, kw_only=True):
    """What one folder brings."""

    source: str
    items: int
    new: int  # that bring something this store does not know
    facts: list[str]  # of the new ones


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    folders: list[Incoming]
    is_dry_run: bool = False

    @property
    def new(self) -> int:
        return sum(folder.new for folder in self.folders)


def export(world: World, folder: Path, wanted: ItemFilter, *, is_merged: bool = False) -> Exported:
    """Writes the items that fit. `is_merged`: united with what the folder holds already. A brief is one store's own, so
    that the page of a repository lists its notes where several stores write."""
    with readonly_database(world.layout) as db:
        wanted = resolve_filter(db, world, wanted)
        to = listener_here(db, world)
        fitting = [item for item in all_items(db) if wanted.fits(item) and may_be_told_to(item, to)]
        repos = {item.scope.name for item in fitting if item.scope.kind is ScopeKind.REPO and not is_merged}
        briefs = {repo: lines_by_title(view_in(db, world, repo)) for repo in sorted(repos)}
    whole = document(map(for_others, fitting))
    earlier = _earlier(folder)
    if is_merged and earlier is not None:
        whole = merge([earlier, whole], confidence_at(world.now_ms))
    content = {INDEX: encoded(whole)} | {path: text.encode() for path, text in pages(whole, briefs).items()}
    written = [path for path, data in sorted(content.items()) if _write(folder, path, data)]
    removed = [path for path in _own_pages(folder) if path not in content]
    for path in removed:
        (folder / path).unlink()
    return Exported(
        folder=str(folder),
        items=len(whole.items),
        written=written,
        removed=removed,
        unchanged=len(content) - len(written),
    )


def import_folders(
    world: World, folders: Sequence[Path], agree: Callable[[Imported], bool], *, is_dry_run: bool = False
) -> Imported | None:
    """Takes folders in, if `agree` says so to the plan; None: it did not. Everything is read before anything is."""
    sources = [(_name(folder), _document(folder)) for folder in folders]
    with decision_desk(world, is_new=True) as desk:
        redact = redactor_of(world).value
        read = [(source, _redact(whole, redact)) for source, whole in sources]
        items = {item.id: item for item in all_items(desk.store.db)}
        taken = _take(desk)
        brought = [(source, whole, _new(whole, source, items, taken)) for source, whole in read]
        planned = Imported(folders=[_incoming(*folder) for folder in brought], is_dry_run=is_dry_run)
        if is_dry_run or not planned.new:
            return planned
        if not agree(planned):
            return None
        bodies = [{"source": source, "drafts": msgspec.to_builtins(drafts)} for source, _, drafts in brought if drafts]
        desk.note(*((KnowledgeEntry.IMPORTED, body) for body in bodies))
        desk.settle()
        return planned


def confidence_at(now_ms: int) -> Confidence:
    """How strongly a written item is believed, by its evidence alone."""

    def confidence(item: WrittenItem) -> float:
        prior, half_life = prior_of(item.harvester, item.channel), HALF_LIFE_DAYS[item.category]
        return belief_by(prior, evidence_in(item), now_ms=now_ms, half_life_days=half_life).mean

    return confidence


def _earlier(folder: Path) -> Document | None:
    """What the folder holds; None where it is new or empty. A folder of other things is refused."""
    if folder.is_symlink():
        raise UsageError(f"{folder} is a symbolic link. Name the folder itself.")
    if not folder.exists():
        return None
    if not folder.is_dir():
        raise UsageError(f"{folder} is a file, not a folder. Name another one.")
    if (folder / INDEX).exists():
        return _document(folder)
    if any(not entry.name.startswith(".") for entry in folder.iterdir()):
        raise UsageError(f"{folder} holds other things and no {INDEX}. Name an empty or a new folder.")
    return None


def _document(folder: Path) -> Document:
    path = folder / INDEX if folder.is_dir() else folder
    try:
        if path.exists() and not path.is_file():
            raise UsageError(f"{path} is no regular file. Name a folder that `afterwit knowledge export` wrote.")
        content = read_regular(path, _MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(f"There is no {path}. Name a folder that `afterwit knowledge export` wrote.") from None
    if len(content) > _MOST_BYTES:
        raise UsageError(f"{path} is larger than {_MOST_BYTES // 1_000_000} MB. Import a smaller part of it.")
    return decoded(content, str(path))


def _write(folder: Path, inside: str, data: bytes) -> bool:
    """Writes one file beside, then gives it its name; False where it is the same already."""
    path = folder / inside
    for parent in (folder, path.parent):
        if parent.is_symlink():
            raise UsageError(f"{parent} is a symbolic link and is left alone. Remove it, or name another folder.")
        parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if path.is_file() and not path.is_symlink() and read_regular(path) == data:
        return False
    replace_file(path, data)
    return True


def _own_pages(folder: Path) -> list[str]:
    """Pages that an export wrote; what people put beside them is theirs."""
    return [
        f"{name}/{path.name}"
        for name in PageFolder
        for path in sorted((folder / name).glob("*.md"))
        if path.is_file() and not path.is_symlink() and is_ours(read_regular(path).decode("utf-8", "replace"))
    ]


def _name(folder: Path) -> str:
    """What the evidence of a folder has as its origin: `forget --origin` takes it back.

    Many folders are called `knowledge`, so that a few digits say which. They come from the path, not from the content:
    a folder that is imported again after a change is still the same origin.
    """
    resolved = folder.resolve()
    place = resolved.parent if resolved.name == INDEX else resolved
    which = hashlib.sha256(os.fsencode(place)).hexdigest()[:_DIGITS]
    return f"{IMPORT}:{place.name[:_LONGEST_NAME] or 'root'}-{which}"


def _redact(whole: Document, redact: Callable[[object], object]) -> Document:
    items = msgspec.convert(redact(msgspec.to_builtins(whole.items)), list[WrittenItem])
    return Document(items=tuple(items))


def _take(desk: DecisionDesk) -> set[str]:
    """Drafts of earlier imports that stand, each as its text."""
    return {
        _text(draft)
        for entry in in_force(recorded(desk.store.db))
        if entry.kind == KnowledgeEntry.IMPORTED
        for draft in msgspec.convert(entry.body["drafts"], list[Draft])
    }


def _new(whole: Document, source: str, items: dict[str, Item], taken: set[str]) -> list[Draft]:
    """Drafts of what is neither known here with all its evidence nor imported before."""
    drafts = (_draft(item, source) for item in whole.items if not _is_known(item, items.get(item.id)))
    return [draft for draft in drafts if _text(draft) not in taken]


def _is_known(item: WrittenItem, own: Item | None) -> bool:
    if own is None:
        return False
    pieces = {_piece(piece) for piece in own.evidence}
    return all(_piece(piece) in pieces for piece in evidence_in(item))


def _piece(piece: Evidence) -> tuple[str, str, int | None, bool]:
    return piece.session.agent, piece.session.native_id, piece.at, piece.is_against


def _draft(item: WrittenItem, source: str) -> Draft:
    """An item from elsewhere: whatever it says of itself, its words and its evidence are imported."""
    own = evidence_in(item) or (_without_evidence(item, source),)
    pieces = (msgspec.structs.replace(piece, channel=Channel.IMPORTED, source=source) for piece in own)
    return Draft(
        harvester=IMPORT,
        key=(item.id,),
        scope=item.place,
        category=item.category,
        sentence=item.fact,
        channel=Channel.IMPORTED,
        triggers=item.triggers,
        advice=item.advice,
        files=item.files,
        evidence=tuple(pieces),
        saves=item.saves,
    )


def _without_evidence(item: WrittenItem, source: str) -> Evidence:
    """That it was in the folder is all that is known of it."""
    session = SessionRef(agent=IMPORT, native_id=source, story=source)
    return Evidence(session=session, channel=Channel.IMPORTED, excerpt=item.fact)


def _text(draft: Draft) -> str:
    return msgspec.json.encode(draft, order="deterministic").decode()


def _incoming(source: str, whole: Document, drafts: Iterable[Draft]) -> Incoming:
    facts = [draft.sentence for draft in drafts]
    return Incoming(source=source, items=len(whole.items), new=len(facts), facts=facts)
