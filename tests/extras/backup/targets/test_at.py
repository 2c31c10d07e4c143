"""Which text names which kind of target."""

from pathlib import Path

import pytest
from tests.every import for_every

from afterwit.extras.backup.targets.at import absolute_target, is_folder, target_at
from afterwit.model.errors import BackupError, UsageError


@for_every(
    "text, kind",
    [
        ("/media/disk/afterwit", "folder"),
        ("backups", "folder"),
        ("file:///media/disk", "folder"),
        ("~/backups.git", "folder"),
        ("s3://bucket/folder", "fsspec"),
        ("sftp://example.com/folder", "fsspec"),
        ("memory://folder", "fsspec"),
    ],
)
def test_the_text_says_what_it_is(text: str, kind: str) -> None:
    assert ("folder" if is_folder(text) else "fsspec") == kind


def test_folders_become_absolute(tmp_path: Path) -> None:
    assert absolute_target("~/b", Path("/h"), tmp_path) == "/h/b"
    assert absolute_target("b", Path("/h"), tmp_path) == str(tmp_path / "b")
    assert absolute_target("file:///b", Path("/h"), tmp_path) == "/b"
    assert absolute_target("s3://b/c", Path("/h"), tmp_path) == "s3://b/c"
    for odd in ("", "  ", "a\nb"):
        with pytest.raises(UsageError):
            absolute_target(odd, Path("/h"), tmp_path)


@pytest.mark.parametrize("text", ["sftp://a:b@host/c", "git+https://a:b@host/c.git", "https://a:b@host/c.git"])
def test_a_password_in_a_url_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match="A password stands in the URL"):
        absolute_target(text, tmp_path, tmp_path)
    with pytest.raises(UsageError, match="A password stands in the URL"):
        target_at(text)


@pytest.mark.parametrize(
    "text",
    ["git+ssh://git@example.com/me/backup.git", "git+/srv/b.git", "https://h/b.git", "git@example.com:me/backup"],
)
def test_a_git_remote_is_refused_with_the_way_to_read_it(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match="Clone its branch"):
        absolute_target(text, tmp_path, tmp_path)
    with pytest.raises(UsageError, match="Clone its branch"):
        target_at(text)


def test_a_scheme_that_nobody_knows_is_said() -> None:
    with pytest.raises(BackupError, match=r"Opening nosuch://x failed: Protocol not known"):
        target_at("nosuch://x")
