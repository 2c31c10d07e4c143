from pathlib import Path

import pytest
from tests.extras.fixes.orchards import BROKEN, MENDED, checkout, fixed, fixes, world_of
from tests.sources.repositories import commit_on_top, git

from afterwit.capture.checkouts import GitCheckout
from afterwit.config.world import World, redactor_of
from afterwit.extras.fixes.history import FixQuery, fix_named, fixes_of
from afterwit.model.errors import UsageError
from afterwit.model.guards import GuardState


@pytest.fixture
def git_dir(tmp_path: Path) -> Path:
    return checkout(tmp_path / "orchard")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return world_of(tmp_path)


def test_a_repository_without_commits_has_no_fixes(git_dir: Path, world: World) -> None:
    assert fixes(git_dir, world) == []


def test_a_linked_work_tree_shows_the_fixes_of_its_own_branch(git_dir: Path, world: World, tmp_path: Path) -> None:
    fixed(git_dir, {"orchard.py": BROKEN}, {"orchard.py": MENDED})
    git(git_dir, "branch", "side", "main")
    own = commit_on_top(git_dir, {"orchard.py": BROKEN}, "fix: count on the side", ref="refs/heads/side")
    git(git_dir, "worktree", "add", "--quiet", str(tmp_path / "side"), "side")
    place = GitCheckout("orchard", tmp_path / "side", git_dir)
    assert next(fixes_of(place, redactor_of(world), None)).fix.id == own
    assert [listed.subject for listed in fixes(git_dir, world)] == ["fix: count once"]


def test_fixes_are_narrowed_by_time_state_and_number(git_dir: Path, world: World) -> None:
    for day in (1, 2, 3):
        commit_on_top(git_dir, {"orchard.py": b"%d" % day}, f"fix: day {day}", f"2026-05-{day:02d}T10:00:00Z")
    place, redactor = GitCheckout("orchard", git_dir.parent, git_dir), redactor_of(world)

    def subjects(query: FixQuery) -> list[str]:
        return [listed.subject[-1] for listed in fixes_of(place, redactor, None, query)]

    assert subjects(FixQuery(limit=1)) == ["3"]
    assert subjects(FixQuery(since_ms=fixes(git_dir, world)[1].fix.at_ms)) == ["3", "2"]
    assert subjects(FixQuery(states=frozenset((GuardState.GUARDED,)))) == []


def test_a_fix_is_named_by_the_beginning_of_its_id(git_dir: Path, world: World) -> None:
    commit = fixed(git_dir, {"orchard.py": BROKEN}, {"orchard.py": MENDED})
    assert fix_named(fixes(git_dir, world), commit[:6].upper()).fix.id == commit
    for name in ("--all", "HEAD", "abc", "0" * 8):
        with pytest.raises(UsageError):
            fix_named(fixes(git_dir, world), name)
