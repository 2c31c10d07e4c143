import os
from contextlib import suppress
from pathlib import Path

import pytest

from afterwit.store.atomic import (
    READABLE,
    create_file,
    make_way,
    open_new,
    open_replacement,
    rename_into,
    replace_file,
    sync,
)

posix_only = pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")


@pytest.mark.parametrize("is_durable", [True, False])
def test_a_file_takes_the_place_of_another_and_nothing_is_left_beside(tmp_path: Path, is_durable: bool) -> None:
    path = tmp_path / "x"
    for content in (b"first", b"second"):
        replace_file(path, content, is_durable=is_durable)
        assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_the_old_file_stands_until_the_new_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")
    with open_replacement(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"


def test_an_error_leaves_the_old_file_and_nothing_beside(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")
    for opened in (open_replacement, open_new):
        with suppress(RuntimeError), opened(path) as file:
            file.write(b"half")
            raise RuntimeError
    with suppress(RuntimeError), rename_into(path) as beside:
        beside.write_bytes(b"half")
        raise RuntimeError
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@posix_only
def test_files_are_private_unless_another_mode_is_asked_for(tmp_path: Path) -> None:
    mask = os.umask(0o022)
    try:
        replace_file(tmp_path / "own", b"")
        replace_file(tmp_path / "shared", b"", READABLE)
        assert create_file(tmp_path / "new", b"")
    finally:
        os.umask(mask)
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert modes == {"own": 0o600, "shared": 0o644, "new": 0o600}


def test_a_name_that_is_taken_meanwhile_stays_with_whoever_has_it(tmp_path: Path) -> None:
    path = tmp_path / "x"
    with suppress(FileExistsError), open_new(path) as file:
        file.write(b"ours")
        path.write_bytes(b"theirs")
    assert not create_file(path, b"ours")
    assert path.read_bytes() == b"theirs"
    assert list(tmp_path.iterdir()) == [path]


def test_a_system_without_hard_links_gets_its_file_by_a_rename(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.setattr("os.link", refused)
    path = tmp_path / "x"
    assert create_file(path, b"first")
    assert not create_file(path, b"second")
    assert path.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [path]


def test_the_longest_name_that_a_file_can_have_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 255)
    replace_file(path, b"content")
    assert path.read_bytes() == b"content"


def test_a_folder_in_the_way_is_moved_aside(tmp_path: Path) -> None:
    path = tmp_path / "x"
    (path / "inside").mkdir(parents=True)
    make_way(path)
    make_way(path)
    replace_file(path, b"content")
    assert path.read_bytes() == b"content"
    assert len(list(tmp_path.glob("x.folder-*/inside"))) == 1


def test_files_and_folders_can_be_synced(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"x")
    sync(tmp_path / "x")
    sync(tmp_path)
    with pytest.raises(FileNotFoundError):
        sync(tmp_path / "none")
