"""A work tree is looked into within bounds, and what is odd is not there or cannot be told."""

import os
from pathlib import Path

import pytest

from afterwit.sources import checkout
from afterwit.sources.checkout import (
    files_named,
    has_path,
    has_work_tree,
    is_sparse,
    may_be_untracked,
    text_in,
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "orchard"
    for path in ("press.py", "src/press.py", "src/deep/mill.py", "node_modules/x/press.py", ".git/press.py"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("turn()", "utf-8")
    return root


def test_files_are_found_by_name_but_not_among_dependencies(tree: Path) -> None:
    assert files_named(tree, {"press.py"}) == (("press.py", "src/press.py"), True)
    assert files_named(tree, {"node_modules"}).paths == ("node_modules",)


def test_links_to_folders_are_not_followed(tree: Path) -> None:
    (tree / "again").symlink_to(tree)
    assert files_named(tree, {"press.py"}) == (("press.py", "src/press.py"), True)


@pytest.mark.parametrize(("bound", "value"), [("_MOST_FOLDERS", 2), ("_MOST_NAMED", 1)])
def test_a_large_tree_is_looked_through_in_part(
    tree: Path, monkeypatch: pytest.MonkeyPatch, bound: str, value: int
) -> None:
    (tree / "src" / "deep" / "press.py").touch()
    monkeypatch.setattr(checkout, bound, value)
    assert not files_named(tree, {"press.py"}).is_whole


def test_a_tree_that_is_not_there_is_not_whole(tmp_path: Path) -> None:
    assert files_named(tmp_path / "mill", {"press.py"}) == ((), False)


def test_whether_a_path_is_there_may_be_unknown(tree: Path) -> None:
    assert has_path(tree, "src/press.py")
    assert has_path(tree, "src/mill.py") is False
    assert has_path(tree, "press.py/mill.py") is False
    assert has_path(tree, "a\0b") is None
    assert has_path(tree, "a" * 5_000) is None


def test_only_whole_regular_files_inside_the_tree_are_read(tree: Path, tmp_path: Path) -> None:
    assert text_in(tree, "press.py", 6) == "turn()"
    assert text_in(tree, "press.py", 5) is None
    (tmp_path / "secret").write_text("pears", "utf-8")
    (tree / "link").symlink_to(tmp_path / "secret")
    (tree / "inner").symlink_to(tree / "press.py")
    (tree / "loop").symlink_to(tree / "loop")
    (tree / "binary").write_bytes(b"\xff")
    assert text_in(tree, "inner", 100) == "turn()"
    for path in ("link", "loop", "binary", "src", "../secret", "mill.py"):
        assert text_in(tree, path, 100) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_nobody_waits_at_a_pipe(tree: Path) -> None:
    os.mkfifo(tree / "Makefile")
    assert text_in(tree, "Makefile", 100) is None


@pytest.mark.parametrize(
    ("path", "is_ignored"),
    [
        ("dist/cli.js", True),
        ("src/deep/made.log", True),
        ("src/made/row.py", True),
        ("made/row.py", False),
        ("src/row.py", False),
        ("node_modules/.bin/mill", True),
        ("vendor/bin/mill", True),
    ],
)
def test_what_git_ignores_is_known_by_its_files(tree: Path, path: str, is_ignored: bool) -> None:
    (tree / ".gitignore").write_text("# made\n\n/dist\n*.log\n!src/row.py\n", "utf-8")
    (tree / "src" / ".gitignore").write_text("made/\n", "utf-8")
    assert may_be_untracked(tree, path) is is_ignored


def test_a_bare_repository_and_a_sparse_checkout_are_known_by_their_settings(tree: Path) -> None:
    (tree / ".git" / "config").write_text("[core]\n\tbare = false\n", "utf-8")
    assert has_work_tree(tree)
    assert not is_sparse(tree)
    (tree / ".git" / "config").write_text("[core]\n\tbare = true\n", "utf-8")
    (tree / ".git" / "config.worktree").write_text("[core]\n\tsparseCheckout = true\n", "utf-8")
    assert not has_work_tree(tree)
    assert is_sparse(tree)


def test_an_empty_folder_is_no_work_tree(tmp_path: Path) -> None:
    assert not has_work_tree(tmp_path)
    assert not has_work_tree(tmp_path / "nowhere")
