"""The reader of mini-swe-agent: one document per run, a list of messages with what came of each command.

Three generations. A bare list of messages, where the agent's command stands in a code block and its result in the next
message between tags; the same below `messages`, with `info` beside it; and since version 2 with real tool calls, whose
results carry their exit code in `extra`. A message in the name of the user is the task, unless it is a result or says
that the last answer could not be used. The last message, `exit`, ends the run: what a submitting command gave back, or
the failure of the model. A run has no id of its own; its path stands for it.
"""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import msgspec

from afterwit.agents import fields
from afterwit.agents.fields import remote_of
from afterwit.agents.log_reader import DocumentReading, Place, Reader, SourceFile
from afterwit.agents.messages import calls_of, inside_tags, reasoning_of, text_of, usage_of, without_tags
from afterwit.model.kinds import EventKind, ReaderEvidence, RecordedEnd
from afterwit.model.readings import Event, Facts, Reading, Result
from afterwit.model.text import regex
from afterwit.sources.documents import items
from afterwit.sources.framing import Record

_CODE = regex(r"<returncode>\s*(-?\d{1,10})\s*</returncode>")
_HEAD_CHARS = 100_000  # the old layout repeats the command before the exit code
_OUTPUTS = ("output", "output_head", "output_tail", "stdout", "stderr", "exception")
_TASK = "pr_description"
_COMMAND = regex(r"(?s)```(?:bash|mswea_bash_command|sh)?[ \t]*\n(.*?)\n?```")
_UNUSABLE = regex(r"\s*(?:Tool call error|Please always provide EXACTLY ONE action|Your (?:output|last) )")
_FINAL = regex(r"(?:NANO|MINI)_SWE_AGENT_FINAL_OUTPUT|COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")
_LIMITS = frozenset(["LimitsExceeded", "TimeExceeded", "ContextWindowExceededError"])
_STOPPED = frozenset(["UserInterruption", "KeyboardInterrupt"])


class MiniSweAgentReading(DocumentReading):
    times = ("extra.timestamp",)

    def __init__(self, file: SourceFile) -> None:
        super().__init__(file)
        self._model = ""
        self._commands = 0
        self._open: list[str] = []  # calls without a result
        self._submitted: RecordedEnd | None = None  # by the last command

    def session_of(self, path: PurePosixPath) -> str:
        return str(path).removesuffix(".json").removesuffix(".traj")

    def feed(self, record: Record) -> Iterator[Reading]:
        value = msgspec.json.decode(record.raw, type=dict[str, Any] | list[Any])
        if isinstance(value, dict):
            yield self._facts(fields.mapping(value, "info"), fields.text(value, "instance_id"))
        for message in items(record) if isinstance(value, list) else items(record, "messages"):
            yield from self.piece(message)
        end = recorded_end(fields.mapping(value, "info")) if isinstance(value, dict) else self._submitted
        if end:
            yield Facts(session=self._session, end=end)

    def read(self, value: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        message, role, extra = value, fields.text(value, "role"), fields.mapping(value, "extra")
        text = text_of(message.get("content")) or ""
        is_known = role in ("system", "user", "assistant", "tool", "exit")
        self._memory.count(role, is_known=is_known)
        if role == "assistant":
            yield from self._answer(message, extra, text, place)
        elif role == "exit":
            yield from self._exit(fields.text(extra, "exit_status"), text, place)
        elif role == "tool" or (role == "user" and is_observation(text, extra)):
            call_id = fields.plain_id(message, "tool_call_id") or self._oldest(place)
            yield place.answered(self._result_event(call_id), *observed(text, extra))
        elif is_known and text.strip():
            yield from self._message_events(self._kind_of(role, text, extra), text, place)

    def _facts(self, info: Mapping[str, Any], instance: str) -> Facts:
        config = fields.mapping(info, "config")
        self._model = fields.plain_id(fields.mapping(config, "model"), "model_name")
        return Facts(
            session=self._session,
            cwd=fields.text(fields.mapping(config, "environment"), "cwd"),
            remote=remote_of(instance),
            version=fields.text(info, "mini_version"),
            title=instance,
        )

    def _message_events(self, kind: EventKind, text: str, place: Place) -> Iterator[Event]:
        """A task of a benchmark stands between tags; the instructions around it are the same in every run."""
        task = inside_tags(text, _TASK) if kind is EventKind.PROMPT else ""
        around = without_tags(text, _TASK)[0] if task else ""
        yield place.said(kind, task or text)
        yield from place.told(EventKind.NOTICE, around)

    def _kind_of(self, role: str, text: str, extra: Mapping[str, Any]) -> EventKind:
        is_task = role == "user" and "interrupt_type" not in extra and not _UNUSABLE.match(text)
        return EventKind.PROMPT if is_task else EventKind.NOTICE

    def _answer(
        self, message: Mapping[str, Any], extra: Mapping[str, Any], text: str, place: Place
    ) -> Iterator[Reading]:
        thought = reasoning_of(message)
        yield from place.told(EventKind.THOUGHT, thought)
        yield from place.told(EventKind.REPLY, text)
        calls = calls_of(message)
        self._open = []
        for call in calls:
            yield self._call(place, call.id, call.tool, call.arguments)
        if not calls and (command := _COMMAND.search(text)):
            yield self._call(place, "", "bash", {"command": command[1]})
        yield from self._spend(extra, place)

    def _call(self, place: Place, given: str, tool: str, arguments: dict[str, Any]) -> Event:
        self._commands += 1
        call_id = fields.plain_id({"id": given}, "id") or f"command-{self._commands}"
        self._open.append(call_id)
        self._submitted = RecordedEnd.DONE if _FINAL.search(str(arguments.get("command"))) else None
        return place.asked(call_id, tool, arguments)

    def _oldest(self, place: Place) -> str:
        return self._open[0] if self._open else place.made_up()

    def _result_event(self, call_id: str) -> str:
        if call_id in self._open:
            self._open.remove(call_id)
        return call_id

    def _spend(self, extra: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        response = fields.mapping(extra, "response")
        usage = usage_of(response.get("usage"))
        if usage is not None:
            key = fields.plain_id(response, "id") or f"{self._session}:{self._commands}"
            model = fields.plain_id(response, "model") or self._model
            yield from place.spent(key, model, usage, fields.dollars(extra, "cost"))

    def _exit(self, status: str, text: str, place: Place) -> Iterator[Event]:
        """The end of the run. A command whose output is submitted has no other result, and did what it should."""
        if status == "Submitted":
            yield place.answered(self._oldest(place), text, Result(is_error=False))
        elif status in _STOPPED:
            yield place.said(EventKind.INTERRUPT, text)
        elif status in _LIMITS or not status:
            yield place.said(EventKind.NOTICE, text or status)
        else:
            yield place.said(EventKind.MODEL_ERROR, text or status)


class MiniSweAgentReader(Reader):
    agent = "mini-swe-agent"
    evidence = ReaderEvidence.REAL_DATA
    document = MiniSweAgentReading

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        if str(record.get("trajectory_format")).startswith("mini-swe-agent"):
            return True
        if isinstance(record.get("messages"), list) and "mini_version" in fields.mapping(record, "info"):
            return True
        return record.get("role") == "user" and _FINAL.search(text_of(record.get("content")) or "") is not None


def recorded_end(info: Mapping[str, Any]) -> RecordedEnd | None:
    """What the exit status means; one that nobody knows is the name of an error. A person who stopped the run is told
    of by the last message; a bare list of messages has no status."""
    status = fields.text(info, "exit_status")
    if not status or status in _STOPPED:
        return None
    if status == "Submitted":
        return RecordedEnd.DONE if fields.text(info, "submission").strip() else RecordedEnd.UNSOLVED
    return RecordedEnd.LIMIT if status in _LIMITS else RecordedEnd.ERROR


def is_observation(text: str, extra: Mapping[str, Any]) -> bool:
    """Whether a message in the name of the user is the result of a command. The bare diff is what the oldest versions
    show of the submitting one."""
    return "returncode" in extra or text.startswith("diff --git ") or _CODE.search(text[:_HEAD_CHARS]) is not None


def observed(text: str, extra: Mapping[str, Any]) -> tuple[str, Result]:
    """The output, and how the command ended. Minus one says that it never came to an end of its own."""
    stated = _CODE.search(text[:_HEAD_CHARS])
    code = fields.exit_code(extra, "returncode")
    code = fields.stated_code(stated) if code is None else code
    raw = extra.get("raw_output")
    output = raw if isinstance(raw, str) else inside_tags(text, *_OUTPUTS) if stated else text
    failure = fields.text(extra, "exception_info")
    is_error = True if failure else None if code is None else code != 0
    return "\n".join(part for part in (output, failure) if part), Result(is_error=is_error, exit_code=code)
