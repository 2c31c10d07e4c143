"""Steps: what counts as worked and failed, and which command stands behind a poll."""

from typing import Any

import pytest
from tests.every import for_every

from afterwit.actions.shell.parse import parse, parsed
from afterwit.actions.steps import ActionVerdict, command_of, judge
from afterwit.model.kinds import ActionKind, Lean, Status, Step


def step(status: Status, lean: Lean | None = None) -> Step:
    return Step(ActionKind.SHELL, "Bash", "make test", status, lean)


@pytest.mark.parametrize(
    ("status", "lean", "has_worked", "has_failed"),
    [
        (Status.SUCCEEDED, None, True, False),
        (Status.FAILED, None, False, True),
        (Status.UNKNOWN, None, False, False),
        (Status.UNKNOWN, Lean.FINE, True, False),
        (Status.UNKNOWN, Lean.FAILED, False, True),
        (Status.DENIED, None, False, False),
        (Status.CANCELLED, None, False, False),
    ],
)
def test_a_lean_counts_only_where_the_status_is_unknown(
    status: Status, lean: Lean | None, has_worked: bool, has_failed: bool
) -> None:
    one = step(status, lean)
    assert (one.has_worked, one.has_failed) == (has_worked, has_failed)


def test_the_command_of_a_poll_is_the_one_that_it_polls() -> None:
    started = Step(ActionKind.SHELL, "exec_command", "go test ./...", Status.UNKNOWN)
    poll = Step(ActionKind.SHELL, "write_stdin", "40020", Status.FAILED, started_by=0)
    assert [command_of([started, poll], at) for at in (0, 1)] == ["go test ./...", "go test ./..."]


def test_other_tools_have_no_command() -> None:
    assert command_of([Step(ActionKind.READ, "Read", "pear.py", Status.SUCCEEDED)], 0) == ""


def test_a_line_is_parsed_once() -> None:
    assert parsed("make prune") is parsed("make prune")


def shell(line: str, output: str = "", **facts: Any) -> ActionVerdict:
    return judge(ActionKind.SHELL, parse(line), output, **facts)


def test_a_denial_comes_before_everything() -> None:
    verdict = shell("make", is_denied=True, is_cancelled=True, is_error=True, exit_code=1)
    assert verdict.status is Status.DENIED


def test_a_cancellation_comes_before_the_exit_code() -> None:
    assert shell("make", is_cancelled=True, is_running=True, exit_code=1).status is Status.CANCELLED


def test_what_still_runs_is_unknown() -> None:
    assert shell("make", "error: x", is_running=True, is_error=False) == ActionVerdict(Status.UNKNOWN)


def test_an_exit_code_decides_for_a_shell() -> None:
    assert shell("make", exit_code=0) == ActionVerdict(Status.SUCCEEDED, None, 0)
    assert shell("make", exit_code=2) == ActionVerdict(Status.FAILED, None, 2)


def test_an_exit_code_decides_against_the_error_flag() -> None:
    assert shell("make", exit_code=0, is_error=True).status is Status.SUCCEEDED


def test_without_an_exit_code_the_error_flag_decides() -> None:
    assert shell("make", is_error=True) == ActionVerdict(Status.FAILED)
    assert shell("make", is_error=False) == ActionVerdict(Status.SUCCEEDED)
    assert judge(ActionKind.EDIT, None, is_error=True).status is Status.FAILED
    assert judge(ActionKind.EDIT, None, is_error=False).status is Status.SUCCEEDED


def test_without_code_and_flag_nothing_is_known() -> None:
    assert shell("make") == ActionVerdict(Status.UNKNOWN)
    assert judge(ActionKind.MCP, None, "error: x") == ActionVerdict(Status.UNKNOWN)


def test_a_shell_call_without_its_line_is_judged_by_its_code() -> None:
    assert judge(ActionKind.SHELL, None, exit_code=1).status is Status.FAILED
    assert judge(ActionKind.SHELL, None, exit_code=0).status is Status.SUCCEEDED


FINE_OUTPUTS = [
    "",
    "0 errors, 0 warnings",
    "Found 0 errors.",
    "12 passed, 0 failed in 3s",
    "no errors found",
    "ok  \tpkg/x\t0.3s",
    "exited with code 0",
    "✓ shows error: when it fails",
    "(pass) fails clearly when the file is missing",
    "error: thrown by a test on purpose\n\n 41 pass\n 0 fail\nRan 41 tests",
    "Traceback (most recent call last)\nKeyError: 'x'\n==== 3 passed in 0.1s ====",
    "[queue] Task 2 failed: retrying",
]


FAILED_OUTPUTS = [
    "src/a.ts(3,1): error TS2322: Type",
    "error[E0308]: mismatched types",
    "error: unrecognized subcommand 'x'",
    "Traceback (most recent call last):\n  File x\nValueError: y",
    "FAILED tests/test_a.py::test_x",
    "--- FAIL: TestX (0.00s)",
    "zsh:1: command not found: pytest",
    "bash: line 1: foo: command not found",
    "npm ERR! code ELIFECYCLE",
    "==== 1 failed, 3 passed in 0.1s ====",
    " 24 fail\n 16 errors",
    "Tests:       1 failed, 5 passed, 6 total",
    "✖ 3 problems (3 errors, 0 warnings)",
    "Process exit status 1",
    "make: *** [Makefile:3: all] Error 2",
    "panic: runtime error",
    "fatal: not a git repository",
    "thread 'main' panicked at src/main.rs",
    "\x1b[31mERROR\x1b[0m: bad",
    "zsh:1: no matches found: src/*.x",
    "a.go:3:2: undefined: foo",
    "error: Cannot find module 'x'\n 3 pass\n 1 fail",
]


@for_every("output", FINE_OUTPUTS)
def test_a_hidden_zero_without_a_failure_shape_is_probably_fine(output: str) -> None:
    assert shell("make 2>&1 | tail -20", output, exit_code=0) == ActionVerdict(Status.UNKNOWN, Lean.FINE, 0)


@for_every("output", FAILED_OUTPUTS)
def test_a_hidden_zero_with_a_failure_shape_is_probably_failed(output: str) -> None:
    assert shell("make 2>&1 | tail -20", output, exit_code=0) == ActionVerdict(Status.UNKNOWN, Lean.FAILED, 0)


def test_a_hidden_line_with_only_a_flag_is_unknown_too() -> None:
    assert shell("make | tail", "1 failed, 2 passed", is_error=False) == ActionVerdict(Status.UNKNOWN, Lean.FAILED)


def test_pipefail_makes_the_code_count() -> None:
    assert shell("set -o pipefail; make | tail", exit_code=0).status is Status.SUCCEEDED


def test_a_hidden_line_that_ends_badly_has_failed() -> None:
    assert shell("make | tail -n x", exit_code=1).status is Status.FAILED


def test_a_printed_exit_code_tells_what_the_line_hides() -> None:
    assert shell('make; echo "exit: $?"', "error: expected\nexit: 0", exit_code=0).lean is Lean.FINE
    assert shell('make; echo "EXIT_CODE=$?"', "all good\nEXIT_CODE=2", exit_code=0).lean is Lean.FAILED
    assert shell('grep x f; echo "rc=$?"', "rc=1", exit_code=0).lean is Lean.FINE


def test_of_several_printed_exit_codes_the_last_counts() -> None:
    line = 'make press; echo "exit: $?"; make test; echo "exit: $?"'
    assert shell(line, "exit: 0\nexit: 2", exit_code=0).lean is Lean.FAILED
    assert shell(line, "exit: 2\nexit: 0", exit_code=0).lean is Lean.FINE


def test_content_that_speaks_of_errors_is_not_a_failure() -> None:
    assert shell("grep -rn error src | head", "src/a.py:1: error: x\nFAILED", exit_code=0).lean is Lean.FINE
    assert shell("cat log | head", "log: FAILED", exit_code=0).status is Status.SUCCEEDED


def test_a_complaint_of_the_looking_program_itself_is_a_failure() -> None:
    output = "grep: src: No such file or directory"
    assert shell("grep -rn x src | head", output, exit_code=0).lean is Lean.FAILED


ANSWERS = [
    ("grep -q x f", 1),
    ("rg x src", 1),
    ("cat f | grep x", 1),
    ("cd src && rg x", 1),
    ("diff a b", 1),
    ("cmp a b", 1),
    ("test -f x", 1),
    ("[ -f x ]", 1),
    ("[[ -f x ]]", 1),
    ("which node", 1),
    ("command -v node", 1),
    ("command -v node", 127),
    ("type node", 1),
    ("pgrep -f x", 1),
    ("git diff --exit-code", 1),
    ("git diff --quiet", 1),
    ("git grep x", 1),
    ("git merge-base --is-ancestor a b", 1),
    ("git config --get x", 1),
    ("! grep -q x f", 1),
    ("bash -lc 'rg x'", 1),
    ("git ls-files | xargs grep x", 123),
    ("systemctl is-active x", 3),
    ("which a && which b", 1),
    ("npm ls | grep x", 1),
]


@for_every("line, code", ANSWERS)
def test_a_code_that_only_says_no_is_a_success_that_keeps_its_code(line: str, code: int) -> None:
    assert shell(line, "", exit_code=code, is_error=True) == ActionVerdict(Status.SUCCEEDED, None, code)


FAILURES = [
    ("grep x f", 2, ""),
    ("rg '(' src", 2, "regex parse error"),
    ("grep x f", 1, "grep: f: No such file or directory"),
    ("cd nowhere && grep x f", 1, "bash: line 1: cd: nowhere: No such file or directory"),
    ("npm test && grep x f", 1, ""),
    ("set -o pipefail; npm test | grep x", 1, ""),
    ("git diff", 1, ""),
    ("git merge-base a b", 1, ""),
    ("command node", 1, ""),
    ("ls x", 2, "ls: cannot access 'x': No such file or directory"),
    ("make", 1, ""),
    ("which x; make", 1, ""),
    ("diff a b", 2, ""),
    ("false", 1, ""),
]


@for_every("line, code, output", FAILURES)
def test_other_codes_are_failures(line: str, code: int, output: str) -> None:
    assert shell(line, output, exit_code=code) == ActionVerdict(Status.FAILED, None, code)


def test_a_program_cut_off_by_head_under_pipefail_is_unknown() -> None:
    assert shell("set -o pipefail; make | head -1", exit_code=141) == ActionVerdict(Status.UNKNOWN, Lean.FINE, 141)
