import pytest

from afterwit.agents.moments import AFTER, Moment
from afterwit.hook.deck import Trigger
from afterwit.hook.firing import failure_of
from afterwit.hook.plain_failures import fires_plainly, is_plain, plain_lines

FAILURES = (
    ("pnpm test --fast", "error: unknown option --fast"),
    ("npm run lnt", "npm error Missing script: \"lnt\"\nnpm error\nnpm error To see a list of scripts, run:"),
    ("ls ./nowhere", "ls: cannot access './nowhere': No such file or directory"),
    ("cargo build", "error[E0425]: cannot find value `x` in this scope\n --> src/main.rs:1:2"),
    ("curl -f http://localhost:8080/a", "curl: (7) Failed to connect to localhost port 8080 after 0 ms"),
    ("gh pr view 7 --jsn", "unknown flag: --jsn\n\nUsage:  gh pr view [<number>] [flags]"),
    ("git push origin main", "remote: error: GH006: Protected branch update failed\nerror: failed to push some refs"),
)  # fmt: skip


def moment_of(command: str, output: str) -> Moment:
    arguments: dict[str, object] = {"command": command}
    return Moment(AFTER, "s", tool="Bash", arguments=arguments, output=output, is_error=True, exit_code=1)


def signature_of(command: str, output: str) -> str:
    failure = failure_of("claude-code", moment_of(command, output))
    assert failure is not None
    return failure.signature


def fires(signature: str, command: str, output: str) -> bool:
    return fires_plainly(Trigger("", "", signature, "", "", ""), moment_of(command, output), plain_lines(output))


@pytest.mark.parametrize(("command", "output"), FAILURES)
def test_what_is_recognised_has_that_very_signature(command: str, output: str) -> None:
    own = signature_of(command, output)
    recognised = [other for other in (signature_of(*each) for each in FAILURES) if fires(other, command, output)]
    assert set(recognised) <= {own}


def test_most_plain_failures_are_recognised() -> None:
    assert sum(fires(signature_of(*each), *each) for each in FAILURES) >= 5


@pytest.mark.parametrize(
    "command", ["make | tail", "cd x && make", "make; echo $?", "make &", "(make)", "echo `make`", "make\nmake", ""]
)
def test_a_line_of_several_commands_is_not_plain(command: str) -> None:
    assert not is_plain(moment_of(command, "error"))


@pytest.mark.parametrize(
    ("is_error", "exit_code", "expected"),
    [
        (True, None, True),
        (None, 2, True),
        (False, 0, False),
        (None, None, False),
        (True, 130, False),
        (True, 127, False),
    ],
)
def test_only_a_certain_failure_is_plain(is_error: bool | None, exit_code: int | None, expected: bool) -> None:
    moment = moment_of("make", "x")
    moment.is_error, moment.exit_code = is_error, exit_code
    assert is_plain(moment) is expected


@pytest.mark.parametrize(
    "signature", ["pytest: tests fail", "ruff check: rules E501", "foo: command not found: foo", "x: <q>"]
)
def test_what_a_signature_sums_up_is_left_to_the_exact_question(signature: str) -> None:
    assert not fires(signature, "pytest ruff check foo x", "tests fail\nrules E501\ncommand not found: foo\n'a'")
