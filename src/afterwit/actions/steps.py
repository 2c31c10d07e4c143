"""How actions ended, and the command line behind a step.

`judge` says how it ended, from what the log says and, where a pipe hides that, from what the output looks like. A
denial or a cancellation is what it is. What still runs is unknown. For a shell the exit code decides, with three
exceptions: a 0 from a line that hides the exit of the command that matters is unknown, with a lean; and a code that is
only an answer (`grep` found nothing) is a success that keeps its code. A `curl` that got an answer ends with 0,
whatever that was: one that refuses is unknown, with a lean. Without an exit code the error flag decides; without either
only an output that looks like a failure says something. Failure class and signature are not made here.
"""

from collections.abc import Sequence
from typing import NamedTuple

from afterwit.actions.failures.excerpt import echoed_exit, is_complaint_of, is_failing, is_refused
from afterwit.actions.shell.programs import XARGS_FAILED, Weight, is_answer
from afterwit.actions.shell.tree import Command, CommandLine
from afterwit.model.kinds import ActionKind, Lean, Status, Step
from afterwit.model.text import regex

_BROKEN_PIPE = 141  # 128 + SIGPIPE: with pipefail, `head` read enough and left
REQUESTERS = frozenset(("curl", "http", "xh"))  # end with 0 as soon as a server has answered
_INTERPRETERS = ("python", "python3", "node", "ruby", "deno", "bun")
_ASKS = regex(
    r"\b(?:requests|httpx|session|client|axios|http)\.(?:get|post|put|patch|delete|request)\(|\burlopen\(|\bfetch\("
    r"|\bHTTPS?Connection\(|\bcurl\b"
)
_HOSTED = ("gh", "glab", "tea", "git")  # ask a host too, and say by their exit code how that went
_ECHOES_CODE = ("$?", "PIPESTATUS", "pipestatus")


class ActionVerdict(NamedTuple):
    """The status of an action; a lean only where the status is unknown and the output suggests one."""

    status: Status
    lean: Lean | None = None
    exit_code: int | None = None


def is_asking_code(line: CommandLine) -> bool:
    """Whether it gives an interpreter code that asks a server, which ends well whatever that answers."""
    return line.main is not None and line.main.program in _INTERPRETERS and _ASKS.search(line.text) is not None


def command_of(steps: Sequence[Step], at: int) -> str:
    """The command line that this step runs; "" where it is no shell call. A poll of a background command runs the
    line that started it."""
    step = steps[at]
    if step.kind is not ActionKind.SHELL:
        return ""
    return steps[step.started_by].target if step.started_by is not None else step.target


def judge(
    kind: ActionKind,
    line: CommandLine | None,
    output: str = "",
    *,
    is_error: bool | None = None,
    exit_code: int | None = None,
    is_denied: bool = False,
    is_cancelled: bool = False,
    is_running: bool = False,
) -> ActionVerdict:
    """The verdict on one action. For input sent to a running command, `line` is the command that was started."""
    if is_denied:
        return ActionVerdict(Status.DENIED, None, exit_code)
    if is_cancelled:
        return ActionVerdict(Status.CANCELLED, None, exit_code)
    if is_running:
        return ActionVerdict(Status.UNKNOWN, None, exit_code)
    if kind is ActionKind.SHELL and line is not None:
        return _of_shell(line, output, is_error, exit_code)
    if exit_code is not None:
        return ActionVerdict(Status.FAILED if exit_code else Status.SUCCEEDED, None, exit_code)
    if is_error is None:
        return ActionVerdict(Status.UNKNOWN)
    return ActionVerdict(Status.FAILED if is_error else Status.SUCCEEDED)


def _of_shell(line: CommandLine, output: str, is_error: bool | None, exit_code: int | None) -> ActionVerdict:
    if exit_code is None and is_error is None:
        is_hosted = line.main is not None and line.main.program in _HOSTED
        has_failed = output and (lean_of(line, output) is Lean.FAILED or (is_hosted and is_refused(output)))
        return ActionVerdict(Status.UNKNOWN, Lean.FAILED if has_failed else None)
    if exit_code is None and is_error:
        return ActionVerdict(Status.FAILED)
    if not exit_code:
        return _of_zero(line, output, exit_code)
    if exit_code == _BROKEN_PIPE and line.has_pipefail:
        return ActionVerdict(Status.UNKNOWN, lean_of(line, output), exit_code)
    return ActionVerdict(Status.SUCCEEDED if _is_answer(line, output, exit_code) else Status.FAILED, None, exit_code)


def _of_zero(line: CommandLine, output: str, exit_code: int | None) -> ActionVerdict:
    is_open = line.hides_exit or (_is_request(line) and is_refused(output))
    lean = lean_of(line, output) if is_open else None
    return ActionVerdict(Status.UNKNOWN if is_open else Status.SUCCEEDED, lean, exit_code)


def _is_request(line: CommandLine) -> bool:
    return (line.main is not None and line.main.program in REQUESTERS) or is_asking_code(line)


def lean_of(line: CommandLine, output: str) -> Lean:
    """What the output suggests about the command that matters."""
    if _is_request(line) and is_refused(output):
        return Lean.FAILED
    if any(mark in line.text for mark in _ECHOES_CODE):
        code = echoed_exit(output)
        if code is not None:
            return Lean.FAILED if code and not _answers(line.main, code) else Lean.FINE
    if line.main is not None and line.main.weight < Weight.WORKS:
        complains = is_complaint_of(_programs(line), output)
        return Lean.FAILED if complains else Lean.FINE
    return Lean.FAILED if is_failing(output) else Lean.FINE


def _is_answer(line: CommandLine, output: str, exit_code: int) -> bool:
    """Every command that could have caused the code either answers with it or does no work that can fail."""
    if line.deciding is None or not _answers(line.deciding, exit_code):
        return False
    reporting = [command for command in line.commands if command.number in line.reporting]
    if any(command.weight is Weight.WORKS and not _answers(command, exit_code) for command in reporting):
        return False
    return not is_complaint_of(_programs(line), output)


def _answers(command: Command | None, exit_code: int) -> bool:
    if command is None:
        return False
    if "xargs" in command.wrappers and exit_code == XARGS_FAILED:
        exit_code = 1
    return is_answer(command.program, command.subcommand, command.flags, exit_code)


def _programs(line: CommandLine) -> frozenset[str]:
    return frozenset(command.program for command in line.commands)
