"""Words keep their spelling, and what belongs to the moment is left out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterwit.actions.shell.command_changes import (
    bare,
    is_general,
    is_glob,
    quoted_globs,
    same_but_for_quotes,
    spelled_commands,
)


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


def test_only_unquoted_patterns_are_globs() -> None:
    assert is_glob("--include=*.go")
    assert not is_glob("'*.go'")
    assert not is_glob("--include")


def test_every_glob_of_a_line_is_quoted() -> None:
    assert quoted_globs("grep -r plum --include=*.go src/*") == "grep -r plum '--include=*.go' 'src/*'"


def test_quoting_is_told_from_other_changes() -> None:
    assert same_but_for_quotes(("ls", "*.go"), ("ls", "'*.go'"))
    assert not same_but_for_quotes(("ls", "*.go"), ("ls", "*.py"))


@given(st.text(alphabet="ab '\"|&;<>()*$\n\\=", max_size=60))
def test_any_line_can_be_looked_at(line: str) -> None:
    for command in spelled_commands(line):
        assert all(line[word.start : word.end] == word.text for word in command.words)
    quoted_globs(bare(line))
