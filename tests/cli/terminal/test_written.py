"""Files with results: whole, private, and never over another by accident."""

import os
import stat
from pathlib import Path

import pytest

from afterwit.cli.terminal.output import refuse_existing, write_whole
from afterwit.model.errors import UsageError
from afterwit.store import atomic


def test_a_file_that_is_there_is_refused_unless_forced(tmp_path: Path) -> None:
    place = tmp_path / "first.txt"
    refuse_existing(None, is_forced=False)
    refuse_existing(place, is_forced=False)
    place.touch()
    refuse_existing(place, is_forced=True)
    with pytest.raises(UsageError, match="is there already"):
        refuse_existing(place, is_forced=False)


def test_a_file_appears_whole_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    write_whole(tmp_path / "first.txt", "plums\n")
    write_whole(tmp_path / "first.txt", "pears\n")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("first.txt", "pears\n")]


def test_a_folder_that_is_not_there_is_named_and_leaves_nothing(tmp_path: Path) -> None:
    place = tmp_path / "nowhere" / "first.txt"
    with pytest.raises(UsageError, match=r"There is no folder .*nowhere\."):
        refuse_existing(place, is_forced=False)
    with pytest.raises(UsageError, match=r"There is no folder .*nowhere\."):
        write_whole(place, "plums\n")
    assert list(tmp_path.iterdir()) == []


def test_force_replaces_no_symbolic_link_and_follows_none(tmp_path: Path) -> None:
    (tmp_path / "plums.txt").write_text("plums\n")
    for name, target in (("link.txt", "plums.txt"), ("dangling.txt", "nothing.txt")):
        link = tmp_path / name
        link.symlink_to(target)
        _is_left_alone(link)
        assert link.is_symlink()
    assert (tmp_path / "plums.txt").read_text() == "plums\n"
    assert not (tmp_path / "nothing.txt").exists()


def test_force_replaces_no_pipe_device_or_folder(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    _is_left_alone(tmp_path / "pipe")
    _is_left_alone(Path(os.devnull))
    _is_left_alone(tmp_path)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_what_cannot_be_written_is_named_by_its_own_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(atomic, "_beside", lambda path: path.with_name("x" * 300))  # longer than a name can be
    place = tmp_path / "fruit.txt"
    with pytest.raises(OSError, match=f"/{place.name}'"):
        write_whole(place, "plums\n")


def _is_left_alone(place: Path) -> None:
    with pytest.raises(UsageError, match="no regular file"):
        refuse_existing(place, is_forced=True)
    with pytest.raises(UsageError, match="no regular file"):
        write_whole(place, "pears\n")
