"""Drafts of tests: they run, they fail without the fix or on purpose, and they are never empty."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.extras.fixes.orchards import BROKEN, MENDED, checkout, fixed, fixes, place_of_checkout, world_of
from tests.sources.repositories import commit_on_top

from afterwit.config.world import World, redactor_of
from afterwit.extras.fixes.draft import Skeleton, draft_of
from afterwit.model.errors import UsageError

_GUARD = b"def count(trees):\n    if trees is None:\n        raise ValueError('no trees')\n    return len(trees)\n"


@pytest.fixture
def git_dir(tmp_path: Path) -> Path:
    return checkout(tmp_path / "orchard")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return world_of(tmp_path)


def drafted(git_dir: Path, world: World) -> Skeleton:
    return draft_of(place_of_checkout(git_dir), fixes(git_dir, world)[0], redactor_of(world), None, "2026-05-04")


def ran(folder: Path, skeleton: Skeleton, code: bytes) -> tuple[int, str]:
    (folder / "orchard.py").write_bytes(code)
    (folder / Path(skeleton.path).name).write_text(skeleton.text, encoding="utf-8")
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", Path(skeleton.path).name]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


@pytest.mark.slow
def test_what_can_be_derived_is_asserted_and_red_without_the_fix(git_dir: Path, world: World, tmp_path: Path) -> None:
    fixed(git_dir, {"orchard.py": MENDED}, {"orchard.py": _GUARD}, "fix: refuse to count nothing (#7)")
    skeleton = drafted(git_dir, world)
    assert skeleton.asserts
    assert "def test_refuse_to_count_nothing_7():" in skeleton.text
    for name in ("with", "without"):
        (tmp_path / name).mkdir()
    assert ran(tmp_path / "with", skeleton, _GUARD)[0] == 0
    assert ran(tmp_path / "without", skeleton, MENDED)[0] == 1


def test_where_nothing_can_be_derived_the_test_fails_on_purpose(git_dir: Path, world: World, tmp_path: Path) -> None:
    fixed(git_dir, {"orchard.py": BROKEN}, {"orchard.py": MENDED})
    skeleton = drafted(git_dir, world)
    assert not skeleton.asserts
    assert "assert True" not in skeleton.text
    code, said = ran(tmp_path, skeleton, MENDED)
    assert code == 1
    assert "could not be derived" in said


def test_a_draft_stands_beside_the_nearest_test_and_imports_as_it_does(git_dir: Path, world: World) -> None:
    near = b'import { test } from "bun:test";\nimport { grow } from "../src/grow.js";\n'
    before = {"src/tree.ts": b"export const LIMIT = 3;\n", "test/grow.test.ts": near, "package.json": b"{}"}
    fixed(git_dir, before, before | {"src/tree.ts": b"export const LIMIT = 4;\n"})
    skeleton = drafted(git_dir, world)
    assert skeleton.path.startswith("test/tree.")
    assert skeleton.path.endswith(".test.ts")
    assert 'from "bun:test";' in skeleton.text
    assert 'import { LIMIT } from "../src/tree.js";' in skeleton.text
    assert "expect(LIMIT).toBe(4);" in skeleton.text


def test_go_fails_on_purpose_in_its_own_package(git_dir: Path, world: World) -> None:
    fixed(
        git_dir,
        {"go.mod": b"", "sync/a.go": b"package sync\n"},
        {"go.mod": b"", "sync/a.go": b"package sync\nvar x = 1\n"},
    )
    skeleton = drafted(git_dir, world)
    assert skeleton.path.startswith("sync/a_")
    assert "package sync" in skeleton.text
    assert "t.Fatal(" in skeleton.text


def test_words_of_a_commit_cannot_leave_their_comment(git_dir: Path, world: World) -> None:
    message = 'fix: count\r"""\u2028import os\x0bos.remove("x")'
    fixed(git_dir, {"orchard.py": BROKEN}, {"orchard.py": MENDED}, message)
    text = drafted(git_dir, world).text
    assert [line for line in text.splitlines() if line.startswith(("import", "os."))] == [
        "import pytest",
        "import orchard  # noqa: F401",
    ]
    compile(text, "drafted", "exec")


def test_what_has_no_framework_is_refused_with_a_reason(git_dir: Path, world: World) -> None:
    fixed(git_dir, {"a.lua": b"x = 1\n"}, {"a.lua": b"x = 2\n"})
    with pytest.raises(UsageError, match="No test framework is known"):
        drafted(git_dir, world)
    commit_on_top(git_dir, {"a.lua": b"x = 2\n"}, "Work")
