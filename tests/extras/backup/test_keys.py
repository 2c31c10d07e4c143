"""Keys: made once, never overwritten, never shown; a wrong one opens nothing and says so."""

from pathlib import Path

import pytest
from tests.extras.backup.backups import elsewhere, key_in, made, refusal, restored
from tests.homes import NOW_MS, hash_of

from afterwit.config.world import World
from afterwit.extras.backup.keys import PASSPHRASE_VARIABLE, BackupKeys, make_key
from afterwit.model.errors import UsageError

WORDS = "pruned 3 trees in May"


def test_a_key_file_is_the_users_alone_and_never_overwritten(tmp_path: Path) -> None:
    make_key(tmp_path / "keys/backup.key", NOW_MS)
    content = (tmp_path / "keys/backup.key").read_text()
    assert (tmp_path / "keys/backup.key").stat().st_mode & 0o077 == 0
    assert content.splitlines()[-1].startswith("AGE-SECRET-KEY-1")
    with pytest.raises(UsageError, match="never overwritten"):
        make_key(tmp_path / "keys/backup.key", NOW_MS)
    assert (tmp_path / "keys/backup.key").read_text() == content


@pytest.mark.parametrize(
    "content", [b"", b"hunter2\n", b"AGE-SECRET-KEY-1NOTBECH32\n", b"\xff\xfe", b"AGE-SECRET-KEY-1A\n" * 2]
)
def test_what_is_no_key_is_refused_without_showing_it(world: World, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "odd.key").write_bytes(content)
    said = refusal(lambda: made(world, tmp_path / "backup", BackupKeys(tmp_path / "odd.key")))
    assert "odd.key" in said
    assert "hunter2" not in said
    assert "NOTBECH32" not in said
    assert not (tmp_path / "backup").exists()


def test_a_missing_or_wrong_key_opens_nothing(world: World, tmp_path: Path) -> None:
    keys = key_in(tmp_path)
    made(world, tmp_path / "backup", keys)
    other = elsewhere(world, tmp_path / "other")
    assert "Name the file of its key" in refusal(lambda: restored(other, tmp_path / "backup"))
    wrong = key_in(tmp_path, "wrong.key")
    assert "is not the key of the backup" in refusal(lambda: restored(other, tmp_path / "backup", wrong))
    gone = BackupKeys(tmp_path / "gone.key")
    assert "There is no key file" in refusal(lambda: restored(other, tmp_path / "backup", gone))


@pytest.mark.slow
def test_a_passphrase_protects_a_backup(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []

    def ask(is_new: bool) -> str:
        asked.append(is_new)
        return WORDS

    keys = BackupKeys(ask=ask, wants_passphrase=True)
    made(world, tmp_path / "backup", keys)
    stored = b"".join(path.read_bytes() for path in (tmp_path / "backup").rglob("*") if path.is_file())
    assert WORDS.encode() not in stored
    other = elsewhere(world, tmp_path / "other")
    restored(other, tmp_path / "backup", keys)
    assert (asked, hash_of(other.layout.root)) == ([True, False], hash_of(world.layout.root))
    assert "nobody to ask" in refusal(lambda: restored(other, tmp_path / "backup"))
    monkeypatch.setenv(PASSPHRASE_VARIABLE, "another one")
    assert "is not the one" in refusal(lambda: restored(other, tmp_path / "backup"))
    monkeypatch.setenv(PASSPHRASE_VARIABLE, WORDS)
    assert "with a passphrase, not with a key" in refusal(
        lambda: restored(other, tmp_path / "backup", key_in(tmp_path))
    )


def test_a_short_passphrase_is_refused(world: World, tmp_path: Path) -> None:
    keys = BackupKeys(ask=lambda _is_new: "tree", wants_passphrase=True)
    assert "fewer than 8" in refusal(lambda: made(world, tmp_path / "backup", keys))
    assert not (tmp_path / "backup").exists()
