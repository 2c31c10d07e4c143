"""Calls joined with their results: one action each.

A call becomes a row as soon as it is read, with status *unknown*; its result, which may come in a later append,
replaces that row. Some logs have the result first. What must be remembered between the two is a `PendingCall` or a
`CallOutcome`, already redacted.
"""

from collections.abc import Sequence

import msgspec

from afterwit.actions import steps, tools
from afterwit.actions.shell.parse import parsed
from afterwit.capture.assembly.instructions import Showing
from afterwit.capture.assembly.texts import (
    AssemblyContext,
    beginning,
    both_ends,
    excerpt_of_error,
    safe_text,
    safe_texts,
)
from afterwit.model.captured import ActionRow
from afterwit.model.kinds import CHANGES, ActionKind, Lean, Status
from afterwit.model.readings import Event, Result
from afterwit.model.text import regex
from afterwit.redaction.markers import is_refusal
from afterwit.redaction.redaction import Redactor

COMMAND_LIMIT = 65_536  # characters of a command line that are parsed
TARGET_LIMIT = 4_000  # characters of a target that are stored
EARLY_LIMIT = 4_000  # characters kept of either end of a result that comes before its call
SAID_LIMIT = 2_000  # characters of what a person said to a call
_OWN_RESULTS = (*CHANGES, ActionKind.PLAN, ActionKind.OTHER)  # of others, foreign text may be the result
_COMPOUND = regex(r"[|;&\n(`]|\b(?:sh|bash|zsh|dash|eval|xargs|curl|http|xh)\b")
_MOST_MS = 1 << 53
_EXIT_CODES = range(-(1 << 31), 1 << 32)  # what systems have; others are numbers of something else


class PendingCall(msgspec.Struct, frozen=True, array_like=True):
    """A call whose result has not been read yet."""

    part: int
    ordinal: int
    call_id: str
    tool: str
    kind: ActionKind
    target: str
    at_ms: int | None
    offset: int
    showing: Showing | None = None  # of an instruction file
    is_own: bool = False  # a tool of the agent itself, whose results hold no words of others where the agent refuses


class CallOutcome(msgspec.Struct, frozen=True, array_like=True):
    """The result of a call, as far as its action needs it."""

    text: str  # redacted; the beginning and the end of a long one
    at_ms: int | None
    offset: int
    facts: Result


def outcome_of(event: Event, output: str, redactor: Redactor) -> CallOutcome:
    """What the result in this event says, with its redacted output."""
    facts = _facts(event)
    if facts.said:
        facts = msgspec.structs.replace(facts, said=safe_text(facts.said, redactor, SAID_LIMIT).strip())
    return CallOutcome(output, event.at_ms, event.offset, facts)


def early_outcome(event: Event, output: str, redactor: Redactor) -> CallOutcome:
    """The same for a result that stands before its call in the log, to be kept until the call is read."""
    return outcome_of(event, both_ends(output, EARLY_LIMIT), redactor)


def without_foreign_words(call: PendingCall, result: CallOutcome) -> CallOutcome:
    """The result without what a tool may have written in a person's name."""
    facts = result.facts
    if not facts.is_worded:
        return result
    if not call.is_own:
        facts = msgspec.structs.replace(facts, is_denied=False, said="", is_error=facts.is_error or None)
    elif call.kind not in _OWN_RESULTS:
        facts = msgspec.structs.replace(facts, said="")
    return msgspec.structs.replace(result, facts=facts)


def take_calls(events: Sequence[Event], context: AssemblyContext) -> list[PendingCall]:
    """What each of these calls asks for, redacted. Where they stand in which part is known when they are counted."""
    names = [context.tool_names.get(event.tool, event.tool) for event in events]
    given = [event.arguments or {} for event in events]
    kinds = [tools.kind_of(context.tool_kinds, tool, arguments) for tool, arguments in zip(names, given, strict=True)]
    targets = [tools.target_of(*call) for call in zip(kinds, names, given, strict=True)]
    redactor = context.redactor
    ids = safe_texts([event.call_id for event in events], redactor)
    safe = zip(ids, safe_texts(names, redactor), kinds, safe_texts(targets, redactor, COMMAND_LIMIT), strict=True)
    return [
        PendingCall(0, 0, *call, event.at_ms, event.offset, None, event.tool in context.own_tools)
        for event, call in zip(events, safe, strict=True)
    ]


def open_row(call: PendingCall) -> ActionRow:
    """The row of a call as long as nothing is known of its end."""
    return ActionRow(
        part=call.part,
        ordinal=call.ordinal,
        call_id=call.call_id,
        tool=call.tool,
        kind=call.kind,
        target=beginning(call.target, TARGET_LIMIT),
        status=Status.UNKNOWN,
        lean=None,
        exit_code=None,
        error="",
        at_ms=call.at_ms,
        duration_ms=None,
        offset=call.offset,
        result_offset=None,
    )


def close_row(call: PendingCall, result: CallOutcome) -> ActionRow:
    """The row of a call with its result."""
    facts = result.facts
    verdict = steps.judge(
        call.kind,
        parsed(call.target) if _must_be_parsed(call, facts) else None,
        result.text,
        is_error=facts.is_error,
        exit_code=facts.exit_code,
        is_denied=facts.is_denied,
        is_cancelled=facts.is_cancelled,
        is_running=facts.is_running,
    )
    is_bad = verdict.status in (Status.FAILED, Status.DENIED) or verdict.lean is Lean.FAILED
    return msgspec.structs.replace(
        open_row(call),
        status=verdict.status,
        lean=verdict.lean,
        exit_code=verdict.exit_code,
        error=excerpt_of_error(result.text) if is_bad else "",
        duration_ms=_duration_ms(call, result),
        result_offset=result.offset,
    )


def _must_be_parsed(call: PendingCall, facts: Result) -> bool:
    """Whether the command line has a say in the verdict: a success of one plain command needs no second look."""
    if call.kind is not ActionKind.SHELL:
        return False
    is_silent = facts.is_error is None and facts.exit_code is None
    return bool(facts.is_error or facts.exit_code) or is_silent or _COMPOUND.search(call.target) is not None


def _facts(event: Event) -> Result:
    """What the log says of the end, without numbers that mean nothing and fit no row. A call that we refused did not
    run, however its client words that: nothing failed, and no person said no."""
    facts = event.result or Result()
    if is_refusal(event.text):
        return Result(is_cancelled=True)
    code = facts.exit_code if facts.exit_code is not None and facts.exit_code in _EXIT_CODES else None
    duration = facts.duration_ms if facts.duration_ms is not None and 0 <= facts.duration_ms < _MOST_MS else None
    if code == facts.exit_code and duration == facts.duration_ms:
        return facts
    return msgspec.structs.replace(facts, exit_code=code, duration_ms=duration)


def _duration_ms(call: PendingCall, result: CallOutcome) -> int | None:
    if result.facts.duration_ms is not None:
        return result.facts.duration_ms
    if call.at_ms is None or result.at_ms is None or result.at_ms < call.at_ms:
        return None
    return result.at_ms - call.at_ms
