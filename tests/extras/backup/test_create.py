"""Making backups: complete, without sending anything twice, and without harm where something goes wrong."""

import subprocess
import sys
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from tests.engine.killed_runs import environment
from tests.extras.backup.backups import (
    NO_KEYS,
    elsewhere,
    flip,
    key_in,
    learn_more,
    made,
    objects_at,
    refusal,
    restored,
    snapshots_at,
    vault_at,
)
from tests.homes import NOW_MS, hash_of, world_of

from afterwit.config.world import World
from afterwit.engine.archive.upkeep import compact, verify
from afterwit.extras.backup.create import collect
from afterwit.extras.backup.daily import last_backup
from afterwit.extras.backup.keys import PASSPHRASE_VARIABLE, BackupKeys
from afterwit.extras.backup.look import list_snapshots
from afterwit.extras.backup.vault import HEADER, HEADER_COPY, Vault
from afterwit.model.errors import BusyError, DamagedError, StoreError
from afterwit.store.atomic import replace_file
from afterwit.store.store import hold_lease


def test_a_restored_backup_has_the_same_content_hash_and_is_sound(world: World, tmp_path: Path) -> None:
    created = made(world, tmp_path / "backup")
    assert created.content_hash == hash_of(world.layout.root)
    restored(elsewhere(world, tmp_path / "other"), tmp_path / "backup")
    assert hash_of(tmp_path / "other") == created.content_hash
    assert list(verify(elsewhere(world, tmp_path / "other").layout)) == []


def test_everything_that_cannot_be_made_again_is_in_it(world: World, tmp_path: Path) -> None:
    kept = {
        "config.toml": b"",
        "sources/own.toml.removed": b"",
        "templates/uses.jsonl": b"{}\n",
        "patterns/one.md": b"# One\n",
        "metrics/history.jsonl": b"{}\n",
        "views.json": b"{}\n",
    }
    for path, content in kept.items():
        (world.layout.root / path).parent.mkdir(exist_ok=True)
        (world.layout.root / path).write_bytes(content)
    (world.layout.metrics / "dashboard.md").write_text("made again")
    made(world, tmp_path / "backup")
    vault = vault_at(tmp_path / "backup")
    paths = {file.path for file in vault.manifest(vault.named("")).files}
    archived = {f"archive/{path.parent.name}/{path.name}" for path in world.layout.archive.glob("*/*.zst")}
    derived = {path for path in paths if path.startswith("deck")}
    fixed = {"afterwit.db", "journal.db", "redaction.key", "archive.mark"}
    assert paths - derived == fixed | archived | kept.keys()
    assert "deck.db" in derived


def test_entries_that_wait_for_a_server_are_in_it(world: World, tmp_path: Path) -> None:
    with closing(apsw.Connection(str(world.layout.root / "memory-queue.db"))) as db:
        db.pragma("journal_mode", "wal")
        db.execute("CREATE TABLE waiting (words TEXT); INSERT INTO waiting VALUES ('apples')")
        made(world, tmp_path / "backup")
    restored(elsewhere(world, tmp_path / "other"), tmp_path / "backup")
    with closing(apsw.Connection(str(tmp_path / "other/memory-queue.db"))) as db:
        assert list(db.execute("SELECT words FROM waiting")) == [("apples",)]


def test_what_is_there_is_not_sent_again(world: World, tmp_path: Path) -> None:
    first = made(world, tmp_path / "backup")
    second = made(world, tmp_path / "backup", at_ms=NOW_MS + 1000)
    assert (first.is_first, first.sent_objects > 0) == (True, True)
    assert (second.is_first, second.sent_objects, second.content_hash) == (False, 0, first.content_hash)
    assert len(snapshots_at(tmp_path / "backup")) == 2


def test_one_session_more_sends_little(world: World, tmp_path: Path) -> None:
    learn_more(world, *(f"older-{number}" for number in range(6)), turns=40)
    first = made(world, tmp_path / "backup")
    learn_more(world, "latest")
    more = made(world, tmp_path / "backup", at_ms=NOW_MS + 1000)
    assert more.sessions == first.sessions + 1
    assert 0 < more.sent_bytes < first.sent_bytes


def test_a_compacted_archive_is_backed_up_as_it_is_then(world: World, tmp_path: Path) -> None:
    for turns in (1, 2, 3):
        learn_more(world, "growing", turns=turns)
    made(world, tmp_path / "backup")
    compact(world.layout)
    made(world, tmp_path / "backup", at_ms=NOW_MS + 1000)
    restored(elsewhere(world, tmp_path / "other"), tmp_path / "backup")
    assert hash_of(tmp_path / "other") == hash_of(world.layout.root)
    assert list(verify(elsewhere(world, tmp_path / "other").layout)) == []


def test_no_object_holds_more_than_the_snapshot_needs(world: World, tmp_path: Path) -> None:
    """So that an old one becomes free when its piece has changed."""
    made(world, tmp_path / "backup")
    learn_more(world, "more", turns=60)
    made(world, tmp_path / "backup", at_ms=NOW_MS + 1)
    vault = vault_at(tmp_path / "backup")
    manifest = vault.manifest(vault.named(""))
    assert sum(piece.stored_bytes for piece in manifest.pieces) == sum(packed.size_bytes for packed in manifest.objects)
    assert len(manifest.objects) < len(objects_at(tmp_path / "backup"))


def test_archived_files_of_an_unencrypted_backup_lie_there_as_they_are(world: World, tmp_path: Path) -> None:
    made(world, tmp_path / "backup")
    stored = {path.read_bytes() for path in objects_at(tmp_path / "backup")}
    archived = [path.read_bytes() for path in world.layout.archive.glob("*/*.zst")]
    assert archived
    assert [content for content in archived if content not in stored] == []


def test_the_heads_of_the_journal_are_those_of_before_the_copies(world: World, tmp_path: Path) -> None:
    """Decisions do not wait: heads that are newer than the journal would say that entries were lost."""
    world.layout.journal_heads.write_bytes(b"before")
    files = {file.path: file for file in collect(world.layout, tmp_path)}
    world.layout.journal_heads.write_bytes(b"after")
    assert files["journal.heads"].source.read_bytes() == b"before"


def test_names_and_contents_tell_nothing_of_an_encrypted_backup(world: World, tmp_path: Path) -> None:
    made(world, tmp_path / "backup", key_in(tmp_path))
    stored = [path.read_bytes() for path in (tmp_path / "backup").rglob("*") if path.is_file()]
    assert len(stored) >= 3
    secret = (tmp_path / "backup.key").read_text().splitlines()[-1].encode()
    words = (b"orchard", b"SQLite format", b"journal", b"archive", secret)
    assert [word for word in words for content in stored if word in content] == []


def test_a_backup_is_the_users_alone(world: World, tmp_path: Path) -> None:
    made(world, tmp_path / "backup")
    restored(elsewhere(world, tmp_path / "other"), tmp_path / "backup")
    for root in (tmp_path / "backup", tmp_path / "other"):
        assert [path for path in (root, *root.rglob("*")) if path.stat().st_mode & 0o077] == []


def test_another_run_at_work_is_waited_for_and_no_failure(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("afterwit.extras.backup.create._WAIT_SECONDS", 0)
    with hold_lease(world.layout.lease), pytest.raises(BusyError):
        made(world, tmp_path / "backup")
    assert last_backup(world.layout).failed_ms is None
    assert not (tmp_path / "backup").exists()


def test_two_backups_at_once_end_as_two_snapshots(world: World, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "afterwit", "store", "backup", "create", str(tmp_path / "backup")]
    environ = environment(world.user_home, world.layout.root)
    runs = [subprocess.Popen(command, env=environ, stderr=subprocess.PIPE) for _ in range(2)]
    assert [(run.communicate()[1], run.returncode)[1] for run in runs] == [0, 0]
    assert len(snapshots_at(tmp_path / "backup")) == 2
    assert hash_of(world.layout.root) == restored(elsewhere(world, tmp_path / "o"), tmp_path / "backup").content_hash


def test_without_a_store_there_is_nothing_to_back_up(world: World, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="There is no store"):
        made(world_of(tmp_path, tmp_path / "none"), tmp_path / "backup")
    assert not (tmp_path / "none").exists()


def test_a_damaged_database_is_not_backed_up(world: World, tmp_path: Path) -> None:
    made(world, tmp_path / "backup")
    content = bytearray(world.layout.database.read_bytes())
    content[4096 * 3 : 4096 * 9] = b"\xff" * (4096 * 6)
    world.layout.database.write_bytes(content)
    with pytest.raises(DamagedError, match="store rebuild"):
        made(world, tmp_path / "backup", at_ms=NOW_MS + 1)
    assert len(snapshots_at(tmp_path / "backup")) == 1
    assert "damaged" in last_backup(world.layout).failure


def test_a_folder_with_other_files_is_not_taken(world: World, tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos/tree.jpg").write_bytes(b"tree")
    assert "holds other files" in refusal(lambda: made(world, tmp_path / "photos"))
    assert [path.name for path in (tmp_path / "photos").iterdir()] == ["tree.jpg"]


def test_a_clock_that_goes_back_does_not_make_an_older_snapshot_the_newest(world: World, tmp_path: Path) -> None:
    made(world, tmp_path / "backup", at_ms=NOW_MS)
    learn_more(world, "latest")
    made(world, tmp_path / "backup", at_ms=NOW_MS - 86_400_000)
    vault = vault_at(tmp_path / "backup")
    assert vault.manifest(vault.named("")).content_hash == hash_of(world.layout.root)


def test_a_damaged_snapshot_is_not_built_on_and_said(world: World, tmp_path: Path) -> None:
    first = made(world, tmp_path / "backup")
    made(world, tmp_path / "backup", at_ms=NOW_MS + 1)
    snapshots_at(tmp_path / "backup")[-1].write_bytes(b"no list")
    third = made(world, tmp_path / "backup", at_ms=NOW_MS + 2)
    assert "is damaged" in third.skipped
    assert (third.sent_objects, third.content_hash) == (0, first.content_hash)


def test_a_lost_object_is_sent_again(world: World, tmp_path: Path) -> None:
    made(world, tmp_path / "backup")
    objects_at(tmp_path / "backup")[0].unlink()
    assert made(world, tmp_path / "backup", at_ms=NOW_MS + 1).sent_objects > 0
    restored(elsewhere(world, tmp_path / "other"), tmp_path / "backup")
    assert hash_of(tmp_path / "other") == hash_of(world.layout.root)


def test_what_was_sent_is_read_back_before_it_counts(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that says it has written, and has written something else."""
    from afterwit.extras.backup.targets import at

    right = replace_file

    def lying(path: Path, content: bytes) -> None:
        right(path, content[:-1] + b"?" if "objects" in path.parts else content)

    monkeypatch.setattr(at, "replace_file", lying)
    assert "is damaged" in refusal(lambda: made(world, tmp_path / "backup"))
    assert snapshots_at(tmp_path / "backup") == []


@pytest.mark.parametrize("is_encrypted", [False, True])
def test_a_rotten_object_is_not_built_on_but_sent_again_and_said(
    world: World, tmp_path: Path, is_encrypted: bool
) -> None:
    keys = key_in(tmp_path) if is_encrypted else NO_KEYS
    made(world, tmp_path / "backup", keys)
    for path in objects_at(tmp_path / "backup"):
        flip(path, 1000)
    again = made(world, tmp_path / "backup", keys, at_ms=NOW_MS + 1)
    assert "are damaged, and what they held was sent again" in again.skipped
    assert again.sent_objects > 0
    restored(elsewhere(world, tmp_path / "other"), tmp_path / "backup", keys)
    assert hash_of(tmp_path / "other") == hash_of(world.layout.root)
    assert made(world, tmp_path / "backup", keys, at_ms=NOW_MS + 2).skipped == ""


@pytest.mark.parametrize("days", [0, 1, 6, 7])
def test_of_much_a_part_is_looked_at_by_each_run_and_all_of_it_in_turn(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, days: int
) -> None:
    monkeypatch.setattr("afterwit.extras.backup.create._PIECE_BYTES", 8 << 10)
    learn_more(world, *(f"more-{number}" for number in range(8)), turns=60)
    made(world, tmp_path / "backup")
    objects = objects_at(tmp_path / "backup")
    sizes = [path.stat().st_size for path in objects]
    assert len(objects) >= 4
    monkeypatch.setattr("afterwit.extras.backup.create._CHECKED_BYTES", sum(sizes) // 3)
    looked: list[set[str]] = []
    right = Vault.read_objects

    def noting(vault: Vault, names: Iterable[str], *, is_opened: bool) -> object:
        looked[-1].update(names := list(names))
        return right(vault, names, is_opened=is_opened)

    monkeypatch.setattr(Vault, "read_objects", noting)
    for number in range(1, 5):
        looked.append(set())
        made(world, tmp_path / "backup", at_ms=NOW_MS + number + number * days * 86_400_000)
        snapshots_at(tmp_path / "backup")[0].unlink()  # as pruning does: how many there are tells nothing
    names = {path.name for path in objects}
    assert all(len(some & names) < len(names) for some in looked)
    assert names <= set.union(*looked)


def test_what_a_stopped_run_sent_is_read_back_too(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("afterwit.extras.backup.create._read_back", stopped)
        with pytest.raises(KeyboardInterrupt):
            made(world, tmp_path / "backup")
    flip(objects_at(tmp_path / "backup")[0], 1000)
    assert "is damaged" in refusal(lambda: made(world, tmp_path / "backup", at_ms=NOW_MS + 1))


def test_a_snapshot_of_a_clock_in_the_future_is_neither_the_newest_nor_moves_others_there(
    world: World, tmp_path: Path
) -> None:
    far = NOW_MS + 70 * 365 * 86_400_000
    made(world, tmp_path / "backup", at_ms=far)
    learn_more(world, "latest")
    done = made(world, tmp_path / "backup", at_ms=NOW_MS)
    assert done.created_ms == NOW_MS
    assert made(world, tmp_path / "backup", at_ms=NOW_MS + 5).sent_objects <= 1  # it builds on the latest
    restored(elsewhere(world, tmp_path / "other"), tmp_path / "backup")
    assert hash_of(tmp_path / "other") == hash_of(world.layout.root)


@pytest.mark.parametrize("way", ["none", "key", "passphrase"])
@pytest.mark.parametrize("loss", ["gone", "damaged"])
def test_a_lost_header_loses_nothing(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, loss: str
) -> None:
    monkeypatch.setenv(PASSPHRASE_VARIABLE, "four score and seven years ago")
    keys = {"none": NO_KEYS, "key": key_in(tmp_path), "passphrase": BackupKeys(wants_passphrase=True)}[way]
    first = made(world, tmp_path / "backup", keys)
    header = tmp_path / "backup" / HEADER
    content = header.read_bytes()
    header.unlink() if loss == "gone" else header.write_bytes(b"{")
    restored(elsewhere(world, tmp_path / "other"), tmp_path / "backup", keys)
    assert hash_of(tmp_path / "other") == hash_of(world.layout.root)
    assert made(world, tmp_path / "backup", keys, at_ms=NOW_MS + 1).sent_objects <= 1
    assert header.read_bytes() == content
    assert len(list_snapshots(world, str(tmp_path / "backup"), keys).snapshots) == 2
    assert first.snapshot != ""


@pytest.mark.parametrize("way", ["none", "key"])
def test_without_header_and_copy_the_rest_tells_enough(world: World, tmp_path: Path, way: str) -> None:
    keys = key_in(tmp_path) if way == "key" else NO_KEYS
    made(world, tmp_path / "backup", keys)
    for name in (HEADER, HEADER_COPY):
        (tmp_path / "backup" / name).unlink()
    if way == "key":
        assert "Its header is gone" in refusal(lambda: restored(world, tmp_path / "backup"))
        wrong = key_in(tmp_path, "other.key")
        assert "cannot be decrypted" in refusal(lambda: made(world, tmp_path / "backup", wrong, NOW_MS + 1))
        assert not (tmp_path / "backup" / HEADER).exists()
    else:
        with_key = key_in(tmp_path, "other.key")
        assert "not encrypted, although" in refusal(lambda: made(world, tmp_path / "backup", with_key, NOW_MS + 1))
    restored(elsewhere(world, tmp_path / "other"), tmp_path / "backup", keys)
    assert hash_of(tmp_path / "other") == hash_of(world.layout.root)
    made(world, tmp_path / "backup", keys, at_ms=NOW_MS + 1)
    assert (tmp_path / "backup" / HEADER).read_bytes() == (tmp_path / "backup" / HEADER_COPY).read_bytes()
    restored(elsewhere(world, tmp_path / "again"), tmp_path / "backup", keys)
