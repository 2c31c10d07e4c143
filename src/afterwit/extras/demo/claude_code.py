"""Writes a story as Claude Code does: one transcript, and one more for each subagent."""

import json
from pathlib import PurePosixPath
from typing import Any

from afterwit.extras.demo import script

_VERSION = "2.1.178"
_MODEL = "claude-opus-4-8"
_SMALL_MODEL = "claude-haiku-4-5-20251001"
_REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the"
    " new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to"
    " proceed."
)
_CONTINUED = (
    "This session is being continued from a previous conversation that ran out of context."
    " The conversation is summarized below:\n"
)
Record = dict[str, Any]
Files = dict[PurePosixPath, bytes]


def native_id(name: str) -> str:
    return script.uuid(f"claude {name}")


def files(
    session: script.DemoSession, start_ms: int, cwd: str, trunk: tuple[script.DemoSession, int] | None = None
) -> Files:
    """The files below `~/.claude`. `trunk` is the session that this one was forked from, with its own start."""
    own = native_id(session.name)
    folder = PurePosixPath("projects", "".join(char if char.isalnum() else "-" for char in cwd))
    copied: list[Record] = []
    if trunk is not None:
        parent, parent_ms = trunk
        original = _Transcript(parent, native_id(parent.name), cwd)
        original.tell(parent.steps, parent_ms)
        copied = [_copy_record(record, own) for record in original.records if "uuid" in record]
    transcript = _Transcript(session, own, cwd)
    transcript.tell(session.steps, start_ms)
    titled: list[Record] = [{"type": "ai-title", "aiTitle": session.title, "sessionId": own}] if session.title else []
    written = {folder / f"{own}.jsonl": script.json_lines([*copied, *transcript.records, *titled])}
    for agent_id, role, call, child in transcript.children:
        place = folder / own / "subagents" / f"agent-{agent_id}.jsonl"
        written[place] = script.json_lines(child.records)
        about = {"agentType": role, "toolUseId": call}
        written[place.with_name(f"agent-{agent_id}.meta.json")] = json.dumps(about).encode()
    return written


def _copy_record(record: Record, own: str) -> Record:
    origin = {"sessionId": record["sessionId"], "messageUuid": record["uuid"]}
    return {**record, "sessionId": own, "forkedFrom": origin}


class _Transcript:
    """The records of one transcript, in order."""

    def __init__(
        self, session: script.DemoSession, native: str, cwd: str, agent_id: str = "", model: str = _MODEL
    ) -> None:
        self._session = session
        self._native = native
        self._cwd = cwd
        self._agent_id = agent_id
        self._model = model
        self._meter = script.Meter()
        self._responses = 0
        self._is_answering = False
        self._now_ms = 0
        self._wait_ms = 0
        self.records: list[Record] = []
        self.children: list[tuple[str, str, str, _Transcript]] = []

    def tell(self, steps: tuple[script.Step, ...], start_ms: int) -> None:
        self._now_ms = start_ms
        for step in steps:
            self._step(step)
            self._now_ms += script.duration_ms(step)

    def _step(self, step: script.Step) -> None:
        match step:
            case script.Prompt(text):
                self._user(text)
            case script.Reply(text):
                self._assistant({"type": "text", "text": text}, text)
            case script.ThoughtStep(text):
                self._assistant({"type": "thinking", "thinking": text, "signature": ""}, text)
            case script.CompactedStep(summary):
                self._compact(summary)
            case script.Interrupted():
                self._user([{"type": "text", "text": "[Request interrupted by user]"}])
            case script.ModelError(text):
                self._model_error(text)
            case _:
                self._wait_ms = script.wait_ms(step)
                self._act(step)

    def _act(self, step: script.Step) -> None:
        match step:
            case script.Shell(command, output, code, _):
                text = f"Exit code {code}\n{output}" if code else output
                self._call("Bash", {"command": command, "description": "Run a command"}, text, is_error=bool(code))
            case script.Denied(command):
                self._call("Bash", {"command": command}, _REFUSED, is_error=True)
            case script.Read(path, text):
                numbered = "\n".join(f"{number:>6}→{line}" for number, line in enumerate(text.splitlines(), 1))
                self._call("Read", {"file_path": f"{self._cwd}/{path}"}, numbered)
            case script.EditStep(path, old, new, error):
                text = f"<tool_use_error>{error}</tool_use_error>" if error else f"The file {path} has been updated."
                arguments = {"file_path": f"{self._cwd}/{path}", "old_string": old, "new_string": new}
                self._call("Edit", arguments, text, is_error=bool(error))
            case script.Search(pattern, hits):
                self._call("Grep", {"pattern": pattern, "output_mode": "content"}, hits)
            case script.Skill(name, body):
                self._call("Skill", {"skill": name}, f"Launching skill: {name}")
                self._user([{"type": "text", "text": f"Base directory for this skill: {name}\n\n{body}"}], isMeta=True)
            case script.Delegate():
                self._delegate(step)

    def _delegate(self, step: script.Delegate) -> None:
        agent_id = script.digest(f"{self._session.name} {step.task}", 17)
        arguments = {"description": step.task[:40], "prompt": step.task, "subagent_type": step.role}
        child = _Transcript(self._session, self._native, self._cwd, agent_id, _SMALL_MODEL)
        child.tell((script.Prompt(step.task), *step.steps, script.Reply(step.answer)), self._now_ms + 1_000)
        call = self._call("Agent", arguments, step.answer)
        self.children.append((agent_id, step.role, call, child))

    def _compact(self, summary: str) -> None:
        self._meter.forget()
        boundary = {"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted"}
        self._add({**boundary, "compactMetadata": {"trigger": "auto", "preTokens": 168_000}})
        self._user(_CONTINUED + summary, isCompactSummary=True, isVisibleInTranscriptOnly=True)

    def _model_error(self, text: str) -> None:
        message = {
            "id": script.uuid(text),
            "role": "assistant",
            "model": "<synthetic>",
            "content": [{"type": "text", "text": text}],
        }
        self._add({"type": "assistant", "isApiErrorMessage": True, "message": message})

    def _call(self, tool: str, arguments: Record, output: str, *, is_error: bool = False) -> str:
        call = "toolu_01" + script.letters(f"{self._native} {self._agent_id} {len(self.records)}", 22)
        block = {"type": "tool_use", "id": call, "name": tool, "input": arguments}
        self._assistant(block, json.dumps(arguments))
        self._now_ms += self._wait_ms
        self._user([{"type": "tool_result", "tool_use_id": call, "content": output, "is_error": is_error}], output)
        return call

    def _user(self, content: Any, text: str = "", **more: Any) -> None:
        self._meter.take(text or str(content))
        self._is_answering = False
        self._add({"type": "user", "message": {"role": "user", "content": content}, **more})

    def _assistant(self, block: Record, text: str) -> None:
        """One block of a response; blocks without a user record between them belong to one response."""
        if not self._is_answering:
            self._responses += 1
            self._is_answering = True
        key = f"{self._native} {self._agent_id} response {self._responses}"
        tokens = self._meter.respond(text)
        usage = {
            "input_tokens": 4,
            "cache_creation_input_tokens": tokens.fresh,
            "cache_read_input_tokens": tokens.cached,
            "output_tokens": tokens.output,
        }
        message = {
            "id": f"msg_01{script.letters(key, 22)}",
            "type": "message",
            "role": "assistant",
            "model": self._model,
            "content": [block],
            "usage": usage,
        }
        self._add({"type": "assistant", "requestId": f"req_{script.letters(f'{key} request', 24)}", "message": message})

    def _add(self, record: Record) -> None:
        before = self.records[-1]["uuid"] if self.records else None
        envelope: Record = {
            "parentUuid": before,
            "isSidechain": bool(self._agent_id),
            "userType": "external",
            "cwd": self._cwd,
            "sessionId": self._native,
            "version": _VERSION,
            "gitBranch": self._session.branch,
            "entrypoint": "cli",
        }
        if self._agent_id:
            envelope["agentId"] = self._agent_id
        name = f"{self._native} {self._agent_id} record {len(self.records)}"
        self.records.append({**envelope, **record, "uuid": script.uuid(name), "timestamp": script.iso(self._now_ms)})
