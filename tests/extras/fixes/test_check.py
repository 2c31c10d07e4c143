"""Real runs of pytest in small repositories: each verdict, and what a check leaves behind."""

import os
from pathlib import Path

import pytest
from tests.extras.fixes.orchards import (
    BLIND,
    BROKEN,
    MENDED,
    TEST,
    checkout,
    fixed,
    fixes,
    place_of_checkout,
    verdicts,
    world_of,
)
from tests.sources.repositories import commit_on_top

from afterwit.config.world import World, redactor_of
from afterwit.extras.fixes.check import CheckOptions, lines_under_guard
from afterwit.model.guards import GuardState
from afterwit.store.rows.extras import fix_checks
from afterwit.store.store import open_store


@pytest.fixture
def git_dir(tmp_path: Path) -> Path:
    return checkout(tmp_path / "orchard")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return world_of(tmp_path)


def test_a_fix_whose_test_fails_without_it_is_guarded(git_dir: Path, world: World) -> None:
    fixed(git_dir, {"orchard.py": BROKEN}, {"orchard.py": MENDED, "tests/test_orchard.py": TEST})
    (verdict,) = verdicts(git_dir, world)
    assert (verdict.state, verdict.reason) == (GuardState.GUARDED, "")
    assert verdict.failing == ("tests/test_orchard.py::test_count",)
    assert verdict.tests == ("tests/test_orchard.py",)


def test_a_fix_whose_test_passes_without_it_is_accidentally_green(git_dir: Path, world: World) -> None:
    fixed(git_dir, {"orchard.py": BROKEN}, {"orchard.py": MENDED, "tests/test_orchard.py": BLIND})
    (verdict,) = verdicts(git_dir, world)
    assert (verdict.state, verdict.failing) == (GuardState.GREEN, ())


def test_a_fix_without_a_test_is_unguarded_and_nothing_is_run(git_dir: Path, world: World) -> None:
    fixed(git_dir, {"orchard.py": BROKEN}, {"orchard.py": MENDED})
    (verdict,) = verdicts(git_dir, world)
    assert (verdict.state, verdict.runs) == (GuardState.UNGUARDED, ())


def test_lines_with_a_secret_are_none_that_a_fix_is_known_by(git_dir: Path, world: World) -> None:
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    after = MENDED + f'\n\nORCHARD_TOKEN = "{token}"\n'.encode()
    fixed(git_dir, {"orchard.py": BROKEN}, {"orchard.py": after})
    (listed,) = fixes(git_dir, world)
    lines = lines_under_guard(place_of_checkout(git_dir), redactor_of(world), listed)
    assert lines == {"orchard.py": ("return len(trees)",)}


def test_a_fix_whose_tests_fail_anyway_cannot_be_run_and_says_why(git_dir: Path, world: World) -> None:
    needs = b"import saw_that_nobody_has\n"
    fixed(git_dir, {"orchard.py": BROKEN}, {"orchard.py": MENDED, "tests/test_orchard.py": needs})
    (verdict,) = verdicts(git_dir, world)
    assert verdict.state is GuardState.CANNOT
    assert "something is not installed" in verdict.reason
    assert "saw_that_nobody_has" in verdict.reason


@pytest.mark.slow
def test_tests_that_do_not_load_without_the_fix_are_red(git_dir: Path, world: World) -> None:
    test = b"from orchard import prune\n\n\ndef test_prune():\n    assert prune() is None\n"
    fixed(
        git_dir,
        {"orchard.py": BROKEN},
        {"orchard.py": MENDED + b"\n\ndef prune():\n    pass\n", "tests/test_orchard.py": test},
    )
    (verdict,) = verdicts(git_dir, world)
    assert verdict.state is GuardState.GUARDED
    assert "do not even load" in verdict.reason


@pytest.mark.slow
def test_a_test_that_fails_with_the_fix_too_does_not_hide_the_others(git_dir: Path, world: World) -> None:
    test = TEST + b"\n\ndef test_never():\n    assert False\n"
    fixed(git_dir, {"orchard.py": BROKEN}, {"orchard.py": MENDED, "tests/test_orchard.py": test})
    (verdict,) = verdicts(git_dir, world)
    assert verdict.state is GuardState.GUARDED
    assert verdict.failing == ("tests/test_orchard.py::test_count",)
    assert "1 of them fail with the fix too" in verdict.reason


@pytest.mark.slow
def test_what_the_fix_added_or_deleted_is_put_back_too(git_dir: Path, world: World) -> None:
    test = b"import os\n\n\ndef test_it():\n    assert os.path.exists('new.py') and not os.path.exists('old.py')\n"
    fixed(git_dir, {"old.py": b"x = 1\n"}, {"new.py": b"x = 1\n", "tests/test_moved.py": test})
    (verdict,) = verdicts(git_dir, world)
    assert verdict.state is GuardState.GUARDED


@pytest.mark.slow
def test_tests_that_take_too_long_are_killed_with_all_that_they_started(
    git_dir: Path, world: World, tmp_path: Path
) -> None:
    mark = tmp_path / "pids"
    test = (
        "import os, subprocess, time\n\n\ndef test_it():\n"
        f"    child = subprocess.Popen(['sleep', '987'])\n    open({str(mark)!r}, 'w').write('started')\n"
        "    time.sleep(987)\n"
    )
    fixed(git_dir, {"orchard.py": BROKEN}, {"orchard.py": MENDED, "tests/test_slow.py": test.encode()})
    (verdict,) = verdicts(git_dir, world, CheckOptions(seconds=8))
    assert verdict.state is GuardState.CANNOT
    assert "do not end within 8 seconds" in verdict.reason
    assert mark.exists()
    assert not _running("sleep 987")


def _running(words: str) -> bool:
    lines = (Path(entry.path) / "cmdline" for entry in os.scandir("/proc") if entry.name.isdecimal())
    return any(words in _text(line) for line in lines)


def _text(path: Path) -> str:
    try:
        return path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return ""


@pytest.mark.slow
def test_an_installed_copy_of_the_code_is_not_taken_for_the_work_tree(git_dir: Path, world: World) -> None:
    """The checkout has the fixed code beside it, as an editable install would have."""
    (git_dir.parent / "src").mkdir()
    (git_dir.parent / "src" / "orchard.py").write_bytes(MENDED)
    fixed(
        git_dir,
        {"src/orchard.py": BROKEN, "pyproject.toml": b""},
        {"src/orchard.py": MENDED, "pyproject.toml": b"", "tests/test_orchard.py": TEST},
    )
    (verdict,) = verdicts(git_dir, world)
    assert verdict.state is GuardState.GUARDED


def test_a_command_of_ones_own_is_judged_by_its_exit_code(git_dir: Path, world: World) -> None:
    fixed(git_dir, {"orchard.py": BROKEN}, {"orchard.py": MENDED, "tests/test_orchard.py": TEST})
    own = CheckOptions(seconds=60, test="grep -q 'len(trees)$' orchard.py {files}")
    assert [verdict.state for verdict in verdicts(git_dir, world, own)] == [GuardState.GUARDED]


def test_a_setup_runs_before_both_runs_and_its_failure_is_told(git_dir: Path, world: World) -> None:
    fixed(git_dir, {"orchard.py": BROKEN}, {"orchard.py": MENDED, "tests/test_orchard.py": TEST})
    copying = CheckOptions(seconds=60, setup="cp orchard.py built.txt", test="grep -q 'len(trees)$' built.txt")
    assert [verdict.state for verdict in verdicts(git_dir, world, copying)] == [GuardState.GUARDED]
    (verdict,) = verdicts(git_dir, world, CheckOptions(seconds=60, setup="sh -c 'echo no saw here; exit 3'"))
    assert (verdict.state, verdict.reason) == (GuardState.CANNOT, "the setup failed: no saw here")


@pytest.mark.slow
def test_verdicts_are_journalled_and_nothing_else_is_left(
    git_dir: Path, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    before = sorted(path for path in git_dir.parent.rglob("*") if ".venv" not in path.parts)
    commit = fixed(git_dir, {"orchard.py": BROKEN}, {"orchard.py": MENDED, "tests/test_orchard.py": TEST})
    objects = sorted(path for path in git_dir.rglob("*"))
    verdicts(git_dir, world)
    with open_store(world.layout) as store:
        (checked,) = fix_checks(store.db)
    assert (checked.verdict.commit, checked.verdict.state) == (commit, GuardState.GUARDED)
    assert sorted(path for path in git_dir.rglob("*")) == objects
    assert {path.name for path in git_dir.parent.iterdir()} == {".git", ".venv"}
    assert list((tmp_path / "temporary").iterdir()) == []
    assert before


@pytest.mark.slow
def test_the_environment_of_tests_holds_no_secret_of_the_user(
    git_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = world_of(tmp_path)
    world = world._replace(environ={**world.environ, "GITHUB_TOKEN": "t", "SSH_AUTH_SOCK": "/run/agent"})
    monkeypatch.setenv("GITHUB_TOKEN", "t")
    test = (
        b"import os\n\n\ndef test_it():\n    assert not {'GITHUB_TOKEN', 'SSH_AUTH_SOCK'} & set(os.environ)\n"
        b"    assert os.environ['HOME'] != os.path.expanduser('~root') and 'afterwit-guards' in os.environ['HOME']\n"
        b"    from orchard import count\n    assert count([]) == 0\n"
    )
    fixed(git_dir, {"orchard.py": BROKEN}, {"orchard.py": MENDED, "tests/test_orchard.py": test})
    assert [verdict.state for verdict in verdicts(git_dir, world)] == [GuardState.GUARDED]


@pytest.mark.slow
def test_a_later_commit_does_not_change_what_is_judged(git_dir: Path, world: World) -> None:
    fixed(git_dir, {"orchard.py": BROKEN}, {"orchard.py": MENDED, "tests/test_orchard.py": TEST})
    commit_on_top(git_dir, {"orchard.py": b"syntax error (\n"}, "Work")
    assert [verdict.state for verdict in verdicts(git_dir, world)] == [GuardState.GUARDED]
    assert len(fixes(git_dir, world)) == 1


@pytest.mark.slow
def test_a_runner_that_is_missing_does_not_hide_what_others_tell(git_dir: Path, world: World) -> None:
    other = {"web/tree.test.ts": b'import { test } from "vitest";\n', "web/package.json": b"{}", "web/tree.ts": b"1;\n"}
    fixed(git_dir, {"orchard.py": BROKEN}, {"orchard.py": MENDED, "tests/test_orchard.py": TEST, **other})
    (verdict,) = verdicts(git_dir, world)
    assert verdict.state is GuardState.GUARDED
    fixed(git_dir, {"web/tree.ts": b"1;\n"}, {**other, "web/tree.ts": b"2;\n"}, "fix: tree")
    assert verdicts(git_dir, world)[0].reason == "vitest is not installed here"
