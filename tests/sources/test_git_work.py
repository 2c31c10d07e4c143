"""What is being worked on in a checkout, and that looking at it runs nothing and writes nothing."""

import os
from pathlib import Path

import pytest
from tests.sources.checkouts import Worked, worked

from afterwit.sources.checkout import (
    branches,
    current_branch,
    files_uncommitted,
    head_commit,
    main_line,
    own_git_folder_of,
    trunk,
    work_mark,
)
from afterwit.sources.gathering import SourceError

MOST = 20


@pytest.fixture
def orchard(tmp_path: Path) -> Worked:
    place = worked(tmp_path / "orchard")
    place.commit({"press.py": "quince", "cellar/shelf.py": "ladder"}, "Plant")
    return place


def test_branches_come_by_their_short_names_the_newest_first(orchard: Worked) -> None:
    orchard.git("branch", "cellar/old")
    orchard.git("checkout", "-q", "-b", "mill")
    made = orchard.commit({"mill.py": "turn"}, "Mill", at_s=60)
    found = branches(orchard.git_dir)
    assert [ref.name for ref in found] == ["mill", "cellar/old", "main"]
    assert found[0].object == made
    assert found[0].at_ms == found[1].at_ms + 60_000


def test_the_current_branch_is_that_of_the_checkout(orchard: Worked) -> None:
    assert current_branch(orchard.git_dir) == "main"
    orchard.git("checkout", "-q", "-b", "cellar/new")
    assert current_branch(orchard.git_dir) == "cellar/new"
    orchard.git("checkout", "-q", "--detach")
    assert current_branch(orchard.git_dir) == ""
    assert head_commit(orchard.git_dir) == orchard.git("rev-parse", "HEAD")


def test_a_repository_without_a_commit_has_no_head(tmp_path: Path) -> None:
    empty = worked(tmp_path / "empty")
    assert (head_commit(empty.git_dir), trunk(empty.git_dir), branches(empty.git_dir)) == ("", "", [])
    assert current_branch(empty.git_dir) == "main"


def test_a_work_tree_has_its_own_branch_commit_and_files(orchard: Worked, tmp_path: Path) -> None:
    beside = tmp_path / "beside"
    orchard.git("worktree", "add", "-q", "-b", "mill", str(beside))
    tree = Worked(beside)
    made = tree.commit({"mill.py": "turn"}, "Mill", at_s=60)
    (beside / "press.py").write_text("another press")
    (orchard.root / "cellar" / "shelf.py").write_text("not of the work tree")
    git_dir = own_git_folder_of(beside)
    assert git_dir is not None
    assert (current_branch(git_dir), head_commit(git_dir)) == ("mill", made)
    assert files_uncommitted(beside, git_dir, MOST) == ["press.py"]
    assert (current_branch(orchard.git_dir), files_uncommitted(orchard.root, orchard.git_dir, MOST)) == (
        "main",
        ["cellar/shelf.py"],
    )
    assert {ref.name for ref in branches(git_dir)} == {"main", "mill"}


def test_the_trunk_is_that_of_the_remote_unless_the_own_one_is_ahead(orchard: Worked) -> None:
    first = orchard.git("rev-parse", "HEAD")
    orchard.git("update-ref", "refs/remotes/origin/main", first)
    orchard.git("checkout", "-q", "-b", "mill")
    made = orchard.commit({"mill.py": "turn"}, "Mill", at_s=60)
    assert trunk(orchard.git_dir) == first
    orchard.git("update-ref", "refs/remotes/origin/main", made)
    assert trunk(orchard.git_dir) == made
    orchard.git("checkout", "-q", "main")
    ahead = orchard.commit({"press.py": "pear"}, "Press", at_s=120)
    assert trunk(orchard.git_dir) == ahead


def test_where_no_branch_has_a_usual_name_the_trunk_is_what_is_checked_out(orchard: Worked) -> None:
    orchard.git("branch", "-m", "main", "grove")
    assert trunk(orchard.git_dir) == orchard.git("rev-parse", "HEAD")


def test_the_main_line_is_what_a_branch_stood_on_the_oldest_first(orchard: Worked) -> None:
    first = orchard.git("rev-parse", "HEAD")
    orchard.git("checkout", "-q", "-b", "mill")
    orchard.commit({"mill.py": "turn"}, "Mill", at_s=60)
    orchard.git("checkout", "-q", "main")
    second = orchard.commit({"press.py": "pear"}, "Press", at_s=120)
    orchard.git("merge", "-q", "--no-ff", "--no-edit", "mill")
    line = main_line(orchard.git_dir, orchard.git("rev-parse", "HEAD"))
    assert [commit.id for commit in line][:2] == [first, second]
    assert len(line) == 3
    assert line[1].at_ms - line[0].at_ms == 120_000


def test_a_clean_checkout_has_nothing_uncommitted(orchard: Worked) -> None:
    assert files_uncommitted(orchard.root, orchard.git_dir, MOST) == []


def test_new_changed_deleted_and_staged_files_are_uncommitted_and_ignored_ones_not(orchard: Worked) -> None:
    orchard.commit({".gitignore": "*.log\n", "gone.py": "gone", "staged.py": "old", "moved away.py": "m"}, "More")
    (orchard.root / "press.py").write_text("quinces, and pears")
    (orchard.root / "gone.py").unlink()
    (orchard.root / "new file.py").write_text("new")
    (orchard.root / "two\nlines.py").write_text("odd")
    (orchard.root / "noise.log").write_text("noise")
    (orchard.root / "staged.py").write_text("new, and staged")
    (orchard.root / "added.py").write_text("added")
    orchard.git("add", "staged.py", "added.py")
    orchard.git("rm", "-q", "moved away.py")
    assert set(files_uncommitted(orchard.root, orchard.git_dir, MOST)) == {
        "press.py",
        "gone.py",
        "new file.py",
        "two\nlines.py",
        "staged.py",
        "added.py",
        "moved away.py",
    }


def test_more_than_most_are_nobodys_work(orchard: Worked) -> None:
    for number in range(4):
        (orchard.root / f"new{number}.py").write_text("new")
    assert len(files_uncommitted(orchard.root, orchard.git_dir, 4)) == 4
    assert files_uncommitted(orchard.root, orchard.git_dir, 3) == []
    (orchard.root / "press.py").write_text("changed, too")
    assert files_uncommitted(orchard.root, orchard.git_dir, 4) == []


def test_it_does_not_matter_where_it_is_asked_from(orchard: Worked, monkeypatch: pytest.MonkeyPatch) -> None:
    (orchard.root / "cellar" / "new.py").write_text("new")
    (orchard.root / "new.py").write_text("new")
    (orchard.root / "press.py").write_text("quinces, and pears")
    orchard.git("add", "new.py")
    orchard.git("config", "diff.relative", "true")
    expected = {"cellar/new.py", "new.py", "press.py"}
    for folder in (orchard.root.parent, orchard.root, orchard.root / "cellar", orchard.git_dir):
        monkeypatch.chdir(folder)
        assert set(files_uncommitted(orchard.root, orchard.git_dir, MOST)) == expected


def test_a_submodule_and_a_repository_within_are_no_uncommitted_files(orchard: Worked) -> None:
    orchard.git("update-index", "--add", "--cacheinfo", f"160000,{orchard.git('rev-parse', 'HEAD')},lib")
    orchard.git("commit", "-q", "-m", "Link")
    (orchard.root / "lib").mkdir()
    worked(orchard.root / "nested").commit({"a.py": "a"}, "Nested")
    assert files_uncommitted(orchard.root, orchard.git_dir, MOST) == []


def test_an_index_without_fractions_of_seconds_is_compared_by_seconds(orchard: Worked) -> None:
    path = orchard.root / "press.py"
    os.utime(path, ns=(0, 1_777_888_800 * 10**9))
    orchard.git("update-index", "--refresh")
    os.utime(path, ns=(0, 1_777_888_800 * 10**9 + 5))
    assert files_uncommitted(orchard.root, orchard.git_dir, MOST) == []
    os.utime(path, ns=(0, 1_777_888_801 * 10**9))
    assert files_uncommitted(orchard.root, orchard.git_dir, MOST) == ["press.py"]


def test_what_a_sparse_checkout_leaves_out_is_not_deleted(orchard: Worked) -> None:
    orchard.git("sparse-checkout", "set", "--no-cone", "/press.py")
    assert not (orchard.root / "cellar").exists()
    assert files_uncommitted(orchard.root, orchard.git_dir, MOST) == []


def test_the_mark_changes_with_a_commit_a_checkout_and_an_added_file_and_not_otherwise(orchard: Worked) -> None:
    marks = [work_mark(orchard.git_dir)]
    (orchard.root / "press.py").write_text("another")
    branches(orchard.git_dir), trunk(orchard.git_dir), files_uncommitted(orchard.root, orchard.git_dir, MOST)
    assert work_mark(orchard.git_dir) == marks[0]
    for words in (("add", "press.py"), ("commit", "-q", "-m", "Press"), ("checkout", "-q", "-b", "mill")):
        orchard.git(*words)
        assert work_mark(orchard.git_dir) == work_mark(orchard.git_dir)
        marks.append(work_mark(orchard.git_dir))
    assert len(set(marks)) == len(marks)


def test_a_git_folder_that_is_gone_has_a_mark_and_no_branch(tmp_path: Path) -> None:
    assert work_mark(tmp_path / "gone") == work_mark(tmp_path / "gone")
    assert current_branch(tmp_path / "gone") == ""
    with pytest.raises(SourceError):
        branches(tmp_path / "gone")
