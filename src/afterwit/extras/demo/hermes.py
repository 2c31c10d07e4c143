"""Writes a story as older builds of Hermes do: one line with a role for each message."""

import json
from pathlib import PurePosixPath
from typing import Any

from afterwit.extras.demo import script

_MODEL = "claude-sonnet-4-6"
Record = dict[str, Any]
Files = dict[PurePosixPath, bytes]


def files(session: script.DemoSession, start_ms: int, cwd: str) -> Files:
    """The files below `~/.hermes`. Steps that a plain chat log does not have are left out."""
    name = f"{script.file_stamp(start_ms, '%Y%m%d_%H%M%S')}_{script.digest(session.name, 8)}"
    log = _Log(cwd, start_ms)
    for step in session.steps:
        log.tell(step)
    return {PurePosixPath("sessions", f"{name}.jsonl"): script.json_lines(log.records)}


class _Log:
    """The messages of one session, in order."""

    def __init__(self, cwd: str, start_ms: int) -> None:
        self._now_ms = start_ms
        self._meter = script.Meter()
        self.records: list[Record] = []
        self._add("session_meta", model=_MODEL, platform="cli", cwd=cwd)

    def tell(self, step: script.Step) -> None:
        match step:
            case script.Prompt(text):
                self._meter.take(text)
                self._add("user", content=text)
            case script.Reply(text):
                self._add("assistant", content=text, usage=self._usage(text))
            case script.ThoughtStep(text):
                self._add("assistant", content="", reasoning=text)
            case script.Shell(command, output, code, _):
                self._call("terminal", {"command": command}, {"output": output, "exit_code": code})
            case script.Denied(command):
                self._call("terminal", {"command": command}, {"error": "BLOCKED: user denied this command"})
            case script.Read(path, text):
                self._call("read_file", {"path": path}, {"output": text, "success": True})
            case script.Search(pattern, hits):
                self._call("search_files", {"pattern": pattern}, {"output": hits, "success": True})
            case script.EditStep(path, old, new, error):
                outcome = {"success": False, "error": error} if error else {"success": True, "output": f"edited {path}"}
                self._call("patch", {"path": path, "old_string": old, "new_string": new}, outcome)
        self._now_ms += script.duration_ms(step) + script.wait_ms(step)

    def _call(self, tool: str, arguments: Record, outcome: Record) -> None:
        call, text = f"call_{len(self.records)}", json.dumps(arguments)
        function = {"name": tool, "arguments": text}
        calls = [{"id": call, "type": "function", "function": function}]
        self._add("assistant", content="", tool_calls=calls, usage=self._usage(text))
        answer = json.dumps(outcome)
        self._meter.take(answer)
        self._add("tool", tool_call_id=call, name=tool, content=answer)

    def _usage(self, text: str) -> Record:
        tokens = self._meter.respond(text)
        cached = {"cached_tokens": tokens.cached}
        prompt = tokens.fresh + tokens.cached
        return {"prompt_tokens": prompt, "completion_tokens": tokens.output, "prompt_tokens_details": cached}

    def _add(self, role: str, **more: Any) -> None:
        self.records.append({"role": role, "timestamp": self._now_ms / 1000, **more})
