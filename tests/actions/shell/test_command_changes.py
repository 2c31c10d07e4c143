"""Changes can be written down, read again and applied to other lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.every import for_every

from afterwit.actions.shell.command_changes import (
    CommandChange,
    advised,
    apply,
    bare,
    change_from,
    is_general,
    spelled_commands,
)


@for_every(
    "change, line, made",
    [
        ("wrap pip → pip", "cd /x && wrap pip install plum 2>&1", "pip install plum"),
        ("wrap pip → pip", "wrap npm ci", ""),
        ("git -C * → git", "git -C /srv/plums add a.txt b.txt", "git add a.txt b.txt"),
        ("gh pr diff … -- * → gh pr diff …", "gh pr diff 8 --color never -- docs", "gh pr diff 8 --color never"),
        ("cat -A → od -c", "sed -n 3p a.txt | cat -A", "sed -n 3p a.txt | od -c"),
        ("src/plum.py → src/plums.py", "head -5 src/plum.py", ""),
    ],
)
def test_a_change_is_applied_where_it_fits(change: str, line: str, made: str) -> None:
    read = change_from(change)
    assert read is not None
    assert str(read) == change
    assert apply(read, line) == made


def test_an_advice_is_a_line_or_a_change() -> None:
    assert advised("make plums", "make plum") == "make plums"
    assert advised("make plum → make plums", "make plum -j2") == "make plums -j2"
    assert advised("make plum → make plums", "make pear") == ""


def test_the_program_and_words_tell_which_lines_a_change_is_for() -> None:
    change = CommandChange(("bin/press", "…", "--json"), ("bin/press", "…"))
    assert (change.program, change.words) == ("press", ("--json",))


@given(st.text(max_size=80), st.sampled_from(["wrap pip → pip", "a … b → a …", "x → y"]))
def test_no_line_breaks_a_change(line: str, change: str) -> None:
    read = change_from(change)
    assert read is not None
    assert "\n" not in apply(read, line)


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("cd /srv/plums && make test 2>&1 | tail -20", "make test"),
        ("make test > out.txt; echo done", "make test"),
        ("cd a; cd b && make", "make"),
        ("LANG=C make test || true", "LANG=C make test"),
        ("env LANG=C make test", "LANG=C make test"),
        ("pick plums | cat -A", "pick plums | cat -A"),
        ("pick 'a b' && sort", "pick 'a b' && sort"),
    ],
)
def test_the_bare_line_is_what_matters(line: str, left: str) -> None:
    assert bare(line) == left


def test_a_here_document_is_not_taken_apart() -> None:
    assert spelled_commands("cat <<EOF\na | b\nEOF") == ()
    assert bare(" cat <<EOF\na\nEOF ") == "cat <<EOF\na\nEOF"


def test_quotes_are_kept_with_their_words() -> None:
    (one, other) = spelled_commands("""grep "a b" 'c|d' | wc -l""")
    assert one.texts == ("grep", '"a b"', "'c|d'")
    assert other.joint == "|"


@pytest.mark.parametrize("word", ["--json", "-C", "test:unit", "lint", "--", "actionlint@latest"])
def test_flags_and_names_are_general(word: str) -> None:
    assert is_general(word)


@pytest.mark.parametrize("word", ["src/a.py", "notes.md", "12", "deadbeef1", "'a b'", "$HOME"])
def test_paths_numbers_and_messages_are_not_general(word: str) -> None:
    assert not is_general(word)


@given(st.text(alphabet="ab '\"|&;<>()*$\n\\=", max_size=60))
def test_any_line_can_be_looked_at(line: str) -> None:
    for command in spelled_commands(line):
        assert all(line[word.start : word.end] == word.text for word in command.words)
    bare(line)
