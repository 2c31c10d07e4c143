"""Cline and Roo in editors: one folder per task, with the conversation as one document.

`api_conversation_history.json`, what the model was shown, is the log. `ui_messages.json` beside it states tokens and
cost of each request, Roo's `history_item.json` the folder and the parent. The document is rewritten whole, and cut
where the context was full: messages keep their times, by which they are known again.

Tools come as blocks, or as tags inside of the agent's text (only names of tools that Cline and its relatives have; a
tag that is cut off is text). Their results come back in the name of the user: as blocks, or as texts that begin with
`[tool for 'target'] Result:` and answer the oldest open call of that tool. A person's words stand between tags (`task`,
`feedback` …), in texts of their own or in results of tools that only ask: in others a file or command may print such
tags. What the editor shows (`environment_details`) is injected. Written from documentation and one described history.
"""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import msgspec

from afterwit.agents import fields
from afterwit.agents.log_reader import DocumentReading, Place, Reader, SourceFile
from afterwit.agents.messages import (
    Answered,
    Asked,
    Other,
    SaidBlock,
    Thought,
    blocks_of,
    ended,
    inside_tags,
    tell_block,
    without_tags,
)
from afterwit.model.kinds import EventKind, Relation
from afterwit.model.pasted import blocks
from afterwit.model.readings import Event, Facts, Reading, Result, Spend
from afterwit.model.text import regex
from afterwit.model.times import ms_from_any
from afterwit.sources.documents import items
from afterwit.sources.framing import Record

TOOLS = frozenset(
    [
        *("execute_command", "read_file", "write_to_file", "replace_in_file", "apply_diff", "insert_content"),
        *("search_and_replace", "search_files", "list_files", "list_code_definition_names", "browser_action"),
        *("use_mcp_tool", "access_mcp_resource", "ask_followup_question", "attempt_completion", "new_task"),
        *("plan_mode_respond", "load_mcp_documentation", "switch_mode", "fetch_instructions", "update_todo_list"),
        *("codebase_search", "web_fetch", "web_search", "use_subagents", "use_skill", "new_rule", "condense"),
        *("run_slash_command", "generate_image", "edit_file", "apply_patch", "search_replace", "focus_chain"),
    ]
)
_CALL = regex(rf"<({'|'.join(sorted(TOOLS))})>")
_ARGUMENT = regex(r"<(\w+)>")
_HUMAN = ("task", "feedback", "user_message", "answer", "user_input")
_INJECTED = (
    *("environment_details", "mode_notice", "hook_context", "explicit_instructions", "file_content"),
    "slash_command",
)
_ASKING = frozenset(["ask_followup_question", "attempt_completion", "plan_mode_respond"])
_RESULT = regex(r"(?s)\[(\w+)(?: for '.*?')?\] Result:")
_HEAD_CHARS = 10_000
_FAILED = regex(r"\s*(?:\[ERROR\]|The tool execution failed|Error executing|Error reading|Error writing)")
_DENIED = "The user denied this operation"
_EXIT = regex(r"Command (?:executed|completed|exited)[^\n]{0,100}?(?:[Ee]xit |with )code:? (-?\d{1,10})")


class Turns:
    """Reads messages in order."""

    def __init__(self, session: str) -> None:
        self.session = session
        self._number = 0
        self._open: list[tuple[str, str]] = []  # tool and id of calls without a result

    def read(self, message: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        self._number += 1
        own = fields.plain_id(message, "id") or str(fields.number(message, "ts") or "")
        blocks = blocks_of(message.get("content"))
        if message.get("role") == "assistant":
            yield from self._answer(blocks, place)
        else:
            yield from self._call_events(blocks, own, place)
        for block in blocks:
            if isinstance(block, Other):
                yield from tell_block(block, place, 0)

    def _answer(self, blocks: list[Any], place: Place) -> Iterator[Event]:
        is_native = any(isinstance(block, Asked) for block in blocks)
        for block in blocks:
            if isinstance(block, Thought):
                yield place.said(EventKind.THOUGHT, block.text)
            elif isinstance(block, Asked):
                yield self._call(block.id, block.tool, block.arguments, place)
            elif isinstance(block, SaidBlock):
                yield from self._text_events(block.text, place, is_native=is_native)

    def _text_events(self, text: str, place: Place, *, is_native: bool) -> Iterator[Event]:
        thought = inside_tags(text, "thinking")
        text = without_tags(text, "thinking")[0]
        calls, said = ([], text) if is_native else tagged_calls(text)
        yield from place.told(EventKind.THOUGHT, thought)
        yield from place.told(EventKind.REPLY, said.strip())
        for tool, arguments in calls:
            yield self._call("", tool, arguments, place)

    def _call(self, given: str, tool: str, arguments: dict[str, Any], place: Place) -> Event:
        call_id = given or f"turn-{self._number}-{len(self._open)}"
        self._open.append((tool, call_id))
        return place.asked(call_id, tool, _with_command(arguments))

    def _call_events(self, blocks: list[Any], own: str, place: Place) -> Iterator[Event]:
        waiting: list[str] = []  # the tool whose result goes on in the next text, and its pieces so far
        for block in blocks:
            if isinstance(block, Answered):
                text, flag = _parts(block)
                yield place.answered(self._result_events("", block.id, place), text, _end(text, flag))
            elif isinstance(block, SaidBlock):
                yield from self._heard(block.text, waiting, own, place)
        yield from self._completion(waiting, place)

    def _heard(self, text: str, waiting: list[str], own: str, place: Place) -> Iterator[Event]:
        is_awaited = len(waiting) > 1 and not waiting[-1].strip()  # a result whose header stood alone
        text, injected = without_tags(text, *_INJECTED, to_last=True)
        header = None if is_awaited else _RESULT.match(text[:_HEAD_CHARS].lstrip())
        tool = waiting[0] if is_awaited else header[1] if header else ""
        human = inside_tags(text, *_HUMAN) if not tool or tool in _ASKING else ""
        text = without_tags(text, *_HUMAN)[0] if human else text
        if header:
            yield from self._completion(waiting, place)
            waiting[:] = [header[1], text.lstrip()[header.end() :]]
        elif waiting and text.strip():
            waiting.append(text)
        elif text.strip():
            kind = EventKind.NOTICE if text.lstrip().startswith(("[", "<", "#")) or human else EventKind.PROMPT
            yield place.said(kind, text.strip(), f"prompt:{place.identity(own)}" if own and not human else "")
        if human:
            yield from self._completion(waiting, place)
            yield place.said(EventKind.PROMPT, human, f"prompt:{place.identity(own)}" if own else "")
        if injected:
            yield from self._completion(waiting, place)
            yield place.said(EventKind.NOTICE, injected)

    def _completion(self, waiting: list[str], place: Place) -> Iterator[Event]:
        if waiting:
            text = "\n".join(part.strip() for part in waiting[1:] if part.strip())
            yield place.answered(self._result_events(waiting[0], "", place), text, _end(text, None))
            waiting.clear()

    def _result_events(self, tool: str, call_id: str, place: Place) -> str:
        """The call that a result belongs to, which is open no longer."""
        for number, (name, open_id) in enumerate(self._open):
            if open_id == call_id or (not call_id and name == tool):
                del self._open[number]
                return open_id
        return call_id or place.made_up(len(self._open))


def _parts(answer: Answered) -> tuple[str, bool | None]:
    """The text and the flag of a result. Tools that do many things at once give one object for each of them."""
    parts = [part for part in fields.mappings(answer.block, "content") if "success" in part]
    if not parts:
        return answer.text, answer.is_error
    texts = [fields.text(part, "result", "error") for part in parts]
    return "\n".join(text for text in texts if text), any(part["success"] is False for part in parts)


def _with_command(arguments: dict[str, Any]) -> dict[str, Any]:
    """Many command lines in one call are one script."""
    lines = arguments.get("commands")
    if isinstance(lines, list) and lines and all(isinstance(line, str) for line in lines):
        return {**arguments, "command": "\n".join(lines)}
    return arguments


def _end(text: str, flag: bool | None) -> Result:
    code = fields.stated_code(_EXIT.search(text[:_HEAD_CHARS]))
    if text.lstrip().startswith(_DENIED):
        return Result(is_error=flag, is_denied=True, said=inside_tags(text, "feedback"), is_worded=True)
    is_error = True if _FAILED.match(text) or (code is not None and code != 0) else flag
    result = ended(text, is_error)
    return result if code is None else Result(is_error=is_error, exit_code=code)


def tagged_calls(text: str) -> tuple[list[tuple[str, dict[str, Any]]], str]:
    """The calls in a text, and the text without them."""
    calls: list[tuple[str, dict[str, Any]]] = []
    kept: list[str] = []
    at = 0
    for call in blocks(text, _CALL):
        inside = text[call.inside : call.closing]
        arguments: dict[str, Any] = {
            argument.name: inside[argument.inside : argument.closing].strip("\n")
            for argument in blocks(inside, _ARGUMENT)
        }
        calls.append((call.name, arguments))
        kept.append(text[at : call.start])
        at = call.end
    return calls, "".join([*kept, text[at:]])


_FOLDER = regex(r"# Current (?:Working|Workspace) Directory \(([^)\n]{1,1000})\)")
_SIGNS = ("<task>", "<environment_details>", "<feedback>")


class ClineReading(DocumentReading):
    """A conversation, `messages` of a document or a document itself."""

    pieces: tuple[str, ...] = ()
    times = ("ts",)

    def __init__(self, file: SourceFile) -> None:
        super().__init__(file)
        self._turns = Turns(self._session)
        self._model = ""
        self._states_requests = False

    def session_of(self, path: PurePosixPath) -> str:
        return path.parent.name or path.stem

    def feed(self, record: Record) -> Iterator[Reading]:
        messages = msgspec.json.decode(record.raw, type=list[Any])
        yield self._facts(record)
        self._model = _last_model(messages)
        requests = requests_of(self._beside("ui_messages.json"), self._session, self._model)
        self._states_requests = bool(requests)
        yield from requests
        for message in items(record):
            yield from self.piece(message)

    def read(self, value: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        role = fields.text(value, "role")
        self._memory.count(role, is_known=role in ("user", "assistant"))
        if role in ("user", "assistant"):
            yield from self._turns.read(value, place)
            if not self._states_requests:
                yield from self._spend(value, place)

    def _facts(self, record: Record) -> Facts:
        about = fields.decoded_file(self._beside("history_item.json"))
        parent = fields.plain_id(about, "parentTaskId")
        folder = _FOLDER.search(record.raw.decode("utf-8", "replace"))
        return Facts(
            session=self._session,
            at_ms=ms_from_any(self._session),
            cwd=fields.text(about, "workspace") or (_unescape(folder[1]) if folder else ""),
            parent=parent,
            relation=Relation.SUBAGENT if parent else None,
            origin=fields.text(about, "mode"),
        )

    def _spend(self, message: Mapping[str, Any], place: Place) -> Iterator[Spend]:
        """What a message says of its own request. It does not tell reading from the cache from writing to it."""
        metrics = fields.mapping(message, "metrics")
        usage = fields.usage(fields.mapping(metrics, "tokens"), "prompt", "completion", "cached")
        model = fields.plain_id(fields.mapping(message, "modelInfo"), "modelId") or self._model
        key = f"{self._session}:{place.at_ms or place.made_up()}"
        return place.spent(key, model, usage, fields.dollars(metrics, "cost") or None)

    def _beside(self, name: str) -> bytes:
        return self._file.companion(self._file.path.with_name(name)) or b""


class ClineReader(Reader):
    agent = "cline"
    companions = dict.fromkeys(("ui_messages.json", "history_item.json"), "api_conversation_history.json")
    document = ClineReading

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        texts = [fields.text(block, "text") for block in fields.mappings(record, "content")]
        return record.get("role") == "user" and any(sign in text for text in texts for sign in _SIGNS)


def _last_model(messages: list[Any]) -> str:
    infos = [fields.mapping(message, "modelInfo") for message in messages if isinstance(message, dict)]
    return next((model for info in reversed(infos) if (model := fields.plain_id(info, "modelId"))), "")


def _unescape(text: str) -> str:
    """A path inside of JSON text."""
    value = fields.decoded_text(f'"{text}"')
    return value if isinstance(value, str) else text


def requests_of(raw: bytes, session: str, model: str) -> list[Spend]:
    """What each request used. Nothing, where the file is missing or damaged."""
    try:
        shown = msgspec.json.decode(raw, type=list[Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return []
    stated = [message for message in shown if isinstance(message, dict) and message.get("say") == "api_req_started"]
    return [spend for request in stated for spend in _request(request, session, model)]


def _request(shown: dict[str, Any], session: str, model: str) -> Iterator[Spend]:
    """The tokens and the cost of one request, as JSON text."""
    said = fields.decoded_text(fields.text(shown, "text"))
    said = said if isinstance(said, dict) else {}
    usage = fields.usage(said, "tokensIn", "tokensOut", "cacheReads", "cacheWrites")
    place = Place(session, 0, 0, ms_from_any(shown.get("ts")))
    return place.spent(f"{session}:request:{place.at_ms}", model, usage, fields.dollars(said, "cost") or None)
