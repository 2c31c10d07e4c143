"""Links in homes: what is followed, and what is not."""

import os
from pathlib import Path

import pytest
from tests.homes import claude_records, learned, put, world_of

from afterwit.engine.doctor.doctor import examine
from afterwit.sources.discovery import Bounds, find_named_files, list_home, pattern_of

pytestmark = pytest.mark.skipif(os.name != "posix", reason="links are POSIX's")
PROJECT = "projects/-srv-orchard"


def follows_projects(name: str) -> bool:
    return name == "projects"


def walked(home: Path) -> list[str]:
    return sorted(path for path, *_ in list_home(home, follows_projects).files)


def test_a_link_to_everything_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    put(home / PROJECT / "a.jsonl", b"1")
    (home / PROJECT / "all").symlink_to("/")
    (home / "projects" / "up").symlink_to(tmp_path)
    (home / "top").symlink_to("/")
    opened: list[str] = []
    scandir = os.scandir

    def watched(folder: str) -> "os._ScandirIterator[str]":
        opened.append(folder)
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", watched)
    assert walked(home) == [f"{PROJECT}/a.jsonl"]
    assert all(folder.startswith(str(home)) for folder in opened)
    assert len(opened) == 3


def test_a_link_in_the_place_of_a_folder_of_logs_is_followed(tmp_path: Path) -> None:
    put(tmp_path / "disk" / "p" / "a.jsonl", b"1")
    (tmp_path / "disk" / "p" / "same").symlink_to(tmp_path / "disk" / "p")
    (tmp_path / "disk" / "out").symlink_to(tmp_path / "secret")
    put(tmp_path / "secret" / "b.jsonl", b"2")
    home = tmp_path / "home"
    home.mkdir()
    (home / "projects").symlink_to(tmp_path / "disk")
    (home / "other").symlink_to(tmp_path / "secret")
    assert walked(home) == ["projects/p/a.jsonl"]


@pytest.mark.parametrize("above", ["", "..", "../.."])
def test_not_even_such_a_link_leads_to_what_the_home_lies_in(tmp_path: Path, above: str) -> None:
    put(tmp_path / "b.jsonl", b"2")
    home = tmp_path / "user" / "home"
    home.mkdir(parents=True)
    (home / "projects").symlink_to(os.path.normpath(home / above))
    put(home / "a.jsonl", b"1")
    assert walked(home) == ["a.jsonl"]


def test_a_home_that_is_a_link_is_its_target(tmp_path: Path) -> None:
    put(tmp_path / "real" / PROJECT / "a.jsonl", b"1")
    (tmp_path / "real" / PROJECT / "again").symlink_to(tmp_path / "real" / "projects")
    (tmp_path / "home").symlink_to(tmp_path / "real")
    assert walked(tmp_path / "home") == [f"{PROJECT}/a.jsonl"]


def test_a_link_to_a_file_outside_is_left_out_and_named(tmp_path: Path) -> None:
    put(tmp_path / "secret.jsonl", b"2")
    home = tmp_path / "home"
    put(home / PROJECT / "a.jsonl", b"1")
    (home / PROJECT / "b.jsonl").symlink_to(tmp_path / "secret.jsonl")
    (home / PROJECT / "c.jsonl").symlink_to(home / PROJECT / "a.jsonl")
    (home / PROJECT / "d.jsonl").symlink_to("/dev/null")
    listing = list_home(home, follows_projects)
    assert sorted(path for path, *_ in listing.files) == [f"{PROJECT}/a.jsonl", f"{PROJECT}/c.jsonl"]
    assert listing.outside == [home / PROJECT / "b.jsonl"]
    assert listing.unreadable == []


def test_a_folder_given_by_hand_may_hold_links(tmp_path: Path) -> None:
    put(tmp_path / "elsewhere" / "a.jsonl", b"1")
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "logs").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "given" / "all").symlink_to("/")
    assert [path for path, *_ in list_home(tmp_path / "given").files] == ["logs/a.jsonl"]


def test_a_name_that_only_begins_like_the_home_is_outside(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home-of-others").mkdir()
    (tmp_path / "home" / "link").symlink_to(tmp_path / "home-of-others")
    assert not Bounds(str(tmp_path / "home"), follows_projects).allows(str(tmp_path / "home" / "link"), "link")


def test_a_glance_and_a_search_by_name_go_no_further(tmp_path: Path) -> None:
    home = tmp_path / "home"
    put(home / PROJECT / "5ea5000100.jsonl", b"1")
    put(tmp_path / "far" / "5ea5000100.jsonl", b"2")
    (home / PROJECT / "far").symlink_to(tmp_path / "far")
    before = list_home(home, follows_projects).mark
    put(tmp_path / "far" / "5ea5000100.jsonl", b"changed")
    assert list_home(home, follows_projects).mark == before
    names = pattern_of("5ea5000100")
    entries = find_named_files(home, ("projects",), names, follows_projects)
    assert [entry.path for entry in entries] == [f"{PROJECT}/5ea5000100.jsonl"]


def test_learn_reads_nothing_from_outside_and_doctor_says_what_was_left_out(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    put(home / ".claude" / PROJECT / "5ea50001.jsonl", claude_records("5ea50001"))
    put(tmp_path / "outside" / "-srv-other" / "5ea50002.jsonl", claude_records("5ea50002"))
    put(tmp_path / "outside" / "skills" / "SKILL.md", b"# Pruning")
    (home / ".claude" / "projects" / "other").symlink_to(tmp_path / "outside" / "-srv-other")
    (home / ".claude" / "skills").symlink_to(tmp_path / "outside" / "skills")
    assert learned(home, store).sessions == 1
    found = [one for one in examine(world_of(home, store)).findings if one.code == "links-outside"]
    assert len(found) == 1
    assert str(home / ".claude" / "projects" / "other") in found[0].what
    assert "skills" not in found[0].what  # no log can lie there
    assert "`homes` in [agents.claude-code]" in found[0].what


def test_learn_reads_logs_that_were_moved_to_another_disk(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    put(tmp_path / "disk" / "-srv-orchard" / "5ea50001.jsonl", claude_records("5ea50001"))
    (home / ".claude").mkdir(parents=True)
    (home / ".claude" / "projects").symlink_to(tmp_path / "disk")
    assert learned(home, store).sessions == 1
    assert [one for one in examine(world_of(home, store)).findings if one.code == "links-outside"] == []
