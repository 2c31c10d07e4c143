"""`store backup restore`: puts a snapshot in the place of a store, or into an empty one.

Everything is read, checked and written beside first; only then parts change places, in steps that can be ended after a
kill (`store.copies`). Where there is a store already, it is refused unless somebody says that it be replaced: what
is there may be newer. Then all of it is set aside below `backups`, and `undo` brings it back. Settings that are there
are never replaced; those of the snapshot lie beside them.
"""

import os
import shutil
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec

from afterwit.config.world import World
from afterwit.extras.backup.keys import BackupKeys
from afterwit.extras.backup.manifest import PARTS, Manifest, piece_in
from afterwit.extras.backup.vault import SnapshotName, Vault, vault_at
from afterwit.model.errors import AfterwitError, BackupDamagedError, BackupError, StoreFullError
from afterwit.model.learn_run import Progress
from afterwit.store.atomic import make_private, step, sync
from afterwit.store.checks import content_hash
from afterwit.store.copies import finish_replacing, machine_of_copy, replace_parts
from afterwit.store.database import connect_readonly, migrations, schema_version, translate_error
from afterwit.store.layout import Layout
from afterwit.store.rows.sessions import count_sessions
from afterwit.store.store import hold_lease

_WAIT_SECONDS = 60
_CONFIG, _CONFIG_BESIDE = "config.toml", "config.restored.toml"
_READY, _ASIDE = "restoring", "before-restore-"
_DIGITS = 15
_SPARE_BYTES = 50_000_000


class PresentStore(msgspec.Struct, frozen=True, kw_only=True):
    """What is where a snapshot is to go."""

    is_there: bool = False
    is_same_machine: bool = False
    sessions: int | None = None  # None: it cannot be read
    content_hash: str = ""


class Restored(msgspec.Struct, frozen=True, kw_only=True):
    root: str
    snapshot: str
    created_ms: int
    sessions: int
    content_hash: str
    files: int
    total_bytes: int
    present: PresentStore
    set_aside: str  # where the store of before is; "" if there was none
    config_beside: str  # where the settings of the snapshot are, if there were others
    is_dry_run: bool


Agree = Callable[[Restored], bool]


def restore_snapshot(
    world: World,
    target: str,
    keys: BackupKeys,
    progress: Progress,
    agree: Agree,
    *,
    snapshot: str = "",
    may_replace: bool = False,
    is_dry_run: bool = False,
) -> Restored | None:
    """Puts the snapshot in place. None, where the answer was no."""
    layout = world.layout
    layout.refuse_half_replaced()
    layout.create()
    try:
        with hold_lease(layout.lease, wait_seconds=_WAIT_SECONDS):
            vault = vault_at(world, target, keys)
            name = _choose(vault, snapshot, layout)
            manifest = vault.manifest(name)
            planned = _plan(layout, manifest, name, is_dry_run=is_dry_run)
            _refuse(layout, planned, may_replace=may_replace)
            if is_dry_run:
                return planned
            if not agree(planned):
                return None
            _refuse_full(layout, manifest)
            ready = layout.backups / _READY
            _make_ready(vault, manifest, ready, progress)
            _keep_config(layout, ready)
            aside = _free(layout, world.now_ms)
            replace_parts(layout, ready, aside, _replace(layout))
    except OSError as error:
        raise translate_error(error, layout.root) from error
    has_old = any(path.is_file() for path in aside.rglob("*"))
    if not has_old:
        shutil.rmtree(aside, ignore_errors=True)  # the empty folders of a store that was none
    return msgspec.structs.replace(planned, set_aside=str(aside) if has_old else "")


def _choose(vault: Vault, snapshot: str, layout: Layout) -> SnapshotName:
    """The one that is named; else the newest, of this machine where several back up there."""
    newest = vault.named(snapshot)
    if snapshot:
        return newest
    by_machine = {vault.manifest(newest).machine: newest}  # where it is damaged, no older one is taken unasked
    for name, manifest in vault.manifests():
        if isinstance(manifest, Manifest):
            by_machine.setdefault(manifest.machine, name)
    own = _machine_here(layout)
    if len(by_machine) < 2 or own in by_machine:
        return by_machine.get(own, newest)
    newest_ids = ", ".join(f"{name.id} of {machine[:8]}" for machine, name in by_machine.items())
    raise BackupError(
        f"Snapshots of {len(by_machine)} machines lie at {vault.place}; the newest are {newest_ids}. Name one with"
        " --snapshot. `afterwit store backup list` shows them all."
    )


def _machine_here(layout: Layout) -> str:
    try:
        return machine_of_copy(layout.journal) if layout.journal.exists() else ""
    except (AfterwitError, ValueError, TypeError):
        return ""


def finish(layout: Layout) -> bool:
    """Ends a restore that was stopped half-way. Whether there was one."""
    with hold_lease(layout.lease, wait_seconds=_WAIT_SECONDS):
        return finish_replacing(layout)


def undo(world: World) -> Path:
    """Puts back what the last restore has set aside, and sets aside what is there now. Returns where that is."""
    layout = world.layout
    layout.refuse_half_replaced()
    with hold_lease(layout.lease, wait_seconds=_WAIT_SECONDS):
        earlier = [folder for folder in _set_aside(layout) if Layout(folder).exists()]  # a killed run may leave others
        if not earlier:
            raise BackupError(f"Nothing was set aside in {layout.backups}: there is no restore to undo.")
        aside = _free(layout, world.now_ms)
        replace_parts(layout, earlier[-1], aside, _replace(layout))
    return aside


def _plan(layout: Layout, manifest: Manifest, name: SnapshotName, *, is_dry_run: bool) -> Restored:
    has_config = (layout.root / _CONFIG).exists() and any(file.path == _CONFIG for file in manifest.files)
    return Restored(
        root=str(layout.root),
        snapshot=name.id,
        created_ms=name.at_ms,
        sessions=manifest.sessions,
        content_hash=manifest.content_hash,
        files=len(manifest.files),
        total_bytes=manifest.total_bytes,
        present=_present(layout, manifest),
        set_aside="",
        config_beside=str(layout.root / _CONFIG_BESIDE) if has_config else "",
        is_dry_run=is_dry_run,
    )


def _present(layout: Layout, manifest: Manifest) -> PresentStore:
    if not layout.exists():
        return PresentStore()
    try:
        is_same_machine = _machine_here(layout) == manifest.machine
        with closing(connect_readonly(layout.database)) as db:
            is_known = schema_version(db) == migrations()[-1].number
            return PresentStore(
                is_there=True,
                is_same_machine=is_same_machine,
                sessions=count_sessions(db) if is_known else None,
                content_hash=content_hash(db) if is_known else "",
            )
    except (AfterwitError, ValueError, TypeError):
        return PresentStore(is_there=True)


def _refuse(layout: Layout, planned: Restored, *, may_replace: bool) -> None:
    present = planned.present
    if not present.is_there or may_replace:
        return
    holds = "cannot be read" if present.sessions is None else f"holds {present.sessions:,} sessions"
    if present.content_hash == planned.content_hash:
        holds += ", the very same as the snapshot"
    raise BackupError(
        f"There is a store at {layout.root} already; it {holds}, the snapshot {planned.sessions:,}. What it has learned"
        " since would not be in the restored one. Use --replace to set it aside, where `restore --undo` finds it, or"
        " --to FOLDER to restore elsewhere."
    )


def _refuse_full(layout: Layout, manifest: Manifest) -> None:
    free = shutil.disk_usage(layout.root).free
    if manifest.total_bytes + _SPARE_BYTES > free:
        raise StoreFullError(
            f"The snapshot needs {manifest.total_bytes // 1_000_000:,} MB, and {free // 1_000_000:,} MB are free at"
            f" {layout.root}. Nothing was changed; free some space and run the command again."
        )


def _make_ready(vault: Vault, manifest: Manifest, ready: Path, progress: Progress) -> None:
    """Writes all of it beside the store, and checks it; where that fails, nothing of it stays."""
    shutil.rmtree(ready, ignore_errors=True)
    try:
        _write_files(vault, manifest, ready, progress)
        _check(ready, manifest)
    except BaseException:
        shutil.rmtree(ready, ignore_errors=True)
        raise


def _write_files(vault: Vault, manifest: Manifest, ready: Path, progress: Progress) -> None:
    """Object by object, each read once: its pieces go to wherever files want them."""
    ready.mkdir(mode=0o700)
    sizes = {packed.name: packed.size_bytes for packed in manifest.objects}
    wanted: dict[str, list[tuple[Path, int, int]]] = defaultdict(list)  # object → file, offset, piece
    for file in manifest.files:
        path = ready / file.path  # it was checked with the manifest, and nobody else writes here
        make_private(path.parent)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600))
        offset = 0
        for number in file.pieces:
            piece = manifest.pieces[number]
            wanted[manifest.objects[piece.object].name].append((path, offset, number))
            offset += piece.length
    progress.begin(len(wanted), sum(sizes[name] for name in wanted))
    for name, content in vault.read_objects(wanted):
        if isinstance(content, BackupDamagedError):
            raise content
        for path, offset, number in wanted[name]:
            with path.open("r+b") as written:
                written.seek(offset)
                written.write(piece_in(content, manifest.pieces[number], name))
        step("an object of a backup is restored")
        progress.advance(1, sizes[name])
    _sync_all(ready)


def _sync_all(ready: Path) -> None:
    for parent, _, names in os.walk(ready):
        for name in names:
            sync(Path(parent, name))
        sync(Path(parent))


def _check(ready: Path, manifest: Manifest) -> None:
    """Every piece was checked; now that the database says what it said."""
    database = Layout(ready).database
    if not database.exists():
        raise BackupDamagedError("The snapshot holds no database. Use another snapshot.")
    with closing(connect_readonly(database)) as db:
        version = schema_version(db)
        if version > migrations()[-1].number:
            raise BackupError(
                f"The snapshot was made by a newer afterwit (schema {version}, this one knows"
                f" {migrations()[-1].number}). Upgrade afterwit, then restore."
            )
        if version == migrations()[-1].number and content_hash(db) != manifest.content_hash:
            raise BackupDamagedError("The restored database has another content hash than it had. Nothing was changed.")


def _keep_config(layout: Layout, ready: Path) -> None:
    """Settings that are there stay."""
    if (ready / _CONFIG).exists() and (layout.root / _CONFIG).exists():
        (ready / _CONFIG).replace(layout.root / _CONFIG_BESIDE)


def _replace(layout: Layout) -> list[str]:
    return [part for part in PARTS if part != _CONFIG or not (layout.root / _CONFIG).exists()]


def _set_aside(layout: Layout) -> list[Path]:
    """What restores have set aside, the last at the end."""
    return sorted(layout.backups.glob(f"{_ASIDE}{'[0-9]' * _DIGITS}"))


def _free(layout: Layout, now_ms: int) -> Path:
    """A new folder for what is set aside, later in the order of names than those of before, whatever the clock says."""
    last = max((int(folder.name.removeprefix(_ASIDE)) for folder in _set_aside(layout)), default=-1)
    return layout.backups / f"{_ASIDE}{max(now_ms, last + 1):0{_DIGITS}d}"
