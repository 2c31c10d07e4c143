"""How backups lie at a target: a header, objects that hold pieces of files, and one list of files for each snapshot.

Objects and lists are named by the SHA-256 of what lies there, so that damage shows without a key and names tell nothing
of contents. A list is written after everything that it names: what was begun and not ended is no snapshot. Nothing that
is there is ever changed. The header lies there twice, and where both are gone it follows from what lies there, unless a
passphrase protects the key, which is in it. A snapshot of a time to come, by a clock that was wrong, is not the newest.
"""

import datetime as dt
import hashlib
import secrets
import shutil
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from afterwit.config.world import World
from afterwit.extras.backup.keys import ENCRYPTED, BackupKeys, Seal, VaultHeader, new_header, seal_for
from afterwit.extras.backup.manifest import (
    FORMAT,
    MOST_MANIFEST_BYTES,
    MOST_OBJECT_BYTES,
    Manifest,
    PackedObject,
    manifest_in,
    pack_manifest,
)
from afterwit.extras.backup.targets.at import Target, target_at
from afterwit.model.errors import BackupDamagedError, BackupError
from afterwit.model.text import regex
from afterwit.store.atomic import step
from afterwit.store.layout import Layout

HEADER, HEADER_COPY = "afterwit-backup.json", "afterwit-backup.copy.json"
AHEAD_MS = 86_400_000  # so far a clock may be wrong
UNNAMED_MS = 7 * 86_400_000  # so long an object that no list names stays: a list may be on its way
_OBJECTS, _SNAPSHOTS = "objects/", "snapshots/"
_SNAPSHOT = regex(r"snapshots/(\d{8}T\d{9}Z)-([0-9a-f]{64})")
_OBJECT = regex(r"objects/([0-9a-f]{2})/(\1[0-9a-f]{62})")
_MOMENT = "%Y%m%dT%H%M%S%fZ"  # to the millisecond
_HEADER_BYTES = 64 << 10
_SHORT = 8
_SECONDS = len("20260101T000000")
_Wanted = TypeVar("_Wanted")
_Result = TypeVar("_Result")


class SnapshotName(NamedTuple):
    """One snapshot at a target."""

    name: str
    at_ms: int
    sha256: str
    size_bytes: int | None

    @property
    def id(self) -> str:
        """For people."""
        return f"{self.name.removeprefix(_SNAPSHOTS)[:_SECONDS]}Z-{self.sha256[:_SHORT]}"


class Vault:
    """An open backup. Made by `open_vault`."""

    def __init__(self, target: Target, header: VaultHeader, seal: Seal, now_ms: int) -> None:
        self.target = target
        self._now_ms = now_ms
        self.header = header
        self.seal = seal
        self._listing: dict[str, int | None] | None = None

    @property
    def place(self) -> str:
        return self.target.place

    def snapshots(self) -> list[SnapshotName]:
        """The newest first."""
        return snapshots_in(self._names(), self._now_ms)

    def objects(self) -> dict[str, int | None]:
        """All objects that are there, with their sizes where these are told."""
        return objects_in(self._names())

    def look_again(self) -> None:
        self._listing = None

    def pass_over(self, name: str) -> None:
        """An object that is damaged counts as missing, until this is looked at again."""
        self._names().pop(object_path(name), None)

    def has(self, packed: PackedObject) -> bool:
        return self._names().get(object_path(packed.name), -1) in (None, packed.size_bytes)

    def manifest(self, snapshot: SnapshotName) -> Manifest:
        content = self._check(snapshot.name, snapshot.sha256, MOST_MANIFEST_BYTES, f"The snapshot {snapshot.id}")
        return manifest_in(
            self.seal.unseal_signed(content, f"The snapshot {snapshot.id}"), f"The snapshot {snapshot.id}"
        )

    def manifests(
        self, snapshots: Iterable[SnapshotName] | None = None
    ) -> Iterator[tuple[SnapshotName, Manifest | BackupDamagedError]]:
        """Of these or all snapshots, the newest first; or what is wrong with them."""
        for snapshot in self.snapshots() if snapshots is None else snapshots:
            try:
                yield snapshot, self.manifest(snapshot)
            except BackupDamagedError as error:
                yield snapshot, error

    def named(self, wanted: str) -> SnapshotName:
        """The snapshot whose id begins so; the newest for ""."""
        snapshots = self.snapshots()
        if not snapshots:
            raise BackupError(
                f"There is no complete snapshot at {self.place}. `afterwit store backup create` makes one."
            )
        matching = [snapshot for snapshot in snapshots if snapshot.id.startswith(wanted)]
        if not matching or (len(matching) > 1 and wanted):
            what = "several snapshots begin" if matching else "no snapshot begins"
            raise BackupError(f"At {self.place} {what} with {wanted!r}. `afterwit store backup list` shows them all.")
        return matching[0]

    def sealed(self, content: bytes) -> tuple[PackedObject, bytes]:
        """An object as it is to lie at the target, and its name."""
        sealed = self.seal.seal(content)
        return PackedObject(hashlib.sha256(sealed).hexdigest(), len(sealed)), sealed

    def put_sealed(self, packed: PackedObject, sealed: bytes) -> None:
        self.target.write(object_path(packed.name), sealed)

    def read_objects(
        self, names: Iterable[str], *, is_opened: bool = True
    ) -> Iterator[tuple[str, bytes | BackupDamagedError]]:
        """What each of these objects holds, or what is wrong with it: gone, or not what was put there. Otherwise as it
        lies there."""

        def read(name: str) -> bytes | BackupDamagedError:
            try:
                sealed = self._check(object_path(name), name, MOST_OBJECT_BYTES, f"The object {name}")
                return self.seal.unseal(sealed, f"The object {name}") if is_opened else sealed
            except BackupDamagedError as error:
                return error

        return several_at_once(read, names, self.target.at_once)

    def put_manifest(self, manifest: Manifest) -> SnapshotName:
        sealed = self.seal.seal_signed(pack_manifest(manifest))
        moment = _moment(manifest.created_ms)
        sha256 = hashlib.sha256(sealed).hexdigest()
        name = f"{_SNAPSHOTS}{moment}-{sha256}"
        self.target.write(name, sealed)
        step("the list of a snapshot is stored")
        self.look_again()
        return SnapshotName(name, _at_ms(moment), sha256, len(sealed))

    def _check(self, name: str, sha256: str, most_bytes: int, what: str) -> bytes:
        content = self.target.read(name, most_bytes)
        if content is None:
            raise BackupDamagedError(f"{what} is missing at {self.place}.")
        if hashlib.sha256(content).hexdigest() != sha256:
            raise BackupDamagedError(f"{what} at {self.place} is damaged: its bytes are not those that were put there.")
        return content

    def _names(self) -> dict[str, int | None]:
        if self._listing is None:
            self._listing = self.target.names()
        return self._listing


def object_path(name: str) -> str:
    return f"{_OBJECTS}{name[:2]}/{name}"


def vault_at(world: World, target: str, keys: BackupKeys, *, may_begin: bool = False) -> Vault:
    """The backup at the place that a text names."""
    return open_vault(target_at(target), keys, world.now_ms, may_begin=may_begin)


@contextmanager
def scratch_folder(layout: Layout) -> Iterator[Path]:
    """For what a run that holds the lease needs meanwhile: on the store's disk, and as private. What a killed run left
    there is removed by the next."""
    own = layout.backups / "backing-up"
    shutil.rmtree(own, ignore_errors=True)
    own.mkdir(mode=0o700, parents=True)
    try:
        yield own
    finally:
        shutil.rmtree(own, ignore_errors=True)


def several_at_once(
    transfer: Callable[[_Wanted], _Result], wanted: Iterable[_Wanted], at_once: int
) -> Iterator[tuple[_Wanted, _Result]]:
    """What was asked for with what came, in order; no more of it is taken than is under way at once, and the first
    failure stops the rest."""
    if at_once <= 1:
        for item in wanted:
            yield item, transfer(item)
        return
    pool = ThreadPoolExecutor(at_once, "backup")
    running: deque[tuple[_Wanted, Future[_Result]]] = deque()
    try:
        for item in wanted:
            if len(running) >= at_once:
                first, future = running.popleft()
                yield first, future.result()
            running.append((item, pool.submit(transfer, item)))
        while running:
            first, future = running.popleft()
            yield first, future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def open_vault(target: Target, keys: BackupKeys, now_ms: int, *, may_begin: bool = False) -> Vault:
    """The backup at a target. One that is not there is begun, if it may be, and what its header lacks is put there."""
    header = header_at(target)
    if header is not None:
        _refuse_open(target, is_encrypted=header.encryption != "none")
        vault = Vault(target, header, seal_for(header, keys, target.place), now_ms)
        if may_begin:
            _mend_header(vault, keys)
        return vault
    if not may_begin:
        raise BackupError(f"There is no backup at {target.place}. `afterwit store backup create` makes one.")
    if target.names():
        raise BackupError(
            f"{target.place} holds other files, and no backup of afterwit. Name a new or empty place, or one below it."
        )
    _refuse_open(target, is_encrypted=keys.file is not None or keys.wants_passphrase)
    header, seal = new_header(keys, FORMAT, secrets.token_hex(8))
    if not target.begin(HEADER, msgspec.json.encode(header)):
        return open_vault(target, keys, now_ms)  # another machine has begun it meanwhile
    target.write(HEADER_COPY, msgspec.json.encode(header))
    step("a backup is begun")
    return Vault(target, header, seal, now_ms)


def header_at(target: Target) -> VaultHeader | None:
    """The header or its copy; where both are gone or damaged, as much of it as a snapshot tells."""
    problem: BackupError | None = None
    for name in (HEADER, HEADER_COPY):
        content = target.read(name, _HEADER_BYTES)
        try:
            header = msgspec.json.decode(content or b"null", type=VaultHeader | None)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            problem = BackupDamagedError(f"{name} at {target.place} cannot be read: {error}.")
            continue
        if header is not None and header.format != FORMAT:
            raise BackupError(
                f"The backup at {target.place} has the format {header.format}; this afterwit knows {FORMAT}. Upgrade."
            )
        if header is not None:
            return header
    for snapshot in snapshots_in(target.names()):
        begin = target.read(snapshot.name, MOST_MANIFEST_BYTES) or b""
        if hashlib.sha256(begin).hexdigest() == snapshot.sha256:
            return VaultHeader(format=FORMAT, id="", encryption="key" if begin.startswith(ENCRYPTED) else "none")
    if problem is not None:
        raise problem
    return None


def _mend_header(vault: Vault, keys: BackupKeys) -> None:
    """Puts the header and its copy where one is missing; one that was found again only if it opens something."""
    if not vault.header.id:
        vault.manifest(vault.named(""))
        vault.header = new_header(keys, FORMAT, secrets.token_hex(8))[0]
    content = msgspec.json.encode(vault.header)
    for name in (HEADER, HEADER_COPY):
        if vault.target.read(name, _HEADER_BYTES) != content:
            vault.target.write(name, content)


def _refuse_open(target: Target, *, is_encrypted: bool) -> None:
    if target.leaves_machine and not is_encrypted:
        raise BackupError(
            f"{target.place} is outside of this machine, and what goes there is encrypted first: the archive holds"
            " secrets as your agents logged them. Name a key with --key-file FILE (--new-key makes it), or use"
            " --passphrase. A backup that is there and not encrypted is not written on."
        )


def objects_in(names: Mapping[str, int | None]) -> dict[str, int | None]:
    """The objects among what is at a target, with their sizes."""
    matches = ((_OBJECT.fullmatch(name), size) for name, size in names.items())
    return {match[2]: size for match, size in matches if match}


def snapshots_in(names: Mapping[str, int | None], now_ms: int | None = None) -> list[SnapshotName]:
    """The snapshots among them, the newest first, and those of a time to come last."""
    matches = ((_SNAPSHOT.fullmatch(name), size) for name, size in names.items())
    snapshots = [SnapshotName(match[0], _at_ms(match[1]), match[2], size) for match, size in matches if match]
    ordered = sorted((snapshot for snapshot in snapshots if snapshot.at_ms >= 0), reverse=True)
    return ordered if now_ms is None else sorted(ordered, key=lambda snapshot: is_ahead(snapshot.at_ms, now_ms))


def is_ahead(at_ms: int, now_ms: int) -> bool:
    """Whether only a clock that was wrong can have said so: then or now."""
    return at_ms > now_ms + AHEAD_MS


def _moment(at_ms: int) -> str:
    second = dt.datetime.fromtimestamp(at_ms // 1000, dt.UTC)
    return f"{second:%Y%m%dT%H%M%S}{at_ms % 1000:03d}Z"


def _at_ms(moment: str) -> int:
    """-1 for what is no moment."""
    try:
        return round(dt.datetime.strptime(moment, _MOMENT).replace(tzinfo=dt.UTC).timestamp() * 1000)
    except ValueError:
        return -1
