"""`store backup create`: one more snapshot at a target.

A file is sent in pieces, each an object of its own, and what is there is not sent again. Everything that was sent is
read back before the list of files that makes it a snapshot is written, so that a run that is stopped, finds the disk
full or loses its target leaves the last good snapshot. What it has sent is noted on this machine, so that the next run
goes on; but not for long: others may remove what no list names. The lease of the store is held meanwhile: nothing is
learned, and two backups do not mix.
"""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import msgspec

from afterwit import __version__
from afterwit.config.world import World
from afterwit.extras.backup.daily import note_backup, note_failure
from afterwit.extras.backup.keys import BackupKeys
from afterwit.extras.backup.manifest import (
    Manifest,
    PackedObject,
    SnapshotFile,
    StoredPiece,
    hash_of_piece,
    is_safe_path,
)
from afterwit.extras.backup.vault import (
    UNNAMED_MS,
    Vault,
    header_at,
    is_ahead,
    scratch_folder,
    several_at_once,
    vault_at,
)
from afterwit.model import zstd
from afterwit.model.errors import AfterwitError, BackupDamagedError, BackupError, BusyError, StoreError
from afterwit.model.learn_run import Progress
from afterwit.store.atomic import PRIVATE, step
from afterwit.store.copies import copy_database, facts_of_copy, machine_of_copy
from afterwit.store.database import translate_error
from afterwit.store.layout import Layout
from afterwit.store.regular_files import open_regular, read_regular
from afterwit.store.store import hold_lease, open_store, require

_HISTORY = "metrics/history.jsonl"
_FILES = ("redaction.key", "archive.mark", "config.toml", "views.json", "deck.db", _HISTORY)
_FOLDERS = ("archive", "spool", "templates", "patterns", "deck", "sources")
_QUEUE = "memory-queue.db"


class StoreFile(NamedTuple):
    path: str  # in the store
    source: Path  # where its bytes are read
    size_bytes: int
    stamp: tuple[int, ...]  # () for what is to be read in any case


def collect(layout: Layout, scratch: Path) -> list[StoreFile]:
    """All files of a backup; copies of the databases, and of what changes with them, lie in `scratch`."""
    heads = [_copy(path, scratch, shutil.copyfile) for path in [layout.journal_heads] if path.is_file()]
    databases = [layout.database, layout.journal, *(path for path in [layout.root / _QUEUE] if path.is_file())]
    copies = [_copy(path, scratch, copy_database) for path in databases]
    singles = [file for path in _FILES for file in _single(layout, path)]
    return [*copies, *heads, *singles, *(file for folder in _FOLDERS for file in _below(layout, folder))]


def _copy(path: Path, scratch: Path, copy: Callable[[Path, Path], object]) -> StoreFile:
    copied = scratch / path.name
    copy(path, copied)
    return StoreFile(path.name, copied, copied.stat().st_size, ())


def _single(layout: Layout, path: str) -> Iterator[StoreFile]:
    source = layout.root / path
    if source.is_file():  # people may keep their settings behind a link
        yield StoreFile(path, source, source.stat().st_size, ())


def _below(layout: Layout, folder: str) -> Iterator[StoreFile]:
    """Regular files, in the order of their names. Hidden ones are half-written; so are other endings in the archive."""
    for parent, folders, names in os.walk(layout.root / folder):
        folders.sort()
        for name in sorted(names):
            source = Path(parent, name)
            path = source.relative_to(layout.root).as_posix()
            if name.startswith(".") or (folder == "archive" and source.suffix != ".zst"):
                continue
            if source.is_symlink() or not source.is_file() or not is_safe_path(path):
                continue
            status = source.stat()
            stamp = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
            yield StoreFile(path, source, status.st_size, stamp if folder == "archive" else ())


_WAIT_SECONDS = 60
_CHECKED_BYTES, _CHECKED_FAR_BYTES = 256 << 20, 16 << 20  # of what is built on, by one run
_PIECE_BYTES = 256 << 10  # of a database a session more changes 59 such pieces of 154; shorter ones are too many
_LEVEL = 3


class CreatedBackup(msgspec.Struct, frozen=True, kw_only=True):
    """What was made and sent."""

    target: str
    snapshot: str
    created_ms: int
    sessions: int
    content_hash: str
    files: int
    total_bytes: int  # of the files
    sent_objects: int
    sent_bytes: int
    is_encrypted: bool
    is_read_back: bool
    is_first: bool
    skipped: str = ""  # a snapshot that could not be built on, and why


def make_snapshot(world: World, target: str, keys: BackupKeys, progress: Progress) -> CreatedBackup:
    """Makes a snapshot. A failure is noted for those who look at the state of the store."""
    layout = world.layout
    require(layout)
    try:
        with hold_lease(layout.lease, wait_seconds=_WAIT_SECONDS), scratch_folder(layout) as scratch:
            with open_store(layout) as store:  # brings the schema up to date, and refuses what is not whole
                machine = store.journal.machine
            vault = vault_at(world, target, keys, may_begin=True)
            created = _create(world, vault, machine, scratch, progress)
            note_backup(layout, vault.place, created.snapshot, created.created_ms)
            return created
    except OSError as error:
        failure = translate_error(error, layout.backups)
        _note_failure(world, target, failure)
        raise failure from error
    except (BackupError, StoreError) as error:
        _note_failure(world, target, error)
        raise


def _note_failure(world: World, target: str, error: AfterwitError) -> None:
    """Another run at work is none. On a full disk there may be no room for the note."""
    if not isinstance(error, BusyError):
        with suppress(OSError):
            note_failure(world.layout, target, str(error), world.now_ms)


def _create(world: World, vault: Vault, machine: str, scratch: Path, progress: Progress) -> CreatedBackup:
    before, skipped = _latest(vault, machine)
    looked_at, damage = _look_for_damage(vault, before) if before else ("", "")
    files = collect(world.layout, scratch)
    facts = facts_of_copy(scratch / world.layout.database.name)
    step("the databases are copied for a backup")
    progress.begin(len(files), sum(file.size_bytes for file in files))
    sending = Sending(vault, before, world.layout.backups / "sent-objects", world.now_ms)
    sending.send(files, progress)
    _refuse_missing(vault, sending.objects)
    _read_back(vault, sending.objects.keys() - (set(sending.earlier) - set(sending.sent)), progress)
    _refuse_other_header(vault)
    moments = [name.at_ms for name in vault.snapshots()]
    manifest = Manifest(
        created_ms=max(world.now_ms, *(at_ms + 1 for at_ms in moments if not is_ahead(at_ms, world.now_ms)), 0),
        program=__version__,
        machine=machine_of_copy(scratch / world.layout.journal.name),
        sessions=facts.sessions,
        content_hash=facts.content_hash,
        objects=tuple(sending.objects),
        pieces=tuple(sending.pieces),
        files=tuple(sending.files),
        looked_at=looked_at or (before.looked_at if before else ""),
    )
    snapshot = vault.put_manifest(manifest)
    vault.manifest(snapshot)
    _refuse_missing(vault, sending.objects)
    sending.note.unlink(missing_ok=True)
    return CreatedBackup(
        target=vault.place,
        snapshot=snapshot.id,
        created_ms=snapshot.at_ms,
        sessions=manifest.sessions,
        content_hash=manifest.content_hash,
        files=len(manifest.files),
        total_bytes=manifest.total_bytes,
        sent_objects=len(sending.sent),
        sent_bytes=sum(sent.size_bytes for sent in sending.sent) + (snapshot.size_bytes or 0),
        is_encrypted=vault.seal.is_encrypted,
        is_read_back=True,
        is_first=before is None,
        skipped=skipped or damage,
    )


def _latest(vault: Vault, machine: str) -> tuple[Manifest | None, str]:
    """The newest snapshot of this machine that can be read, and what was wrong with a newer one. On those of others is
    not built: what they hold is of little use here, and others may remove them at any time."""
    skipped = ""
    for _, manifest in vault.manifests():
        if isinstance(manifest, BackupDamagedError):
            skipped = skipped or str(manifest)
        elif manifest.machine == machine:
            return manifest, skipped
    return None, skipped


def _look_for_damage(vault: Vault, before: Manifest) -> tuple[str, str]:
    """Reads what is to be built on, as much as a run may take: by their names, from where the last run ended, so that
    all of it has its turn. What is damaged is sent again. Returns how far it came, and what was found."""
    there = (packed for packed in before.objects if vault.has(packed))
    objects = sorted(there, key=lambda packed: (packed.name <= before.looked_at, packed.name))
    most_bytes = _CHECKED_FAR_BYTES if vault.target.leaves_machine else _CHECKED_BYTES
    before_bytes = accumulate((packed.size_bytes for packed in objects), initial=0)
    names = [packed.name for packed, size in zip(objects, before_bytes, strict=False) if size < most_bytes]
    read = vault.read_objects(names, is_opened=False)
    damaged = [name for name, content in read if isinstance(content, BackupDamagedError)]
    for name in damaged:
        vault.pass_over(name)
    said = f"{len(damaged)} objects at {vault.place} are damaged, and what they held was sent again."
    return names[-1] if names else "", said if damaged else ""


def _read_back(vault: Vault, objects: Iterable[PackedObject], progress: Progress) -> None:
    """Before the snapshot exists: what was sent, also by a run that was stopped, is what is there."""
    names = sorted(packed.name for packed in objects)
    progress.stage("reading back", len(names), "objects")
    for _, content in vault.read_objects(names, is_opened=False):
        if isinstance(content, BackupDamagedError):
            raise content
        progress.advance(1, 1)


def _refuse_missing(vault: Vault, objects: Iterable[PackedObject]) -> None:
    """What was there still is. Asked before and after the list is written: another machine may be pruning."""
    vault.look_again()
    for kept in objects:
        if not vault.has(kept):
            raise BackupDamagedError(f"The object {kept.name} is missing at {vault.place}. Run the command again.")


def _refuse_other_header(vault: Vault) -> None:
    """Where a target cannot write exclusively, two machines may begin a backup in the same moment; one gives way."""
    if header_at(vault.target) != vault.header:
        raise BackupError(f"Another machine began a backup at {vault.place} at the same time. Run the command again.")


class Sending:
    """Brings files to a target, and lists what they consist of there."""

    def __init__(self, vault: Vault, before: Manifest | None, note: Path, now_ms: int) -> None:
        self.note = note
        self.files: list[SnapshotFile] = []
        self.pieces: list[StoredPiece] = []
        self.objects: dict[PackedObject, int] = {}  # with their numbers
        self.sent: list[PackedObject] = []  # by this run
        self.earlier = before.objects if before else ()
        self._vault = vault
        self._now_ms = now_ms
        self._numbers: dict[bytes, int] = {}  # of pieces, by hash
        self._there = {piece.hash: (self.earlier[piece.object], piece) for piece in (before.pieces if before else ())}
        self._there |= _bytes_sent_before(note, vault.header.id, now_ms - UNNAMED_MS // 2)
        self._hashes_before = {
            (file.path, file.stamp): [before.pieces[number].hash for number in file.pieces]
            for file in (before.files if before else ())
            if before and file.stamp
        }
        self._compressor = zstd.Compressor(_LEVEL)

    def send(self, files: Iterable[StoreFile], progress: Progress) -> None:
        transfers = several_at_once(self._put, self._new_pieces(files, progress), self._vault.target.at_once)
        for (piece, packed, _), _done in transfers:
            self.sent.append(packed)
            step("an object of a backup is stored")
            self._write_down(packed, piece)

    def _put(self, new: tuple[StoredPiece, PackedObject, bytes]) -> None:
        self._vault.put_sealed(new[1], new[2])

    def _new_pieces(
        self, files: Iterable[StoreFile], progress: Progress
    ) -> Iterator[tuple[StoredPiece, PackedObject, bytes]]:
        """Lists all files. Those pieces of them that are not at the target come with their object and its bytes."""
        for file in files:
            hashes, size_bytes = self._hashes_before.get((file.path, file.stamp), []), file.size_bytes
            if not hashes or not all(map(self._is_there, hashes)):
                hashes, size_bytes = [], 0
                for content in _pieces_of(file):
                    hashes.append(hash_of_piece(content))
                    size_bytes += len(content)
                    if not self._is_there(hashes[-1]):
                        yield self._seal(hashes[-1], content, is_packed=file.path.startswith("archive/"))
            if file.stamp and size_bytes != file.size_bytes:
                raise BackupError(
                    f"{file.path} changed while it was read: another program writes to the archive. End it, and try"
                    " again."
                )
            if hashes or not file.size_bytes:  # else it is a hook's, and was taken in meanwhile
                self.files.append(SnapshotFile(file.path, size_bytes, tuple(map(self._number, hashes)), file.stamp))
            progress.advance(1, file.size_bytes)

    def _is_there(self, piece: bytes) -> bool:
        return piece in self._numbers or (piece in self._there and self._vault.has(self._there[piece][0]))

    def _seal(self, piece: bytes, content: bytes, *, is_packed: bool) -> tuple[StoredPiece, PackedObject, bytes]:
        stored = content if is_packed else min(content, self._compressor.compress(content), key=len)
        packed, sealed = self._vault.sealed(stored)
        self._there[piece] = packed, StoredPiece(piece, 0, 0, len(stored), len(content))
        self._number(piece)
        return self._there[piece][1], packed, sealed

    def _number(self, piece: bytes) -> int:
        """Of a piece in the list of the snapshot."""
        if piece not in self._numbers:
            packed, stored = self._there[piece]
            self._numbers[piece] = len(self.pieces)
            number = self.objects.setdefault(packed, len(self.objects))
            self.pieces.append(msgspec.structs.replace(stored, object=number))
        return self._numbers[piece]

    def _write_down(self, packed: PackedObject, piece: StoredPiece) -> None:
        line = msgspec.json.encode((self._vault.header.id, self._now_ms, packed, piece)) + b"\n"
        handle = os.open(self.note, os.O_WRONLY | os.O_APPEND | os.O_CREAT, PRIVATE)
        try:
            os.write(handle, line)
        finally:
            os.close(handle)


def _bytes_sent_before(note: Path, vault_id: str, since_ms: int) -> dict[bytes, tuple[PackedObject, StoredPiece]]:
    """What a run that was stopped has sent to this backup since then. The last line may have been cut off."""
    sent: dict[bytes, tuple[PackedObject, StoredPiece]] = {}
    with suppress(OSError, msgspec.MsgspecError, UnicodeDecodeError):
        for line in read_regular(note).splitlines():
            vault, at_ms, packed, piece = msgspec.json.decode(line, type=tuple[str, int, PackedObject, StoredPiece])
            if vault == vault_id and at_ms > since_ms:
                sent[piece.hash] = packed, piece
    return sent


def _pieces_of(file: StoreFile) -> Iterator[bytes]:
    """An archived file grows at its end, and a database keeps its pages in their places: most pieces stay the same."""
    with suppress(FileNotFoundError), open_regular(file.source) as source:
        while content := source.read(_PIECE_BYTES):
            yield content
