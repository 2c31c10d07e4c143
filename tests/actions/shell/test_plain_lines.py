"""Plain lines are taken apart as the parser takes them apart."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afterwit.actions.shell.parse import parse
from afterwit.actions.shell.plain_lines import main_of, plain_commands
from afterwit.actions.shell.program_table import SHELLS, WRAP_ALONE, WRAP_WITH
from afterwit.actions.shell.tree import Command
from afterwit.actions.shell.wrappers import WRAPPERS

_PIECES = (
    *("git", "status", "cd", "orchard", "make", "pnpm", "run", "test", "ls", "cat", "head", "-n", "5"),
    *("--fast=1", "-C", "echo"),
    *("A=1", "B='x y'", "./press", "/usr/bin/git", "'a b'", '"c d"', "x'y'z", '"$HOME"', "$x", "*.py", "[a]"),
    *("{", "}", "{a,b}"),
    *("python3", "-m", "pytest", "docker", "compose", "up", "if", "then", "time", "sudo", "uv", "npm", "exec"),
    *("bash", "-c", "!"),
    *("&&", "||", ";", "|", "|&", "&", "\n", "2>&1", ">", ">>", "2>", "&>", "<", "(", ")", "`", "#", "\\", "'", '"'),
    *("''", "é"),
)  # fmt: skip
_LINES = st.lists(st.tuples(st.sampled_from(_PIECES), st.sampled_from(("", " ", "  "))), max_size=12).map(
    lambda pieces: "".join(piece + blank for piece, blank in pieces)
)


def facts(command: Command) -> tuple[object, ...]:
    words = [word.text for word in command.words]
    return words, command.program, command.subcommand, [*command.arguments], [*command.flags], int(command.weight)


@given(_LINES)
@settings(max_examples=400, deadline=None)
def test_a_plain_line_means_what_the_parser_says(line: str) -> None:
    found = plain_commands(line)
    if found is None:
        return
    parsed = parse(line)
    main = main_of(found)
    assert parsed.is_whole
    assert [(one.words, one.program, one.subcommand, one.arguments, one.flags, one.weight) for one in found] == [
        facts(command) for command in parsed.commands
    ]
    assert [one.joint for one in found] == [command.joint for command in parsed.commands]
    assert (main and found.index(main)) == (parsed.main and parsed.main.number)


@pytest.mark.parametrize(
    ("line", "programs"),
    [
        ("cd src && make test", ["cd", "make"]),
        ("A=1 git -C x push 2>&1 | tail -5", ["git", "tail"]),
        ("cat 'a b' \"c\"; ls > out.txt", ["cat", "ls"]),
        ("make\nmake install\n", ["make", "make"]),
        ("", []),
    ],
)
def test_usual_lines_are_plain(line: str, programs: list[str]) -> None:
    assert [command.program for command in plain_commands(line) or ()] == programs


@pytest.mark.parametrize(
    "line",
    [
        *(
            "echo $x",
            "sudo make",
            "uv run x",
            "bash -c 'ls'",
            "(ls)",
            "ls &",
            "a && ",
            "cat <<X\nX",
            "if x",
            "ls # all",
        ),
        *("'a", "é", "git'\\\\'"),
    ],
)
def test_other_lines_are_left_to_the_parser(line: str) -> None:
    assert plain_commands(line) is None


def test_words_are_found_where_they_are_spelled() -> None:
    line = "A=1 cat 'a b'  c"
    found = plain_commands(line)
    assert found is not None
    (command,) = found
    assert [line[start:end] for start, end in command.spelled] == ["cat", "'a b'", "c"]


def test_every_wrapper_is_known_by_its_first_words() -> None:
    pairs = {(first, second) for first, seconds in WRAP_WITH.items() for second in seconds}
    named = [tuple(name.split()) for name in WRAPPERS]
    assert {name[0] for name in named if len(name) == 1} == WRAP_ALONE
    assert {name[:2] for name in named if len(name) > 1} == pairs
    assert "bash" in SHELLS


def test_nothing_slow_is_loaded_for_it() -> None:
    script = "import afterwit.actions.shell.plain_lines, afterwit.actions.check_table, sys; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}; {script}"],
                           capture_output=True, text=True, check=True).stdout.split()  # fmt: skip
    assert not {"re", "enum", "typing", "functools"} & set(found)
