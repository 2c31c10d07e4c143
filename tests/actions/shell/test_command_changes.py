"""Changes can be written down, read again and applied to other lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterwit.actions.shell.command_changes import QUOTE, WIDEN, CommandChange, advised, apply, change_from


@pytest.mark.parametrize(
    ("change", "line", "made"),
    [
        ("wrap pip → pip", "cd /x && wrap pip install plum 2>&1", "pip install plum"),
        ("wrap pip → pip", "wrap npm ci", ""),
        ("git -C * → git", "git -C /srv/plums add a.txt b.txt", "git add a.txt b.txt"),
        ("gh pr diff … -- * → gh pr diff …", "gh pr diff 8 --color never -- docs", "gh pr diff 8 --color never"),
        (
            "gh pr view … --json …,merged,… → gh pr view … --json …",
            "gh pr view 9 --json merged,url",
            "gh pr view 9 --json url",
        ),
        ("press … --older Nd → press … --older N", "press --older 14d", "press --older 14"),
        ("cat -A → od -c", "sed -n 3p a.txt | cat -A", "sed -n 3p a.txt | od -c"),
        ("src/plum.py → src/plums.py", "head -5 src/plum.py", "head -5 src/plums.py"),
        ("pkg →", "rg -n plum lib pkg .", "rg -n plum lib ."),
        ("pkg →", "ls pkg", ""),
        ("src/plum.py → src/plums.py", "head -5 src/plum.py.bak", ""),
    ],
)
def test_a_change_is_applied_where_it_fits(change: str, line: str, made: str) -> None:
    read = change_from(change)
    assert read is not None
    assert str(read) == change
    assert apply(read, line) == made


def test_patterns_are_quoted() -> None:
    assert apply(QUOTE, "ls *.go") == "ls '*.go'"
    assert apply(QUOTE, "ls a.go") == ""


def test_a_missing_file_becomes_a_pattern() -> None:
    error = "sed: src/press/http.go: No such file or directory"
    assert apply(WIDEN, "sed -n 1,9p src/press/http.go", error) == "sed -n 1,9p src/press/*http*"
    assert apply(WIDEN, "cat src/a.py src/b.py", "cat: src/b.py: No such file") == "cat src/a.py src/*b*"


def test_a_long_name_is_looked_for_by_its_beginning() -> None:
    assert apply(WIDEN, "cat src/capabilities.go", "cat: src/capabilities.go: No such file") == "cat src/*capabili*"


def test_an_advice_is_a_line_or_a_change() -> None:
    assert advised("make plums", "make plum") == "make plums"
    assert advised("make plum → make plums", "make plum -j2") == "make plums -j2"
    assert advised("make plum → make plums", "make pear") == ""


def test_the_program_and_words_tell_which_lines_a_change_is_for() -> None:
    change = CommandChange(("bin/press", "…", "--json"), ("bin/press", "…"))
    assert (change.program, change.words) == ("press", ("--json",))


@given(st.text(max_size=80), st.sampled_from(["wrap pip → pip", "a … b → a …", "x → y", "…,a,… → …"]))
def test_no_line_breaks_a_change(line: str, change: str) -> None:
    read = change_from(change)
    assert read is not None
    assert "\n" not in apply(read, line)
