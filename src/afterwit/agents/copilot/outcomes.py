"""How a tool call of Copilot ended: from the flags of its record, and from the line that a shell's output ends with.

A command that exits with 2 is a success to Copilot; only its exit code tells. The code stands in `shellExecution`, in
older versions in a line of Copilot's own at the end of the output.

What a Copilot session used, told once although several records speak of it. A message states its output tokens (until
1.0.68), a `session.usage_record` all tokens of one response (1.0.102), and `session.shutdown` the sums of all models. A
shutdown therefore adds only what no other record told. Its sums stand for the whole session, resumes included; where
they are smaller than what was told before, they stand for the last run only. `inputTokens` includes what was read from
and written to a cache, `outputTokens` includes reasoning.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from afterwit.agents import fields
from afterwit.model.readings import Result, Usage

_TAIL_CHARS = 300
_EXITED = re.compile(r"<(?:[^<>\n]{0,120} )?(?:exited|completed) with exit code (-?\d{1,10})>\s*\Z")
_RUNNING = re.compile(r"<(?:command|shell)[^<>\n]{0,200}\b(?:still running|started in)\b[^<>\n]{0,200}>\s*\Z")
_SHELL = re.compile(r"\bshellId: ([\w-]{1,60})")
_DENIED_CODES = frozenset({"denied", "rejected"})
_CANCELLED_CODES = frozenset({"aborted", "cancelled", "canceled", "interrupted"})
_DENIED_WORDS = re.compile(
    r"\s*(?:The user (?:rejected|denied|declined)|Permission denied and could not request permission|Denied by )"
)
_ANSWERED = re.compile(r"User (?:responded|selected): (.+)", re.DOTALL)


class Told(msgspec.Struct, array_like=True):
    """Tokens of one model that readings have told: in all, and up to the last shutdown."""

    total: Usage = Usage()
    before: Usage = Usage()


class Ledger(msgspec.Struct):
    """What was told of each model."""

    models: dict[str, Told] = {}

    def add(self, model: str, usage: Usage) -> None:
        told = self.models.setdefault(model, Told())
        told.total = _sum(told.total, usage, 1)

    def settle(self, metrics: Mapping[str, Any]) -> Iterator[tuple[str, Usage]]:
        """What a shutdown's sums add to what was told, by model."""
        for name, metric in metrics.items():
            model = fields.plain_id({"model": name}, "model")
            stated = usage_of(fields.mapping(metric, "usage")) if isinstance(metric, dict) else Usage()
            told = self.models.setdefault(model, Told())
            counted = told.total if _covers(stated, told.total) else _sum(told.total, told.before, -1)
            rest = _sum(stated, counted, -1)
            told.total = told.before = _sum(told.total, rest, 1)
            if rest != Usage():
                yield model, rest


def usage_of(stated: Mapping[str, Any]) -> Usage:
    read, written = fields.tokens(stated, "cacheReadTokens"), fields.tokens(stated, "cacheWriteTokens")
    return Usage(
        input=max(0, fields.tokens(stated, "inputTokens") - read - written),
        cache_read=read,
        cache_write=written,
        output=fields.tokens(stated, "outputTokens"),
        reasoning=fields.tokens(stated, "reasoningTokens"),
    )


def _covers(stated: Usage, told: Usage) -> bool:
    return stated.output >= told.output and stated.input + stated.cache_read >= told.input + told.cache_read


def _sum(usage: Usage, other: Usage, sign: int) -> Usage:
    """The sum or the difference, never below nothing."""
    pairs = zip(msgspec.structs.astuple(usage), msgspec.structs.astuple(other), strict=True)
    return Usage(*(min(max(0, first + sign * second), 10**15) for first, second in pairs))


class CopilotOutcome(NamedTuple):
    """What a call gave back, and what is said about it."""

    text: str
    result: Result


def outcome_of(data: Mapping[str, Any], *, was_denied: bool = False) -> CopilotOutcome:
    """Reads the data of a `tool.execution_complete`."""
    error = fields.mapping(data, "error")
    message, code = fields.text(error, "message") or fields.text(data, "error"), fields.text(error, "code")
    given = fields.mapping(data, "result")
    text = fields.text(given, "content", "detailedContent") or fields.text(data, "result") or message
    is_success = fields.flag(data, "success")
    is_coded = was_denied or code in _DENIED_CODES
    is_denied = is_coded or (is_success is False and bool(_DENIED_WORDS.match(message)))
    answered = _ANSWERED.match(text) if is_success else None
    tail = text[-_TAIL_CHARS:]
    running = _RUNNING.search(tail)
    result = Result(
        is_error=None if is_success is None else not is_success,
        exit_code=_exit_code(data, tail),
        is_denied=is_denied,
        said=answered[1] if answered else "",
        is_worded=(is_denied and not is_coded) or answered is not None,
        is_cancelled=not is_denied and code in _CANCELLED_CODES,
        is_running=running is not None,
        running_as=_shell_in(running[0]) if running else "",
    )
    return CopilotOutcome(fields.without_blobs(text), result)


def _shell_in(notice: str) -> str:
    """The name of the shell that a notice about a running command speaks of."""
    named = _SHELL.search(notice)
    return named[1] if named else ""


def _exit_code(data: Mapping[str, Any], tail: str) -> int | None:
    stated = fields.exit_code(fields.mapping(data, "shellExecution"), "exitCode")
    if stated is not None:
        return stated
    exited = _EXITED.search(tail)
    return fields.exit_code({"code": int(exited[1])}, "code") if exited else None
