"""The table of hand-written command lines, and what must hold for any string."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.every import for_every
from tests.thoroughness import examples

from afterwit.actions.shell import lexer as shell_lexer
from afterwit.actions.shell import spans as shell_spans
from afterwit.actions.shell.parse import parse
from afterwit.actions.shell.tree import Command, Group, GroupKind, Pipeline

_TABLE = tomllib.loads(Path(__file__).with_name("lines.toml").read_text(encoding="utf-8"))
LINES = [row for rows in _TABLE.values() for row in rows.items()]


@for_every("line, wanted", LINES)
def test_a_line_of_the_table_is_read_as_it_says(line: str, wanted: dict[str, Any]) -> None:
    parsed = parse(line)
    programs = [command.program for command in parsed.commands]
    last = programs[-1] if programs else "-"
    found: dict[str, Any] = {
        "programs": programs,
        "main": _name(parsed.main),
        "deciding": parsed.deciding.program if parsed.deciding else "-",
        "hides": parsed.hides_exit,
        "whole": parsed.is_whole,
        "joints": [command.joint for command in parsed.commands],
        **_details(parsed.main),
    }
    expected = {"main": last, "deciding": last, "hides": False, "whole": True, **wanted}
    assert {key: found.get(key) for key in expected} == expected


def _name(command: Command | None) -> str:
    return f"{command.program} {command.subcommand}".strip() if command else "-"


def _details(command: Command | None) -> dict[str, Any]:
    if command is None:
        return {}
    return {
        "words": [word.text for word in command.words],
        "expands": [at for at, word in enumerate(command.words) if word.expands],
        "globs": [at for at, word in enumerate(command.words) if word.globs],
        "flags": list(command.flags),
        "wrappers": list(command.wrappers),
        "folder": command.folder,
        "assignments": {each.name: each.value for each in command.assignments},
        "redirections": [[*each[:3], *([each.body] if each.body else [])] for each in command.redirections],
    }


def test_the_table_holds_at_least_two_hundred_lines() -> None:
    assert len(LINES) >= 200


def test_the_tree_keeps_groups_conditions_and_branches() -> None:
    body = parse("if a; then b | c; else ! d; fi > log").body
    (group,) = body[0].stages
    assert isinstance(group, Group)
    assert group.kind is GroupKind.IF
    assert [each.target for each in group.redirections] == ["log"]
    assert [pipeline.is_condition for pipeline in group.body] == [True, False, False]
    assert [pipeline.part for pipeline in group.body] == [0, 1, 2]
    assert [len(pipeline.stages) for pipeline in group.body] == [1, 2, 1]
    assert [pipeline.is_negated for pipeline in group.body] == [False, False, True]


def test_a_script_becomes_a_group_with_the_options_of_its_shell() -> None:
    (group,) = parse("bash -eo pipefail -c 'a | b'").body[0].stages
    assert isinstance(group, Group)
    assert (group.kind, group.options) == (GroupKind.SCRIPT, ("-eo", "pipefail", "-c"))


def test_commands_are_numbered_in_the_order_of_writing() -> None:
    parsed = parse("a; (b | bash -c 'c; d'); e")
    assert [command.number for command in parsed.commands] == list(range(5))


_PIECES = st.sampled_from(
    [
        *(
            "a",
            "make",
            "git",
            "'x'",
            '"y"',
            "'",
            '"',
            "\\",
            "$",
            "$(",
            "${",
            "$((",
            "`",
            "(",
            ")",
            "{",
            "}",
            "[[",
            "]]",
        ),
        *(
            "if",
            "then",
            "else",
            "elif",
            "fi",
            "for",
            "in",
            "while",
            "do",
            "done",
            "case",
            "esac",
            "!",
            "function",
            "f()",
        ),
        *(";", ";;", "&", "&&", "|", "||", "|&", "<", ">", ">>", "<<", "<<-", "<<<", "2>&1", "&>", "<(", ">(", "<<EOF"),
        *("#", "A=b", "=", "*", "\n", "\t", "EOF", "bash", "-c", "-lc", "time", "sudo", "env", "xargs", "--"),
    ]
)
_GROWING = [
    *("a && ", "a | ", "a || exit 1; ", "a; ", "a\n", "a=1 ", "a(", "(", "((", "((a)", "{ ", "$(", "$((", "${", "`"),
    *("'", '"', '"$(', "$'", "\\", "<<A\n", "a <<A\n", "<(", "x=(", "*(", "# ", "[[ ", "if a; then ", "case a in b) "),
    *("function f { ", "env ", "bash -c "),
]


@given(
    st.one_of(
        st.text(max_size=80), st.lists(_PIECES, max_size=40).map(" ".join), st.lists(_PIECES, max_size=40).map("".join)
    )
)
@example("a=" * 50)
@example("bash -c " * 30)
@settings(max_examples=examples(300), deadline=None)
def test_any_string_is_parsed(line: str) -> None:
    parsed = parse(line)
    assert all(parsed.commands[command.number] is command for command in parsed.commands)
    assert parsed.main is None or parsed.main in parsed.commands
    assert parsed.deciding is None or parsed.deciding in parsed.commands
    assert parsed.reporting <= {command.number for command in parsed.commands}
    assert _depth(parsed.body) <= 200


def _depth(body: tuple[Pipeline, ...]) -> int:
    groups = [stage for pipeline in body for stage in pipeline.stages if isinstance(stage, Group)]
    return 1 + max((_depth(group.body) for group in groups), default=0)


@given(st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=8))
@settings(max_examples=examples(150), deadline=None)
def test_quoted_words_come_back_as_they_were(words: list[str]) -> None:
    words = [word.replace("\r\n", "\n") for word in words]
    line = "x " + " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
    assert [word.text for word in parse(line).commands[0].words] == ["x", *words]


class _Count:
    """Counts the steps of the lexer, as a measure of work that does not hang on a clock."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.steps = 0
        for owner, name in (
            (shell_lexer._WordReader, "_special"),
            (shell_spans._Walk, "step"),
            (shell_lexer._Lexer, "_comment"),
        ):
            self._wrap(monkeypatch, owner, name)

    def _wrap(self, monkeypatch: pytest.MonkeyPatch, owner: type, name: str) -> None:
        original = getattr(owner, name)

        def counted(*arguments: Any) -> Any:
            self.steps += 1
            return original(*arguments)

        monkeypatch.setattr(owner, name, counted)

    def of(self, line: str) -> int:
        self.steps = 0
        parse(line)
        return self.steps


@pytest.mark.parametrize("piece", _GROWING)
def test_twice_the_line_is_at_most_twice_the_work(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    count = _Count(monkeypatch)
    small, large = count.of(piece * 400), count.of(piece * 800)
    assert large <= 2.3 * small + 20


def test_a_megabyte_of_garbage_is_parsed() -> None:
    assert parse("a'\"$(`<<|&;( " * 80_000).commands


def test_a_line_of_very_many_commands_is_parsed() -> None:
    assert len(parse("a=1 " * 20_000 + "make").commands[0].assignments) == 20_000
    assert len(parse("a;" * 20_000).commands) == 20_000
