import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.thoroughness import examples

from afterwit.sources.checkout import remote_of, root_of_checkout, worktrees_beside

ORIGIN = '[core]\n\tbare = false\n[remote "origin"]\n\turl = git@github.com:acme/rocket.git\n\tfetch = +refs/*\n'
NAME = "github.com/acme/rocket"


def git_folder(folder: Path, config: str = ORIGIN) -> Path:
    (folder / "objects").mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "config").write_text(config)
    return folder


def checkout(folder: Path, config: str = ORIGIN) -> Path:
    git_folder(folder / ".git", config)
    return folder


def test_the_origin_of_a_checkout_is_found_from_any_subfolder(tmp_path: Path) -> None:
    root = checkout(tmp_path / "rocket")
    below = root / "src" / "deep"
    below.mkdir(parents=True)
    assert remote_of(root) == NAME
    assert remote_of(below) == NAME
    assert root_of_checkout(below) == root


def test_a_folder_that_does_not_exist_any_more_is_found_through_the_one_above(tmp_path: Path) -> None:
    root = checkout(tmp_path / "rocket")
    assert root_of_checkout(root / "gone" / "further") == root


def test_a_worktree_has_the_remote_of_its_main_checkout(tmp_path: Path) -> None:
    main = checkout(tmp_path / "rocket")
    private = main / ".git" / "worktrees" / "fix"
    private.mkdir(parents=True)
    (private / "HEAD").write_text("ref: refs/heads/fix\n")
    (private / "commondir").write_text("../..\n")
    tree = tmp_path / "elsewhere"
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {private}\n")
    assert remote_of(tree) == NAME
    assert root_of_checkout(tree) == tree


def test_a_submodule_has_its_own_remote(tmp_path: Path) -> None:
    main = checkout(tmp_path / "rocket")
    git_folder(main / ".git" / "modules" / "lib", '[remote "origin"]\nurl=https://github.com/acme/lib\n')
    (main / "lib").mkdir()
    (main / "lib" / ".git").write_text("gitdir: ../.git/modules/lib\n")
    assert remote_of(main / "lib") == "github.com/acme/lib"


@pytest.mark.parametrize(
    ("config", "remote"),
    [
        (
            '[remote "upstream"]\nurl = https://github.com/up/x\n[remote "origin"]\nurl = https://github.com/me/x',
            "me/x",
        ),
        ('[remote "zed"]\nurl = https://github.com/z/x\n[remote "upstream"]\nurl = https://github.com/up/x', "up/x"),
        ('[remote "fork"]\n  URL = "https://github.com/fork/x" # mine', "fork/x"),
        ('[Remote "origin"] url = https://github.com/one/line', "one/line"),
        ('[remote "origin"]\nurl = /srv/x.git\n[remote "upstream"]\nurl = https://github.com/up/x', "up/x"),
        ('[remote "origin"]\nurl = https://github.com/a/first\nurl = https://github.com/a/second', "a/first"),
        ('[remote "origin"]\nurl = https://github.com/long/\\\nname', "long/name"),
        ('[remote "origin"]\npushurl = https://github.com/a/push\nurl = https://github.com/a/x', "a/x"),
    ],
)
def test_origin_goes_before_upstream_before_the_only_one(tmp_path: Path, config: str, remote: str) -> None:
    assert remote_of(checkout(tmp_path / "x", config)) == f"github.com/{remote}"


@pytest.mark.parametrize(
    "config",
    [
        "",
        "[core]\n",
        '[remote "a"]\nurl = https://github.com/a/x\n[remote "b"]\nurl = https://github.com/b/x',
        '[remote "origin"]\nurl = /srv/x.git',
        '[remote "origin"\nurl = https://github.com/a/x',
        '[branch "origin"]\nurl = https://github.com/a/x',
        '[url "https://github.com/a/x"]\ninsteadOf = gh:',
        "\0\0\0",
    ],
)
def test_a_configuration_without_a_clear_remote_gives_none(tmp_path: Path, config: str) -> None:
    assert remote_of(checkout(tmp_path / "x", config)) == ""


def test_outside_of_any_checkout_there_is_no_remote(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert remote_of(tmp_path / "x") == ""
    assert root_of_checkout(tmp_path / "x") is None


@pytest.mark.parametrize(
    "pointer",
    ["gitdir: /etc", "gitdir: ../secret", "gitdir: //server/share", "gitdir: \\\\server\\x", "", "gitdir:", "x"],
)
def test_a_pointer_to_what_is_no_git_folder_is_not_followed(tmp_path: Path, pointer: str) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "config").write_text(ORIGIN)
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / ".git").write_text(pointer)
    assert remote_of(tree) == ""


def test_pointers_that_lead_in_a_circle_end(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / ".git").write_text("gitdir: .git")
    assert remote_of(tree) == ""
    other = checkout(tmp_path / "other")
    (other / ".git" / "commondir").write_text(".")
    assert remote_of(other) == NAME


def test_only_the_beginning_of_a_huge_configuration_is_read(tmp_path: Path) -> None:
    assert remote_of(checkout(tmp_path / "late", "#" * 300_000 + "\n" + ORIGIN)) == ""
    assert remote_of(checkout(tmp_path / "early", ORIGIN + "#" * 300_000)) == NAME


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_in_place_of_a_file_is_not_opened(tmp_path: Path) -> None:
    root = checkout(tmp_path / "x")
    (root / ".git" / "config").unlink()
    os.mkfifo(root / ".git" / "config")
    (tmp_path / "y").mkdir()
    os.mkfifo(tmp_path / "y" / ".git")
    assert remote_of(root) == ""
    assert remote_of(tmp_path / "y") == ""


def test_odd_paths_are_survived() -> None:
    for text in ("a\0b", "x" * 5000, "/" + "/".join(["d"] * 900)):
        assert remote_of(Path(text)) == ""


@settings(max_examples=examples(50), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200), st.booleans())
def test_whatever_the_files_hold_nothing_is_raised(tmp_path: Path, content: bytes, is_pointer: bool) -> None:
    root = tmp_path / content.hex()[:40] / str(is_pointer)
    if not root.exists():
        if is_pointer:
            root.mkdir(parents=True)
            (root / ".git").write_bytes(b"gitdir: " + content)
        else:
            (checkout(root) / ".git" / "config").write_bytes(content)
    assert isinstance(remote_of(root), str)


def linked(main: Path, folder: Path) -> Path:
    """A work tree as `git worktree add` leaves it."""
    own = main / ".git" / "worktrees" / folder.name
    own.mkdir(parents=True)
    folder.mkdir()
    (own / "gitdir").write_text(f"{folder}/.git\n")
    (own / "commondir").write_text("../..\n")
    (folder / ".git").write_text(f"gitdir: {own}\n")
    return folder


def test_the_work_trees_of_a_repository_know_each_other(tmp_path: Path) -> None:
    main = checkout(tmp_path / "rocket")
    first, second = linked(main, tmp_path / "first"), linked(main, tmp_path / "second")
    assert worktrees_beside(main) == [first, second]
    assert worktrees_beside(first) == [main, second]


def test_a_work_tree_that_is_gone_or_belongs_elsewhere_is_not_beside(tmp_path: Path) -> None:
    main = checkout(tmp_path / "rocket")
    (linked(main, tmp_path / "gone") / ".git").unlink()
    other = checkout(tmp_path / "other")
    (linked(main, tmp_path / "stolen") / ".git").write_text(f"gitdir: {other}/.git\n")
    assert worktrees_beside(main) == []
    assert worktrees_beside(tmp_path / "nowhere") == []
