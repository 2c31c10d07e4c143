"""What git's own blame says, as far as it is used."""

from pathlib import Path

import pytest
from tests.sources.checkouts import START_S, worked

from afterwit.sources.blame import blame
from afterwit.sources.gathering import SourceError

TEXT = "one line of oak\nanother line of iron\na third line of willow\n"


def test_each_line_has_its_commit_its_time_and_the_name_of_the_file_then(tmp_path: Path) -> None:
    place = worked(tmp_path / "orchard")
    first = place.commit({"old name.txt": TEXT}, "Begin\n\nwith more words", 60)
    place.git("mv", "old name.txt", "new.txt")
    place.git("commit", "-q", "-m", "Rename", at_s=120)
    last = place.commit({"new.txt": TEXT + "filename of a fourth line\n"}, "Add", 180)
    lines = blame(place.git_dir, last, "new.txt")
    assert [line.text for line in lines] == [*TEXT.splitlines(), "filename of a fourth line"]
    assert [line.commit.id for line in lines] == [first] * 3 + [last]
    assert [line.path for line in lines] == ["old name.txt"] * 3 + ["new.txt"]
    assert (lines[0].commit.subject, lines[0].commit.at_ms) == ("Begin", (START_S + 60) * 1000)


def test_white_space_alone_makes_no_other_line(tmp_path: Path) -> None:
    place = worked(tmp_path / "orchard")
    first = place.commit({"a.txt": TEXT}, "Begin")
    last = place.commit({"a.txt": TEXT.replace("another", "    another")}, "Indent", 60)
    assert {line.commit.id for line in blame(place.git_dir, last, "a.txt")} == {first}


def test_a_name_is_no_pattern_and_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    place = worked(tmp_path / "orchard")
    commit = place.commit({"a.txt": TEXT}, "Begin")
    with pytest.raises(SourceError):
        blame(place.git_dir, commit, "*.txt")


def test_what_a_repository_names_as_a_program_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = worked(tmp_path / "orchard")
    ran = tmp_path / "ran"
    place.git("config", "diff.spy.textconv", f"touch {ran}; cat")
    commit = place.commit({"a.txt": TEXT, ".gitattributes": "*.txt diff=spy\n"}, "Begin")
    monkeypatch.chdir(place.root)
    assert len(blame(place.git_dir, commit, "a.txt")) == 3
    assert not ran.exists()
