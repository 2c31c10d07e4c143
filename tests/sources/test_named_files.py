import os
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.every import for_every
from tests.homes import put

from afterwit.sources.discovery import NamedFile, file_at, find_named_files, pattern_of, place_inside

ID = "0197aaaa-0000-7000-8000-00000000000b"


def named(home: Path, *folders: str) -> list[str]:
    return sorted(each.path for each in find_named_files(home, folders or ("",), pattern_of(ID)) if each.is_named)


@for_every(
    "name, is_named",
    [
        (f"{ID}.jsonl", True),
        (f"rollout-2026-05-01T10-00-00-{ID}.jsonl", True),
        (f"20260501_{ID}.settings.json", True),
        (ID.replace("-", ""), True),
        (f"{ID}0.jsonl", False),
        (f"x{ID}.jsonl", False),
        (ID[:-1], False),
        ("", False),
    ],
)
def test_an_id_is_found_as_a_whole(name: str, is_named: bool) -> None:
    assert (pattern_of(ID).search(name) is not None) is is_named


@given(st.text(min_size=1, max_size=40))
def test_whatever_an_id_holds_it_is_no_pattern(session: str) -> None:
    assert pattern_of(session).search(f"({session})")
    assert session in "anything else" or not pattern_of(session).search("anything else")


def test_what_lies_in_a_folder_of_that_name_belongs_to_it(tmp_path: Path) -> None:
    for path in (f"a/{ID}.jsonl", f"a/{ID}/deep/x.txt", "a/other/x.txt", f"b/{ID}.jsonl"):
        put(tmp_path / path, b"")
    assert named(tmp_path) == [f"a/{ID}.jsonl", f"a/{ID}/deep/x.txt", f"b/{ID}.jsonl"]
    assert named(tmp_path, "a") == [f"a/{ID}.jsonl", f"a/{ID}/deep/x.txt"]
    assert named(tmp_path, "nowhere") == []


def test_a_loop_of_links_ends_and_a_folder_keeps_its_own_name(tmp_path: Path) -> None:
    put(tmp_path / "home" / "z" / f"{ID}.jsonl", b"")
    put(tmp_path / "far" / f"{ID}.txt", b"")
    (tmp_path / "home" / "a").symlink_to(tmp_path / "home" / "z")
    (tmp_path / "home" / "z" / "loop").symlink_to(tmp_path / "home")
    (tmp_path / "home" / "far").symlink_to(tmp_path / "far")
    assert named(tmp_path / "home") == [f"far/{ID}.txt", f"z/{ID}.jsonl"]


def test_only_what_is_a_file_is_described(tmp_path: Path) -> None:
    file = put(tmp_path / "log.jsonl", b"12345")
    found = file_at(NamedFile("log.jsonl", str(file), is_named=True))
    assert found is not None
    assert (found.path, found.size_bytes, found.inode) == (PurePosixPath("log.jsonl"), 5, file.stat().st_ino)
    os.mkfifo(tmp_path / "pipe")
    assert file_at(NamedFile("pipe", str(tmp_path / "pipe"), is_named=True)) is None
    assert file_at(NamedFile("gone", str(tmp_path / "gone"), is_named=True)) is None


def test_a_place_counts_where_it_truly_lies(tmp_path: Path) -> None:
    home, outside = tmp_path / "home", tmp_path / "outside"
    inside = put(home / "logs" / "a.jsonl", b"")
    put(outside / "b.jsonl", b"")
    (home / "linked").symlink_to(outside)
    (tmp_path / "alias").symlink_to(home)
    assert place_inside(home, str(inside)) == PurePosixPath("logs/a.jsonl")
    assert place_inside(tmp_path / "alias", str(inside)) == PurePosixPath("logs/a.jsonl")
    assert place_inside(home, str(tmp_path / "alias" / "logs" / "a.jsonl")) == PurePosixPath("logs/a.jsonl")
    for elsewhere in (outside / "b.jsonl", home / "linked" / "b.jsonl", home / ".." / "outside" / "b.jsonl", home):
        assert place_inside(home, str(elsewhere)) is None
    assert place_inside(home, "logs/a.jsonl") is None


@pytest.mark.parametrize("place", ["/logs/\ud800.jsonl", "/logs/\0.jsonl"])
def test_a_place_that_no_file_system_has_lies_nowhere(tmp_path: Path, place: str) -> None:
    assert place_inside(tmp_path, place) is None


def test_a_link_to_itself_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "itself").symlink_to(tmp_path / "itself")
    put(tmp_path / f"{ID}.jsonl", b"")
    assert named(tmp_path) == [f"{ID}.jsonl"]


@pytest.mark.parametrize("session", ["-", "--", "jsonl", "json"])
def test_neither_dashes_nor_an_extension_name_a_file(tmp_path: Path, session: str) -> None:
    for name in ("one.jsonl", "a-b.json", "-srv-x/two.jsonl"):
        put(tmp_path / name, b"")
    entries = list(find_named_files(tmp_path, ("",), pattern_of(session)))
    assert [entry.path for entry in entries if entry.is_named] == []
    assert len(entries) == 3


def test_a_folder_is_named_by_its_whole_name(tmp_path: Path) -> None:
    put(tmp_path / f"run.{ID}" / "events.jsonl", b"")
    assert named(tmp_path) == [f"run.{ID}/events.jsonl"]
