"""Changes of plain lines give what the exact code gives."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afterwit.actions.shell.command_changes import advised
from afterwit.actions.shell.command_words import bare
from afterwit.actions.shell.plain_changes import plainly_changed

_ADVICES = (
    *("rtk bun → bun", "go → mise exec -- go", "python → uv run python", "cat -A → od -c", "make pear → make pears"),
    *("a.yml → a.yaml", "src/a.py → src/b.py", "--fast →", "cat → bat", "folder/name → folder/*name*", "x → x"),
    *("*.x → '*.x'", "git -C * → git", "gh pr … --fast → gh pr …", "sleep N → sleep Nms", "rtk → "),
)
_PIECES = (
    *("rtk", "bun", "go", "python", "cat", "-A", "make", "pear", "a.yml", "src/a.py", "--fast"),
    *("cd", "head", "-5", "echo"),
    *("&&", ";", "|", "||", "\n", "2>&1", "> out", "A=1", "'a b'", '"x"', "$y", "git", "-C"),
    *("./src/press.py", "/tmp/x/y.z"),
    *("src/folder/", "~/x/y.md", "grep", "true", "x", "set", "-e", "tee", "src//z", "x=src/a.py"),
    *("a.yml.bak", "7", "*.py"),
)  # fmt: skip
_LINES = st.lists(st.sampled_from(_PIECES), min_size=1, max_size=9).map(" ".join)
_ERRORS = ("", "src/a.py: No such file", "./src/press.py not here", "src/folder is gone")


@given(st.sampled_from(_ADVICES), _LINES, st.sampled_from(_ERRORS))
@settings(max_examples=400, deadline=None)
def test_a_plain_change_is_the_exact_one(advice: str, line: str, error: str) -> None:
    found = plainly_changed(advice, line, error)
    if found is not None:
        assert found == (advised(advice, line, error), bare(line))


@pytest.mark.parametrize(
    ("advice", "line", "made"),
    [
        ("rtk bun → bun", "cd web && rtk bun test 2>&1 | tail -5", "bun test"),
        ("go → mise exec -- go", "go test ./... && echo done", "mise exec -- go test ./..."),
        ("folder/name → folder/*name*", "cat src/quince.py", "cat src/*quin*"),
        ("a.yml → a.yaml", "cat a.yml", "cat a.yaml"),
        ("cat -A → od -c", "ls", ""),
    ],
)
def test_usual_changes_are_plain(advice: str, line: str, made: str) -> None:
    found = plainly_changed(advice, line, "")
    assert found is not None
    assert found[0] == made


@pytest.mark.parametrize(
    ("advice", "line"),
    [("git -C * → git", "git -C x status"), ("rtk bun → bun", "rtk bun $x"), ("rtk bun → bun", "A=1 rtk bun")],
)
def test_other_changes_are_left_to_the_exact_code(advice: str, line: str) -> None:
    assert plainly_changed(advice, line, "") is None
