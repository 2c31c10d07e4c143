"""What is recognised plainly has that very signature; what is doubtful is left to the exact question."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.hook.invented import commands, exit_codes, failed, outputs

from afterwit.actions.failures import failure_class
from afterwit.actions.failures.excerpt import error_excerpt
from afterwit.actions.failures.failure_class import classify
from afterwit.actions.failures.signature import signature, template
from afterwit.actions.shell.parse import parse
from afterwit.actions.shell.programs import ANSWERS, XARGS_FAILED
from afterwit.actions.steps import Step
from afterwit.hook import plain_failures
from afterwit.hook.plain_failures import plain_signature
from afterwit.hook.triggers import failure_of
from afterwit.model.kinds import ActionKind, Status

RECOGNISED = (
    ("pnpm install --fast", "error: unknown option --fast", "pnpm install: unknown option --fast"),
    ("cd web && pnpm install --fast", "Exit code 2\nunknown option '--fast'", "pnpm install: unknown option --fast"),
    ("cat src/a.py | head -3", "cat: src/a.py: No such file or directory", "cat: <path>: No such file or directory"),
    ("ls; sed -n 1p b.py", "sed: b.py: No such file or directory", "sed: <path>: No such file or directory"),
    ("go test ./...", "zsh:1: command not found: go", "go test: command not found: go"),
    ("go vet", "/bin/bash: line 1: go: command not found", "go vet: command not found: go"),
    ("gh pr diff 7 8", "accepts at most 1 arg(s), received 2", "gh pr diff: accepts at most <n> arg(s), received <n>"),
    ("bd unlink a", 'Error: unknown command "unlink" for "bd"', "bd unlink: unknown command unlink for <q>"),
)
FAST = "pnpm install: unknown option --fast"
LEFT = (
    ("pnpm install $x", "error: unknown option --fast", FAST),
    ("pnpm install --fast", "error: unknown option --fast\nUsage: pnpm install", FAST),
    ("pnpm install --fast", "error: unknown option --slow", FAST),
    ("pnpm add --fast", "error: unknown option --fast", FAST),
    ("cat a 2>/dev/null", "cat: a: No such file or directory", "cat: <path>: No such file or directory"),
    ("rm a", "rm: a: No such file or directory", "rm: <path>: No such file or directory"),
    ("pytest -q", "quinces are sour", "pytest: quinces are sour"),
    ("cat a", "module pears/quince is sour", "cat: module <path> is sour"),
)


def all_signatures(command: str, output: str) -> list[str]:
    """What the failure is called, and what one like it could be called: of other programs of the line, with more or
    fewer values masked."""
    error = error_excerpt(output)
    step = Step(ActionKind.SHELL, "Bash", command, Status.FAILED, exit_code=1, error=error)
    heads = [f"{one.program} {one.subcommand}".strip() for one in parse(command).commands]
    rests = [error.partition("\n")[0].split(": ", cut)[-1] for cut in range(3)]
    said = {template(rest) for rest in rests}
    said |= {
        re.sub(form, mask, one)
        for one in said
        for form, mask in ((r"'\S+'", "<q>"), (r"\S+/\S+", "<path>"), (r"\d+", "<n>"))
    }
    return [
        signature(step, classify(step, command), command),
        *(f"{head}: {one}" for head in heads for one in said if one),
    ]


@given(commands, outputs, exit_codes, st.randoms(use_true_random=False))
@settings(max_examples=250, deadline=None)
def test_what_is_recognised_has_that_very_signature(command: str, output: str, code: int | None, order: object) -> None:
    moment = failed(command, output, code)
    asked = all_signatures(command, output)
    order.shuffle(asked)  # type: ignore[attr-defined]
    found = plain_signature(asked, moment, output)
    if found:
        failure = failure_of("claude-code", moment)
        assert failure is not None
        assert failure.signature == found


@pytest.mark.parametrize(("command", "output", "known"), RECOGNISED)
def test_usual_failures_are_recognised(command: str, output: str, known: str) -> None:
    moment = failed(command, output, 2)
    assert plain_signature(["git: of another", known], moment, output) == known
    failure = failure_of("claude-code", moment)
    assert failure is not None
    assert failure.signature == known


@pytest.mark.parametrize(("command", "output", "asked"), LEFT)
def test_what_is_doubtful_or_another_failure_is_not_recognised(command: str, output: str, asked: str) -> None:
    assert plain_signature([asked], failed(command, output, 1), output) == ""


@pytest.mark.parametrize(
    ("is_error", "exit_code", "is_plain"),
    [
        (True, None, True),
        (None, 2, True),
        (False, 0, False),
        (None, None, False),
        (True, 130, False),
        (True, 124, False),
    ],
)
def test_only_a_certain_failure_is_plain(is_error: bool | None, exit_code: int | None, is_plain: bool) -> None:
    moment = failed("wrapit bun", "unrecognized subcommand 'bun'", exit_code)
    moment.is_error = is_error
    assert bool(plain_signature(["wrapit: unrecognized subcommand bun"], moment, moment.output)) is is_plain


def test_programs_that_answer_by_their_exit_code_are_all_known() -> None:
    assert {name.partition(" ")[0] for name in ANSWERS} - {"[[", "(("} <= plain_failures._ANSWERING
    codes = {
        code: {name.partition(" ")[0] for name, one in ANSWERS.items() if code in one.codes} for code in range(256)
    }
    assert {code for code, names in codes.items() if names} | {XARGS_FAILED} == set(plain_failures._ANSWERS)
    assert codes[2] == set(plain_failures._ANSWERING_TWO)


def test_programs_that_only_look_are_those_of_failure_classes() -> None:
    assert plain_failures._LOOKERS <= failure_class._LOOKERS
