"""Sessions spread over many files, gathered by patterns."""

from pathlib import Path, PurePosixPath

import msgspec
import pytest

from afterwit.sources.discovery import discover, list_home
from afterwit.sources.gathering import Files, SourceError, Tree, TreeGatherer
from afterwit.sources.places import LogFile

NESTED = TreeGatherer(
    Tree("box", (Files("top/*/{session}.json", (Files("mid/{session}/{part}.json", (Files("low/{part}/*.txt"),)),)),))
)
FLAT = TreeGatherer(Tree("runs", (Files("{session}/about.json"), Files("{session}/events/*.json"))))


def put(home: Path, **files: str) -> Path:
    for name, content in files.items():
        path = home / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return home


def nested_home(home: Path) -> Path:
    for name, content in {
        "box/top/p/s1.json": '{"id": "s1"}',
        "box/mid/s1/m1.json": "{}",
        "box/mid/s1/m2.json": "{",
        "box/low/m1/a.txt": "one",
        "box/low/m2/b.txt": "two",
        "box/mid/orphan/m9.json": "{}",
        "box/low/m9/z.txt": "nobody's",
        "box/other.json": "{}",
    }.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return home


def sessions_of(gatherer: TreeGatherer, home: Path) -> list[LogFile]:
    found = discover(list_home(home), lambda _: None, gatherer.collection)
    return [
        session
        for collection, files in found.collected.items()
        if isinstance(collection, PurePosixPath)
        for session in gatherer.sessions(home, collection, files)
    ]


def lines(gatherer: TreeGatherer, home: Path, path: str) -> list[tuple[str, object]]:
    data = gatherer.render(home, PurePosixPath(path)).data
    decoded = [msgspec.json.decode(line, type=dict[str, object]) for line in data.splitlines()]
    return [(str(line["file"]), line["content"]) for line in decoded]


def test_files_come_in_order_each_followed_by_those_inside_it(tmp_path: Path) -> None:
    assert lines(NESTED, nested_home(tmp_path), "box/s1.jsonl") == [
        ("top/p/s1.json", {"id": "s1"}),
        ("mid/s1/m1.json", {}),
        ("low/m1/a.txt", "one"),
        ("mid/s1/m2.json", "{"),
        ("low/m2/b.txt", "two"),
    ]


def test_files_without_a_session_belong_to_none(tmp_path: Path) -> None:
    assert [str(found.path) for found in sessions_of(NESTED, nested_home(tmp_path))] == ["box/s1.jsonl"]


def test_the_mark_changes_with_any_file_and_is_the_same_when_rendered(tmp_path: Path) -> None:
    home = nested_home(tmp_path)
    (before,) = sessions_of(NESTED, home)
    assert NESTED.render(home, before.path).file == before
    (home / "box/low/m2/b.txt").write_text("two and more")
    (after,) = sessions_of(NESTED, home)
    assert after.inode != before.inode


def test_numbers_in_names_count_as_numbers(tmp_path: Path) -> None:
    for number in (10, 9, 100):
        path = tmp_path / f"deep/runs/r1/events/{number}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(number))
    assert [content for _, content in lines(FLAT, tmp_path, "deep/runs/r1.jsonl")] == [9, 10, 100]
    assert [str(found.path) for found in sessions_of(FLAT, tmp_path)] == ["deep/runs/r1.jsonl"]


def test_a_session_that_is_gone_is_an_error_of_the_source(tmp_path: Path) -> None:
    with pytest.raises(SourceError):
        FLAT.render(tmp_path, PurePosixPath("runs/nobody.jsonl"))


def test_ids_that_are_no_names_of_files_are_quoted(tmp_path: Path) -> None:
    path = tmp_path / "runs/a b%/about.json"
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    (found,) = sessions_of(FLAT, tmp_path)
    assert str(found.path) == "runs/a%20b%25.jsonl"
    assert lines(FLAT, tmp_path, str(found.path)) == [("a b%/about.json", {})]
