"""Joins the two records that tell how a call ended: its output, and the `…_end` event of the user interface.

In real logs the event comes before the output, or, where a command went on in the background, after it. So what an
event says is kept until the output comes, and fills what the output leaves open: an exit code, an error, a duration.
An event that follows an output of a still running command is its real end, and becomes a second result of that call.
An event whose call never gets an output says nothing: that cannot be known while a file may still grow.
"""

import msgspec

from afterwit.agents.codex.records import Duration, McpResult, Payload
from afterwit.model.readings import Result

_KEPT = 64


class Ending(msgspec.Struct, frozen=True, array_like=True):
    exit_code: int | None = None
    is_error: bool | None = None
    is_denied: bool = False
    duration_ms: int | None = None


class Endings(msgspec.Struct):
    """What is open between outputs and events, bounded."""

    early: dict[str, Ending] = {}
    running: list[str] = []

    def event(self, call_id: str, ending: Ending) -> Result | None:
        """Takes the event of a call's end in; a result where the call had been reported as running."""
        if call_id in self.running:
            self.running.remove(call_id)
            return _filled(Result(), ending)
        self.early[call_id] = ending
        while len(self.early) > _KEPT:
            del self.early[next(iter(self.early))]
        return None

    def output(self, call_id: str, result: Result) -> Result:
        """The result of a call with what its event said before."""
        ending = self.early.pop(call_id, None)
        if result.is_running and ending is None:
            self.running = [*self.running[-_KEPT:], call_id]
        return result if ending is None else _filled(result, ending)


def ending_of(event: Payload) -> Ending:
    """The facts in an `exec_command_end`, `patch_apply_end`, `mcp_tool_call_end` or `dynamic_tool_call_response`."""
    return Ending(
        exit_code=event.exit_code,
        is_error=_is_error(event),
        is_denied=event.status == "declined",
        duration_ms=_ms(event.duration),
    )


def _is_error(event: Payload) -> bool | None:
    if isinstance(event.result, McpResult):
        return event.result.err is not None or (event.result.ok is not None and event.result.ok.is_error is True)
    return None if event.success is None else not event.success


def _ms(duration: Duration | None) -> int | None:
    return None if duration is None else duration.secs * 1000 + duration.nanos // 1_000_000


def _filled(result: Result, ending: Ending) -> Result:
    is_open = result.is_error is None and result.exit_code is None
    return Result(
        is_error=ending.is_error if is_open else result.is_error,
        exit_code=ending.exit_code if result.exit_code is None else result.exit_code,
        is_denied=result.is_denied or ending.is_denied,
        is_cancelled=result.is_cancelled,
        is_running=result.is_running and ending.exit_code is None,
        running_as=result.running_as,
        duration_ms=ending.duration_ms if result.duration_ms is None else result.duration_ms,
    )
