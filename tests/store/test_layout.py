import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from afterwit.model.errors import StoreError
from afterwit.store.atomic import create_file
from afterwit.store.layout import KEY_BYTES, Layout, redaction_key

MAKE_KEY = """
import sys
from pathlib import Path
from afterwit.store.layout import Layout, redaction_key
sys.stdin.readline()
print(redaction_key(Layout(Path(sys.argv[1]))).hex())
"""
posix_only = pytest.mark.skipif(os.name != "posix", reason="permissions and links are POSIX's")


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@posix_only
def test_folders_are_private_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        layout = Layout(tmp_path / "deep" / "store")
        layout.create()
        redaction_key(layout)
    finally:
        os.umask(before)
    for folder in (layout.root, layout.archive, layout.spool, layout.backups):
        assert mode_of(folder) == 0o700
    assert mode_of(layout.key) == 0o600


def test_creating_twice_is_creating_once(layout: Layout) -> None:
    (layout.archive / "kept").touch()
    layout.create()
    assert (layout.archive / "kept").exists()


def test_a_folder_is_no_store_until_something_is_in_it(layout: Layout) -> None:
    assert not layout.exists()
    (layout.archive / "ab").mkdir()
    assert not layout.exists()
    (layout.archive / "ab" / "abcd-0.zst").touch()
    assert layout.exists()


@pytest.mark.parametrize("name", ["database", "journal"])
def test_a_database_or_a_journal_makes_a_store(layout: Layout, name: str) -> None:
    getattr(layout, name).touch()
    assert layout.exists()


@posix_only
def test_a_root_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(StoreError, match=r"symbolic link\. Point AFTERWIT_HOME at the real folder"):
        Layout(tmp_path / "link").create()
    assert list((tmp_path / "real").iterdir()) == []


def test_a_root_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="Cannot create the store"):
        Layout(tmp_path / "file").create()


def test_the_key_is_made_once_and_stays(layout: Layout) -> None:
    key = redaction_key(layout)
    assert len(key) == KEY_BYTES
    assert redaction_key(layout) == key
    assert [path.name for path in layout.root.glob("*redaction.key*")] == ["redaction.key"]


def test_processes_that_make_the_key_at_once_agree_on_it(layout: Layout) -> None:
    command = [sys.executable, "-c", MAKE_KEY, str(layout.root)]
    racing = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    for process in racing:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    keys = {process.communicate()[0] for process in racing}
    assert keys == {f"{redaction_key(layout).hex()}\n"}


@pytest.mark.parametrize("content", [b"", b"short", bytes(KEY_BYTES + 1)])
def test_a_damaged_key_is_refused_and_kept(layout: Layout, content: bytes) -> None:
    layout.key.write_bytes(content)
    with pytest.raises(StoreError, match="Restore it from a backup"):
        redaction_key(layout)
    assert layout.key.read_bytes() == content


def test_a_private_file_is_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "some.key"
    assert create_file(path, b"first")
    assert not create_file(path, b"second")
    assert path.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [path]
