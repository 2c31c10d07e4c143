from typing import Any

import msgspec
import pytest

from afterwit.capture.assembly import calls
from afterwit.capture.assembly.texts import AssemblyContext, safe_body
from afterwit.model.captured import ActionRow
from afterwit.model.kinds import ActionKind, EventKind, Lean, Status
from afterwit.model.readings import Event, Result
from afterwit.redaction.markers import PLACEHOLDER
from afterwit.redaction.redaction import Redactor

TOKEN = "ghp" + "_" + "q7Rk2ZsV9xLm4TnB8wYc1JdF6hGp3KaE5uXi"
FAILED = Result(is_error=True, exit_code=2)


def call_of(tool: str = "Bash", **arguments: Any) -> Event:
    return Event(
        session="s", kind=EventKind.CALL, offset=5, length=9, at_ms=1_000, call_id="c1", tool=tool, arguments=arguments
    )


def result_of(text: str = "", result: Result | None = None, at_ms: int | None = 1_400) -> Event:
    return Event(
        session="s", kind=EventKind.RESULT, offset=20, length=9, at_ms=at_ms, call_id="c1", text=text, result=result
    )


def opened(redactor: Redactor, event: Event, names: dict[str, str] | None = None) -> calls.PendingCall:
    context = AssemblyContext(redactor=redactor, tool_names=names or {})
    return msgspec.structs.replace(calls.take_calls([event], context)[0], ordinal=3)


def both_ways(redactor: Redactor, call: Event, result: Event) -> tuple[ActionRow, ActionRow]:
    """The row where the result follows its call, and where it comes before."""
    open_call = opened(redactor, call)
    output = safe_body(result.text, redactor)
    outcomes = calls.outcome_of(result, output, redactor), calls.early_outcome(result, output, redactor)
    return calls.close_row(open_call, outcomes[0]), calls.close_row(open_call, outcomes[1])


def is_torn(text: str) -> bool:
    """Whether half of a secret or of a placeholder is in there. Answers itself: pytest would compare long texts."""
    return "ghp_" in text or "‹" in PLACEHOLDER.sub("", text)


def test_an_open_call_is_a_row_of_unknown_end(redactor: Redactor) -> None:
    row = calls.open_row(opened(redactor, call_of(command="make test")))
    assert (row.call_id, row.tool, row.kind, row.target) == ("c1", "Bash", ActionKind.SHELL, "make test")
    assert (row.status, row.exit_code, row.error, row.result_offset) == (Status.UNKNOWN, None, "", None)
    assert (row.ordinal, row.at_ms, row.offset) == (3, 1_000, 5)


@pytest.mark.parametrize(
    ("result", "status", "exit_code"),
    [
        (Result(exit_code=0), Status.SUCCEEDED, 0),
        (Result(exit_code=2), Status.FAILED, 2),
        (Result(is_error=True), Status.FAILED, None),
        (Result(is_denied=True, is_error=True), Status.DENIED, None),
        (Result(is_cancelled=True), Status.CANCELLED, None),
        (Result(is_running=True), Status.UNKNOWN, None),
        (None, Status.UNKNOWN, None),
    ],
)
def test_a_result_ends_its_call_whichever_of_them_comes_first(
    redactor: Redactor, result: Result | None, status: Status, exit_code: int | None
) -> None:
    rows = both_ways(redactor, call_of(command="make test"), result_of("make: *** No rule to make target", result))
    assert rows[0] == rows[1]
    assert (rows[0].status, rows[0].exit_code, rows[0].result_offset) == (status, exit_code, 20)


def test_a_failure_keeps_the_telling_line(redactor: Redactor) -> None:
    output = "collecting\nerror: no such option: --fast\n"
    row, same = both_ways(redactor, call_of(command="tool --fast"), result_of(output, FAILED))
    assert row.error == same.error == "error: no such option: --fast"


def test_a_success_keeps_no_error(redactor: Redactor) -> None:
    row, same = both_ways(redactor, call_of(command="tool"), result_of("error: 0 errors", Result(exit_code=0)))
    assert row.error == same.error == ""


def test_a_hidden_failure_keeps_its_lean_and_its_error(redactor: Redactor) -> None:
    event = result_of("FAILED tests/test_a.py::test_one - assert 1 == 2\n1 failed in 0.1s", Result(exit_code=0))
    row, _ = both_ways(redactor, call_of(command="pytest | tail -3"), event)
    assert (row.status, row.lean) == (Status.UNKNOWN, Lean.FAILED)
    assert row.error


@pytest.mark.parametrize(
    ("at_ms", "stated", "expected"),
    [(1_400, None, 400), (1_400, 7, 7), (None, None, None), (900, None, None), (1_400, -5, 400), (1_400, 1 << 70, 400)],
)
def test_a_duration_is_what_the_log_states_or_the_time_between(
    redactor: Redactor, at_ms: int | None, stated: int | None, expected: int | None
) -> None:
    row, same = both_ways(redactor, call_of(command="x"), result_of("", Result(duration_ms=stated), at_ms))
    assert row.duration_ms == same.duration_ms == expected


def test_an_exit_code_that_no_system_has_is_none(redactor: Redactor) -> None:
    event = result_of("", Result(exit_code=10**30, is_error=True))
    row, _ = both_ways(redactor, call_of(command="x"), event)
    assert (row.status, row.exit_code) == (Status.FAILED, None)
    msgspec.msgpack.encode(calls.outcome_of(event, safe_body(event.text, redactor), redactor))


def test_the_users_own_names_of_tools_are_used(redactor: Redactor) -> None:
    call = opened(redactor, call_of("my-shell", command="ls"), {"my-shell": "Bash"})
    assert (call.tool, call.kind, call.target) == ("Bash", ActionKind.SHELL, "ls")


def test_a_call_without_arguments_has_no_target(redactor: Redactor) -> None:
    call = opened(redactor, Event(session="s", kind=EventKind.CALL, offset=0, length=1, tool="Bash", call_id="c"))
    assert call.target == ""


def test_ids_and_tool_names_are_cleaned(redactor: Redactor) -> None:
    event = msgspec.structs.replace(call_of("Ba\x1b[31msh\u200b"), call_id="c\ud800\x00")
    call = opened(redactor, event)
    assert (call.tool, call.call_id) == ("Bash", "c\ufffd")


def test_a_long_command_is_parsed_further_than_it_is_stored(redactor: Redactor) -> None:
    call = opened(redactor, call_of(command="echo " + "a " * 50_000))
    assert len(call.target) <= calls.COMMAND_LIMIT
    assert len(calls.open_row(call).target) <= calls.TARGET_LIMIT


@pytest.mark.parametrize("before", range(3_950, 4_010, 4))
def test_a_secret_at_the_limit_of_a_target_leaves_no_half(redactor: Redactor, before: int) -> None:
    row = calls.open_row(opened(redactor, call_of(command=f"{'x' * before} {TOKEN}")))
    assert not is_torn(row.target)


@pytest.mark.parametrize("before", range(355, 400, 3))
def test_a_secret_at_the_limit_of_an_error_leaves_no_half(redactor: Redactor, before: int) -> None:
    event = result_of(f"error: {'x' * before} {TOKEN}", FAILED)
    for row in both_ways(redactor, call_of(command="x"), event):
        assert not is_torn(row.error)


def test_a_private_key_in_an_output_leaves_no_line_behind(redactor: Redactor) -> None:
    body = "\n".join(
        f"MIIEerror{number:02d}cannotAbCdEfGhIjKlMnOpQrStUvWxYz0123456789abcdefghij" for number in range(20)
    )
    kind = "RSA PRIVATE KEY"
    event = result_of(f"found it\n-----BEGIN {kind}-----\n{body}\n-----END {kind}-----\n", FAILED)
    for row in both_ways(redactor, call_of(command="x"), event):
        assert "MIIE" not in row.error


@pytest.mark.parametrize("before", [3_990, 3_970, 3_999, 4_001])
def test_a_secret_where_an_early_result_is_cut_leaves_no_half(redactor: Redactor, before: int) -> None:
    text = f"{'a ' * (before // 2)}{TOKEN} {'b ' * 5_000}{TOKEN} {'c ' * ((before - 20) // 2)}"
    kept = calls.early_outcome(result_of(text), safe_body(text, redactor), redactor).text
    assert len(kept) <= 2 * calls.EARLY_LIMIT + 1
    has_half = TOKEN[4:14] in kept or TOKEN[-10:] in kept
    assert not has_half
