"""What each type of record means: one small function a type, from its data and the state to readings.

What a person typed is `content`; `transformedContent` is left alone. A call is told by the message that asks for it, or
by its start where no message does; what was asked and refused is kept, bounded, until start and end come. Subagents
write into their parent's file and become sessions of their own, `<session>/agent-<id>`; what they are told is a notice.
A command that exits with 2 is a success to Copilot: its code stands in `shellExecution`, or in the last line of output.

Tokens are told once: a message states its output (until 1.0.68), a `session.usage_record` a response (1.0.102), and
`session.shutdown` the sums of all, which add only what no other record told. Its sums stand for the whole session, or,
where they are smaller than what was told, for the last run. Input includes the cache, output the reasoning.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from afterwit.agents import fields
from afterwit.agents.log_reader import Place, ReadingMemory
from afterwit.agents.messages import ToolOutcome
from afterwit.model.kinds import EventKind, RecordedEnd, Relation
from afterwit.model.readings import Facts, Reading, Result, Spend, Usage
from afterwit.model.text import regex

_TAIL_CHARS = 300
_EXITED = regex(r"<(?:[^<>\n]{0,120} )?(?:exited|completed) with exit code (-?\d{1,10})>\s*\Z")
_RUNNING = regex(r"<(?:command|shell)[^<>\n]{0,200}\b(?:still running|started in)\b[^<>\n]{0,200}>\s*\Z")
_SHELL = regex(r"\bshellId: ([\w-]{1,60})")
_DENIED_CODES = frozenset({"denied", "rejected"})
_CANCELLED_CODES = frozenset({"aborted", "cancelled", "canceled", "interrupted"})
_DENIED_WORDS = regex(
    r"\s*(?:The user (?:rejected|denied|declined)|Permission denied and could not request permission|Denied by )"
)
_ANSWERED = regex(r"(?s)User (?:responded|selected): (.+)")


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
    names = ("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens")
    return fields.usage(stated, *names, is_cache_given=True)


def _covers(stated: Usage, told: Usage) -> bool:
    return stated.output >= told.output and stated.input + stated.cache_read >= told.input + told.cache_read


def _sum(usage: Usage, other: Usage, sign: int) -> Usage:
    """The sum or the difference, never below nothing."""
    pairs = zip(msgspec.structs.astuple(usage), msgspec.structs.astuple(other), strict=True)
    return Usage(*(min(max(0, first + sign * second), 10**15) for first, second in pairs))


def outcome_of(data: Mapping[str, Any], *, was_denied: bool = False) -> ToolOutcome:
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
    return ToolOutcome(fields.without_blobs(text), result)


def _shell_in(notice: str) -> str:
    """The name of the shell that a notice about a running command speaks of."""
    named = _SHELL.search(notice)
    return named[1] if named else ""


def _exit_code(data: Mapping[str, Any], tail: str) -> int | None:
    stated = fields.exit_code(fields.mapping(data, "shellExecution"), "exitCode")
    return fields.stated_code(_EXITED.search(tail)) if stated is None else stated


_KEPT = 64
_NOTICE_CHARS = 8_000
_INSTRUCTIONS = "AGENTS.md"  # stands for all files that the client joins without their names
_INSTRUCTION = regex(r"(?s)<custom_instruction>(.*?)</custom_instruction>")


class CopilotState(ReadingMemory):
    model: str = ""
    ledger: Ledger = msgspec.field(default_factory=Ledger)
    asked: list[str] = msgspec.field(default_factory=list)  # calls of messages, before their start is written
    denied: list[str] = msgspec.field(default_factory=list)  # calls that were refused, before their end is written

    def ask(self, call: str) -> None:
        self.asked = [*self.asked[-_KEPT:], call]

    def deny(self, call: str) -> None:
        self.denied = [*self.denied[-_KEPT:], call]

    @staticmethod
    def took(call: str, calls: list[str]) -> bool:
        """Whether this was among the calls, which it then is no more."""
        if call not in calls:
            return False
        calls.remove(call)
        return True


class CopilotLine(NamedTuple):
    """One record: its data, its own id, where it lies, and the session that the file is named by."""

    data: Mapping[str, Any]
    id: str
    place: Place
    root: str

    @property
    def is_child(self) -> bool:
        return bool(self.place.session != self.root)

    def key(self, part: str = "") -> str:
        return f"{self.id}{part}" if self.id else ""

    def said(self, kind: EventKind, text: str, part: str = "") -> list[Reading]:
        return list(self.place.told(kind, text, self.key(part)))


def child_of(root: str, agent: str) -> str:
    return f"{root}/agent-{agent}"


def _start(state: CopilotState, line: CopilotLine) -> list[Reading]:
    state.model = fields.plain_id(line.data, "selectedModel") or state.model
    return [_surroundings(line, fields.mapping(line.data, "context"))]


def _context_changed(_: CopilotState, line: CopilotLine) -> list[Reading]:
    return [_surroundings(line, line.data)]


def _surroundings(line: CopilotLine, context: Mapping[str, Any]) -> Facts:
    repository, host = fields.text(context, "repository"), fields.text(context, "repositoryHost")
    return Facts(
        session=line.root,
        at_ms=line.place.at_ms,
        cwd=fields.text(context, "cwd", "gitRoot"),
        branch=fields.text(context, "branch"),
        remote=f"{host}/{repository}" if host and repository else repository,
        version=fields.text(line.data, "copilotVersion"),
        origin=fields.text(line.data, "producer"),
    )


def _title(_: CopilotState, line: CopilotLine) -> list[Reading]:
    title = fields.text(line.data, "title")
    return [Facts(session=line.root, at_ms=line.place.at_ms, title=title)] if title else []


def _model_change(state: CopilotState, line: CopilotLine) -> list[Reading]:
    if not line.is_child:
        state.model = fields.plain_id(line.data, "newModel") or state.model
    return []


def _user(_: CopilotState, line: CopilotLine) -> list[Reading]:
    data = line.data
    source = fields.text(data, "source")
    is_typed = source in ("", "user") and not line.is_child and data.get("isAutopilotContinuation") is not True
    text = fields.without_blobs(fields.text(data, "content"))
    pictures = sum(
        fields.text(attachment, "type") in ("image", "blob") for attachment in fields.mappings(data, "attachments")
    )
    text = "\n".join([text, *["[image]"] * pictures]) if pictures else text
    return line.said(EventKind.PROMPT if is_typed else EventKind.NOTICE, text)


def _assistant(state: CopilotState, line: CopilotLine) -> list[Reading]:
    data = line.data
    readings = line.said(EventKind.THOUGHT, fields.text(data, "reasoningText"), ":thought")
    readings += line.said(EventKind.REPLY, fields.text(data, "content"))
    for request in fields.mappings(data, "toolRequests"):
        state.ask(fields.plain_id(request, "toolCallId"))
        readings += _call(line, request, fields.text(request, "name"))
    return [*readings, *_output(state, line)]


def _output(state: CopilotState, line: CopilotLine) -> Iterator[Spend]:
    output = fields.tokens(line.data, "outputTokens")
    response = fields.plain_id(line.data, "apiCallId", "messageId") or line.id
    if output and state.is_new("response", response):
        yield from _spent(state, line, f"{line.root}:{response}", line.data, Usage(output=output))


def _usage_record(state: CopilotState, line: CopilotLine) -> list[Reading]:
    stated = fields.mapping(line.data, "usage")
    usage = usage_of(stated)
    response = fields.plain_id(stated, "apiCallId")
    if response:
        state.is_new("response", response)
    return list(_spent(state, line, f"usage:{line.id}", stated, usage)) if line.id and usage != Usage() else []


def _spent(state: CopilotState, line: CopilotLine, key: str, data: Mapping[str, Any], usage: Usage) -> Iterator[Spend]:
    model = fields.plain_id(data, "model") or state.model
    state.ledger.add(model, usage)
    yield Spend(session=line.place.session, key=key, model=model, usage=usage, at_ms=line.place.at_ms)


def _shutdown(state: CopilotState, line: CopilotLine) -> list[Reading]:
    rest = state.ledger.settle(fields.mapping(line.data, "modelMetrics"))
    key = f"shutdown:{line.id or line.place.offset}"
    at_ms = line.place.at_ms
    broke = [Facts(session=line.root, end=RecordedEnd.ERROR)] if line.data.get("shutdownType") == "error" else []
    spends = (
        Spend(session=line.root, key=f"{key}:{model}", model=model, usage=usage, at_ms=at_ms) for model, usage in rest
    )
    return [*spends, *broke]


def _task_complete(state: CopilotState, line: CopilotLine) -> list[Reading]:
    end = RecordedEnd.UNSOLVED if line.data.get("success") is False else RecordedEnd.DONE
    return [*_notice(state, line), Facts(session=line.place.session, end=end)]


def _started(state: CopilotState, line: CopilotLine) -> list[Reading]:
    if state.took(fields.plain_id(line.data, "toolCallId"), state.asked):
        return []
    return _call(line, line.data, fields.text(line.data, "toolName"))


def _request(state: CopilotState, line: CopilotLine) -> list[Reading]:
    """A call that a person asked for."""
    state.ask(fields.plain_id(line.data, "toolCallId"))
    return _call(line, line.data, fields.text(line.data, "toolName"))


def _call(line: CopilotLine, request: Mapping[str, Any], tool: str) -> list[Reading]:
    call = fields.plain_id(request, "toolCallId")
    if not call:
        return [line.place.problem("a call without an id")]
    arguments = fields.arguments(request.get("arguments"))
    return [line.place.call(f"call:{line.id or line.root}:{call}", call, tool, arguments)]


def _complete(state: CopilotState, line: CopilotLine) -> list[Reading]:
    call = fields.plain_id(line.data, "toolCallId")
    if not call:
        return [line.place.problem("a result that names no call")]
    text, result = outcome_of(line.data, was_denied=state.took(call, state.denied))
    return [line.place.result(f"result:{line.id or line.root}:{call}", call, text, result)]


def _permission(state: CopilotState, line: CopilotLine) -> list[Reading]:
    call = fields.plain_id(line.data, "toolCallId")
    if call and fields.text(fields.mapping(line.data, "result"), "kind").startswith("denied"):
        state.deny(call)
    return []


def _subagent(_: CopilotState, line: CopilotLine) -> list[Reading]:
    """The start of a subagent. The record carries the subagent's id, or in older logs the call's in its place."""
    call = fields.plain_id(line.data, "toolCallId")
    child = line.place.session if line.is_child else child_of(line.root, call)
    if not call and not line.is_child:
        return []
    return [
        Facts(
            session=child,
            at_ms=line.place.at_ms,
            parent=line.root,
            relation=Relation.SUBAGENT,
            parent_call=call,
            origin=fields.text(line.data, "agentName", "agentType"),
        )
    ]


def _compaction(_: CopilotState, line: CopilotLine) -> list[Reading]:
    if line.data.get("success") is False:
        return line.said(EventKind.NOTICE, fields.text(line.data, "error"))
    return [line.place.said(EventKind.COMPACTION, fields.text(line.data, "summaryContent"), line.key())]


def _abort(_: CopilotState, line: CopilotLine) -> list[Reading]:
    return [line.place.said(EventKind.INTERRUPT, fields.text(line.data, "reason"), line.key())]


def _error(_: CopilotState, line: CopilotLine) -> list[Reading]:
    said = fields.text(line.data, "message", "errorMessage", "errorType")
    return [line.place.failed(fields.exit_code(line.data, "statusCode"), said, line.key())]


def _notice(_: CopilotState, line: CopilotLine) -> list[Reading]:
    text = fields.text(line.data, "content", "message", "summary")
    return line.said(EventKind.NOTICE, fields.without_blobs(text[:_NOTICE_CHARS]))


def _system(_: CopilotState, line: CopilotLine) -> list[Reading]:
    """The system prompt: of it the beginning, and the instruction files that it holds."""
    text = fields.text(line.data, "content")
    instructions = "\n\n".join(_INSTRUCTION.findall(text))
    notice = line.place.said(EventKind.NOTICE, fields.without_blobs(text[:_NOTICE_CHARS]), line.key())
    if not text.strip():
        return []
    return [msgspec.structs.replace(notice, file=(_INSTRUCTIONS, instructions)) if instructions.strip() else notice]


def _reasoning(_: CopilotState, line: CopilotLine) -> list[Reading]:
    return line.said(EventKind.THOUGHT, fields.text(line.data, "content"))


MEANINGS: dict[str, Callable[[CopilotState, CopilotLine], list[Reading]]] = {
    "session.start": _start,
    "session.resume": _start,
    "session.context_changed": _context_changed,
    "session.title_changed": _title,
    "session.model_change": _model_change,
    "session.usage_record": _usage_record,
    "session.shutdown": _shutdown,
    "session.compaction_complete": _compaction,
    "session.error": _error,
    "session.info": _notice,
    "session.warning": _notice,
    "session.task_complete": _task_complete,
    "model.call_failure": _error,
    "user.message": _user,
    "assistant.message": _assistant,
    "assistant.reasoning": _reasoning,
    "tool.user_requested": _request,
    "tool.execution_start": _started,
    "tool.execution_complete": _complete,
    "permission.completed": _permission,
    "subagent.started": _subagent,
    "skill.invoked": _notice,
    "system.message": _system,
    "system.notification": _notice,
    "abort": _abort,
}
