"""Changes can be written down, read again and applied to other lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.every import for_every

from afterwit.actions.shell.command_changes import (
    QUOTE,
    WIDEN,
    CommandChange,
    advised,
    apply,
    bare,
    change_from,
    is_general,
    is_glob,
    quoted_globs,
    same_but_for_quotes,
    spelled_commands,
)


@for_every(
    "change, line, made",
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
