"""Files with results: whole, private, and never over another by accident."""

from pathlib import Path

import pytest

from afterwit.cli.written import refuse_existing, write_whole
from afterwit.model.errors import UsageError


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


def test_a_folder_that_is_not_there_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_whole(tmp_path / "nowhere" / "first.txt", "plums\n")
    assert list(tmp_path.iterdir()) == []
