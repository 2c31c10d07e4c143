from pathlib import Path

import pytest
from tests.sources.repositories import commit_on_top, git, repository

from afterwit.sources.gathering import SourceError
from afterwit.sources.git import answer_within, commits, diff_of, text_reader, tree_of


@pytest.fixture
def git_dir(tmp_path: Path) -> Path:
    return repository(tmp_path)


def changes(git_dir: Path, commit: str) -> tuple:  # type: ignore[type-arg]
    return next(iter(commits(git_dir, [commit]))).changes


def test_changed_lines_come_with_their_places(git_dir: Path) -> None:
    first = commit_on_top(git_dir, {"a.py": b"one\ntwo\nthree\n", "gone.py": b"x\n"})
    second = commit_on_top(git_dir, {"a.py": b"one\nTWO\nthree\nfour\n", "new.py": b"n\n"})
    diffs = {diff.path: diff.hunks for diff in diff_of(git_dir, first, second, changes(git_dir, second))}
    change, addition = diffs["a.py"]
    assert (change.before_first, change.before, change.after_first, change.after) == (2, ("two",), 2, ("TWO",))
    assert (addition.after_first, addition.after) == (4, ("four",))
    assert [hunk.before for hunk in diffs["gone.py"]] == [("x",)]
    assert [hunk.after for hunk in diffs["new.py"]] == [("n",)]


def test_lines_that_look_like_a_diff_are_lines(git_dir: Path) -> None:
    first = commit_on_top(git_dir, {"a": b"x\n"})
    text = b"diff --git a/b b/b\n@@ -1 +1 @@\n+++ b/b\n--- a/b\n"
    second = commit_on_top(git_dir, {"a": text})
    (diff,) = diff_of(git_dir, first, second, changes(git_dir, second))
    assert [hunk.after for hunk in diff.hunks] == [tuple(text.decode().splitlines())]


def test_odd_names_are_told_apart_by_their_contents(git_dir: Path) -> None:
    odd = {"ü\n.py": b"1\n", "-rf": b"2\n", 'a"b\\.py': b"3\n"}
    first = commit_on_top(git_dir, dict.fromkeys(odd, b"0\n"))
    second = commit_on_top(git_dir, odd)
    diffs = diff_of(git_dir, first, second, changes(git_dir, second))
    assert {diff.path: diff.hunks[0].after[0].encode() + b"\n" for diff in diffs} == odd


def test_what_is_binary_has_no_lines(git_dir: Path) -> None:
    first = commit_on_top(git_dir, {"a": b"\0\1"})
    second = commit_on_top(git_dir, {"a": b"\0\2"})
    assert [diff.hunks for diff in diff_of(git_dir, first, second, changes(git_dir, second))] == [()]


def test_no_program_of_a_repository_is_run(git_dir: Path, tmp_path: Path) -> None:
    trap = f"sh -c 'touch {tmp_path}/trapped'"
    for key in ("diff.external", "diff.evil.command", "diff.evil.textconv", "core.fsmonitor", "core.pager"):
        git(git_dir, "config", key, trap)
    (git_dir / "info").mkdir(exist_ok=True)
    (git_dir / "info" / "attributes").write_text("* diff=evil filter=evil\n", encoding="utf-8")
    first = commit_on_top(git_dir, {"a": b"1\n"})
    second = commit_on_top(git_dir, {"a": b"2\n"})
    diff_of(git_dir, first, second, changes(git_dir, second))
    tree_of(git_dir, second)
    assert not (tmp_path / "trapped").exists()


def test_a_tree_names_its_files_with_modes_and_sizes(git_dir: Path) -> None:
    commit = commit_on_top(git_dir, {"a/b.txt": b"four", "c": b""})
    entries = {entry.path: entry for entry in tree_of(git_dir, commit)}
    assert {path: (entry.mode, entry.size_bytes) for path, entry in entries.items()} == {
        "a/b.txt": ("100644", 4),
        "c": ("100644", 0),
    }
    read = text_reader(git_dir, entries)
    assert (read("a/b.txt"), read("nothing")) == ("four", "")


def test_more_than_is_wanted_is_cut_or_refused(git_dir: Path) -> None:
    commit = commit_on_top(git_dir, {"a": b"x" * 5_000})
    arguments = ["cat-file", "blob", f"{commit}:a"]
    assert len(answer_within(git_dir, arguments, 100, is_cut=True)) == 100
    with pytest.raises(SourceError, match="more than 100 bytes"):
        answer_within(git_dir, arguments, 100)


def test_only_ids_of_commits_are_asked_for(git_dir: Path) -> None:
    with pytest.raises(SourceError, match="not the id of a commit"):
        diff_of(git_dir, "--output=x", "0" * 40, ())
    with pytest.raises(SourceError, match="not the id of a commit"):
        tree_of(git_dir, "HEAD")
