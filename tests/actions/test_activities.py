"""What an action does, as far as its first one in a session is a moment to say something."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.every import for_every
from tests.recall.hook.invented import PROGRAMS, SHAPES, commands
from tests.thoroughness import examples

from afterwit.actions.activities import activities_of
from afterwit.actions.quick_look import may_be
from afterwit.model.kinds import ActionKind

_LINES = (
    ("uv run pytest -q", "test"),
    ("python -m pytest tests", "test"),
    ("bun test src/quince.test.ts", "test"),
    ("cd web && npm run e2e", "test"),
    ("python manage.py test", "test"),
    ("ruff check tests", "lint"),
    ("npx tsc --noEmit", "lint"),
    ("npm run lint:fix", "lint"),
    ("make check", "lint"),
    ("php -l press.php", "lint"),
    ("cargo build", "build"),
    ("npm run css:build", "build"),
    ("npm ci", "install"),
    ("yarn", "install"),
    ("go mod tidy", "install"),
    ("uv pip install press", "install"),
    ("python3 -m pip install press", "install"),
    ("git -C orchard commit -m 'test the press'", "commit"),
    ("rtk git commit -m x", "commit"),
    ("git push origin main", "push"),
    ("gh pr comment 7 -b done", "review"),
    ("gh pr create --fill", "review"),
    ("gh api repos/team/orchard/pulls/7/comments -f body=done", "review"),
    ("make check && git commit -am x && git push", "lint commit push"),
    ("bash -c 'pytest -q; git commit -m x'", "test commit"),
    ("git log --oneline", ""),
    ("gh pr view 7", ""),
    ("gh pr checks 7", ""),
    ("gh api repos/team/orchard/pulls/7", ""),
    ("cat tests/test_press.py", ""),
    ("echo 'git commit'", ""),
    ("grep -r pytest .", ""),
    ("", ""),
)


@for_every("line, activities", _LINES)
def test_a_command_line_does_this(line: str, activities: str) -> None:
    assert " ".join(activities_of(ActionKind.SHELL, line)) == activities


@pytest.mark.parametrize(
    ("kind", "target", "activities"),
    [
        (ActionKind.EDIT, "src/press.py", "edit"),
        (ActionKind.WRITE, "src/press.py", "edit"),
        (ActionKind.READ, "src/press.py", ""),
        (ActionKind.MCP, "github/add_issue_comment", "review"),
        (ActionKind.MCP, "github/get_issue", ""),
        (ActionKind.MCP, "orchard/pick", ""),
        (ActionKind.WEB, "https://example.org/pytest", ""),
    ],
)
def test_an_action_that_is_no_command_does_this(kind: ActionKind, target: str, activities: str) -> None:
    assert " ".join(activities_of(kind, target)) == activities


@for_every("line, activities", _LINES)
def test_the_quick_look_misses_nothing(line: str, activities: str) -> None:
    assert may_be(line).issuperset(activities.split())


@given(commands)
@settings(max_examples=examples(200), deadline=None)
def test_the_quick_look_misses_nothing_of_any_command(command: str) -> None:
    assert may_be(command).issuperset(activities_of(ActionKind.SHELL, command))


@given(st.sampled_from(SHAPES), st.sampled_from([line for line, _ in _LINES]), st.sampled_from(PROGRAMS))
@settings(max_examples=examples(200), deadline=None)
def test_the_quick_look_misses_nothing_however_it_is_put(shape: str, line: str, other: str) -> None:
    command = shape.format(line, other)
    assert may_be(command).issuperset(activities_of(ActionKind.SHELL, command))


@pytest.mark.parametrize(
    "line", ["ls -la", "cat tests/test_press.py", "git status", "rg build src", "sed -n 1,9p a.py"]
)
def test_the_quick_look_finds_nothing_in_what_only_looks(line: str) -> None:
    assert may_be(line) == set()


def test_the_quick_look_loads_nothing() -> None:
    script = "import sys; before = set(sys.modules); import afterwit.actions.quick_look;"
    script += "print(*(set(sys.modules) - before))"
    ran = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True)
    assert set(ran.stdout.split()) == {"afterwit", "afterwit.actions", "afterwit.actions.quick_look"}
