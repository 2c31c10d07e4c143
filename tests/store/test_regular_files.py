"""Files that may be something else."""

import os
import socket
from pathlib import Path

import pytest

from afterwit.store.regular_files import NotRegularError, open_regular, read_regular

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")


def test_a_file_is_read_and_so_is_a_link_to_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"apples")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    assert read_regular(tmp_path / "file") == read_regular(tmp_path / "link") == b"apples"
    assert read_regular(str(tmp_path / "file"), 3) == b"app"
    with open_regular(tmp_path / "file") as file:
        assert list(file) == [b"apples"]


@pytest.mark.parametrize("kind", ["pipe", "folder", "device", "link to a pipe"])
def test_what_is_no_file_is_an_error_at_once(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "place"
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    elif kind == "device":
        place = Path(os.devnull)
    else:
        os.mkfifo(tmp_path / "pipe")
        place.symlink_to(tmp_path / "pipe")
    with pytest.raises(NotRegularError):
        read_regular(place)


def test_a_socket_is_an_error_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the names of sockets are short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("place")
        with pytest.raises(OSError, match="place"):
            read_regular("place")


def test_a_missing_file_is_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        open_regular(tmp_path / "nothing")


def test_no_handle_is_left_open(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    before = os.open(os.devnull, os.O_RDONLY)
    os.close(before)
    for _ in range(3):
        with pytest.raises(NotRegularError):
            open_regular(tmp_path / "pipe")
    after = os.open(os.devnull, os.O_RDONLY)
    os.close(after)
    assert before == after
