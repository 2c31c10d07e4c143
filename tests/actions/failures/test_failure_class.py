"""Classes of failures: a table of tools and their messages, and what outranks what."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.every import for_every
from tests.thoroughness import examples

from afterwit.actions.failures.failure_class import classify
from afterwit.model.kinds import ActionKind, FailureClass, Status, Step

CASES = [
    (group, *case)
    for group, cases in tomllib.loads(Path(__file__).with_name("failures.toml").read_text("utf-8")).items()
    for case in cases
]


def failed(command: str, error: str, *, exit_code: int | None = 1, status: Status = Status.FAILED) -> Step:
    return Step(ActionKind.SHELL, "Bash", command, status, None, exit_code, error=error)


def own(kind: ActionKind, error: str, target: str = "") -> Step:
    return Step(kind, kind.value, target, Status.FAILED, None, None, error=error)


@for_every("group, command, error, expected", CASES)
def test_the_message_of_a_tool_tells_the_class(group: str, command: str, error: str, expected: str) -> None:
    assert classify(failed(command, error)) == expected


def test_the_table_covers_every_class_that_a_command_can_have() -> None:
    beyond = {FailureClass.DENIED, FailureClass.CANCELLED, FailureClass.TOOL_CONTRACT}
    assert {case[3] for case in CASES} == {kind.value for kind in set(FailureClass) - beyond}


@pytest.mark.parametrize("status", [Status.DENIED, Status.CANCELLED])
def test_a_denial_and_a_cancellation_are_what_they_are_whatever_the_text_says(status: Status) -> None:
    assert classify(failed("make test", "--- FAIL: TestRipe", status=status)).value == status.value


@for_every(
    "kind, error",
    [
        (ActionKind.EDIT, "String to replace not found in file."),
        (ActionKind.EDIT, "File has not been read yet. Read it first before writing to it."),
        (ActionKind.READ, "File does not exist. Did you mean pear.py?"),
        (ActionKind.READ, "File content (31000 tokens) exceeds maximum allowed tokens (25000)."),
        (ActionKind.WRITE, "EACCES: permission denied, open '/etc/pear'"),
        (ActionKind.SEARCH, "regex parse error: unclosed group"),
        (ActionKind.SKILL, "Unknown skill: prune"),
        (ActionKind.PLAN, "InputValidationError: the required parameter `todos` is missing"),
        (ActionKind.WEB, "Request failed with status code 404"),
        (ActionKind.MCP, "No such tool available: mcp__orchard__prune"),
        (ActionKind.DELEGATE, "Agent type 'gardener' not found."),
    ],
)
def test_an_own_tool_that_refuses_was_misused(kind: ActionKind, error: str) -> None:
    assert classify(own(kind, error)) is FailureClass.TOOL_CONTRACT


@pytest.mark.parametrize("kind", [ActionKind.WEB, ActionKind.MCP, ActionKind.DELEGATE])
@pytest.mark.parametrize("error", ["Request failed with status code 503", "HTTP 429 Too Many Requests", "timed out"])
def test_what_goes_over_the_network_can_fail_for_a_moment(kind: ActionKind, error: str) -> None:
    assert classify(own(kind, error)) is FailureClass.TRANSIENT


@pytest.mark.parametrize(
    "error",
    [
        "No task found with ID: b3f2a1",
        "write_stdin failed: Unknown process id 40020",
        "failed to parse function arguments: missing field `cmd` at line 1 column 2",
        "Shell b3f2a1 not found",
    ],
)
def test_the_shell_tool_itself_can_be_misused(error: str) -> None:
    assert classify(failed("", error)) is FailureClass.TOOL_CONTRACT


@pytest.mark.parametrize(
    "quoted",
    ["connection reset by peer", "permission denied", "command not found: pear", "HTTP 503", "unknown flag: --ripe"],
)
def test_a_report_about_the_code_outranks_what_it_quotes(quoted: str) -> None:
    report = f"--- FAIL: TestPear (0.00s)\n    pear_test.go:9: got {quoted!r}, want nil"
    assert classify(failed("go test ./...", report)) is FailureClass.WORK


def test_a_check_without_a_telling_message_is_work() -> None:
    assert classify(failed("cargo test", "")) is FailureClass.WORK
    assert classify(failed("pnpm run lint", "something odd")) is FailureClass.WORK


def test_a_check_that_was_killed_says_nothing_about_the_code() -> None:
    assert classify(failed("npm test", "> orchard@1.0.0 test", exit_code=137)) is FailureClass.ENVIRONMENT
    assert classify(failed("npm test", "Tests: 1 failed, 2 passed", exit_code=137)) is FailureClass.WORK


def test_rules_in_the_output_of_a_check_make_it_work() -> None:
    assert classify(failed("make verify", "see above"), rules=True) is FailureClass.WORK


def test_a_missing_path_is_the_commands_fault_only_where_the_command_names_it() -> None:
    error = "plums.txt: No such file or directory"
    assert classify(failed("mypy plums.txt", error)) is FailureClass.INVOCATION
    assert classify(failed("mypy pears.txt", error)) is FailureClass.WORK


def test_a_package_that_nobody_has_is_the_manifests_fault_where_the_command_names_none() -> None:
    error = "ERROR: No matching distribution found for pearz"
    assert classify(failed("pip install pearz", error)) is FailureClass.INVOCATION
    assert classify(failed("uv sync", error)) is FailureClass.WORK


def test_a_wrong_folder_before_a_check_is_the_commands_fault() -> None:
    error = "bash: line 1: cd: backnd: No such file or directory"
    assert classify(failed("cd backnd && npm test", error)) is FailureClass.INVOCATION


@pytest.mark.parametrize("command", ["python3 -c 'import pear; pear.pick(3)'", "node -e 'pear.pick(3)'"])
def test_a_faulty_inline_script_is_a_wrong_command(command: str) -> None:
    assert classify(failed(command, "TypeError: pick() takes 0 arguments")) is FailureClass.INVOCATION


def test_a_faulty_program_of_the_project_is_work() -> None:
    assert classify(failed("./scripts/pick.sh", "could not pick")) is FailureClass.WORK
    assert classify(failed("python pick.py", "ValueError: unripe")) is FailureClass.WORK


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("pear prune --help", "Usage: pear [OPTIONS]"),
        ("ls build 2>/dev/null", ""),
        ("rm dist/pear.js", "rm: dist/pear.js: No such file or directory"),
        ("pkill pear", "pkill: No such process"),
    ],
)
def test_a_question_whose_answer_is_no_has_not_failed(command: str, error: str) -> None:
    assert classify(failed(command, error)) is FailureClass.ANSWER


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (124, FailureClass.TRANSIENT),
        (126, FailureClass.ENVIRONMENT),
        (127, FailureClass.ENVIRONMENT),
        (130, FailureClass.CANCELLED),
        (137, FailureClass.ENVIRONMENT),
        (1, FailureClass.UNCLEAR),
        (None, FailureClass.UNCLEAR),
    ],
)
def test_without_a_message_the_exit_code_tells_what_it_can(code: int | None, expected: FailureClass) -> None:
    assert classify(failed("pear", "", exit_code=code)) is expected


def test_a_poll_is_classified_by_the_command_behind_it() -> None:
    poll = failed("40020", "something odd")
    assert classify(poll, "go test ./...") is FailureClass.WORK


TEXTS = st.text(max_size=120) | st.sampled_from([case[2] for case in CASES])


@given(command=st.text(max_size=60) | st.sampled_from([case[1] for case in CASES]), error=TEXTS, rules=st.booleans())
@settings(max_examples=examples(200), deadline=None)
def test_any_text_has_a_class(command: str, error: str, rules: bool) -> None:
    assert classify(failed(command, error), rules=rules) in FailureClass
