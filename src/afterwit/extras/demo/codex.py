"""Writes a story as Codex does: one rollout for each thread, with the parent's history before that of a fork."""

import json
from pathlib import PurePosixPath
from typing import Any

from afterwit.extras.demo import script

_VERSION = "0.141.0"
_MODEL = "gpt-5.4"
Record = dict[str, Any]
Files = dict[PurePosixPath, bytes]


def files(
    session: script.DemoSession,
    start_ms: int,
    cwd: str,
    remote: str,
    trunk: tuple[script.DemoSession, int] | None = None,
) -> Files:
    """The files below `~/.codex`. `trunk` is the session that this one was forked from, with its own start."""
    rollout = _Rollout(session.name, session, start_ms, cwd, remote)
    if trunk is not None:
        parent, parent_ms = trunk
        original = _Rollout(parent.name, parent, parent_ms, cwd, remote)
        original.tell(parent.steps)
        rollout.copy(original, start_ms)
    rollout.tell(session.steps)
    return {written.path: script.json_lines(written.records) for written in (rollout, *rollout.children)}


class _Rollout:
    """The records of one thread, in order."""

    def __init__(
        self, name: str, session: script.DemoSession, start_ms: int, cwd: str, remote: str, spawn: Record | None = None
    ) -> None:
        self._name = name
        self._session = session
        self._cwd = cwd
        self._remote = remote
        self._now_ms = start_ms
        self._wait_ms = 0
        self.meter = script.Meter()
        self.totals = {"input_tokens": 0, "cached_input_tokens": 0, "output_tokens": 0, "total_tokens": 0}
        self._turn = ""
        self.thread = script.uuid_at(f"codex {name}", start_ms)
        stamp = script.file_stamp(start_ms, "%Y-%m-%dT%H-%M-%S")
        day = PurePosixPath(*script.file_stamp(start_ms, "%Y %m %d").split())
        self.path = "sessions" / day / f"rollout-{stamp}-{self.thread}.jsonl"
        self.records: list[Record] = []
        self.children: list[_Rollout] = []
        self._meta = self._about(start_ms) | (spawn or {})
        self._add("session_meta", self._meta)

    def copy(self, parent: "_Rollout", at_ms: int) -> None:
        """Takes the parent's history over, stamped anew."""
        self.records[0]["payload"] = {**self._meta, "forked_from_id": parent.thread}
        self.records += [{**record, "timestamp": script.iso(at_ms + 1)} for record in parent.records]
        self.totals, self.meter = dict(parent.totals), parent.meter
        self._now_ms = at_ms + 5_000

    def tell(self, steps: tuple[script.Step, ...]) -> None:
        for step in steps:
            self._step(step)
            self._now_ms += script.duration_ms(step)
        if self._session.title and self._name == self._session.name:
            self._event("thread_name_updated", thread_id=self.thread, thread_name=self._session.title)

    def _step(self, step: script.Step) -> None:
        match step:
            case script.Prompt(text):
                self._prompt(text)
            case script.Reply(text):
                self._event("agent_message", message=text)
                self._item(type="message", role="assistant", content=[{"type": "output_text", "text": text}])
                self._count(text)
            case script.ThoughtStep(text):
                self._item(type="reasoning", summary=[{"type": "summary_text", "text": text}], encrypted_content="")
            case script.CompactedStep(summary):
                self.meter.forget()
                self._add("compacted", {"message": summary, "replacement_history": []})
                self._event("context_compacted")
            case script.Interrupted():
                self._event("turn_aborted", turn_id=self._turn, reason="interrupted")
            case script.ModelError(text):
                self._event("stream_error", message=text)
            case _:
                self._wait_ms = script.wait_ms(step)
                self._act(step)

    def _act(self, step: script.Step) -> None:
        match step:
            case script.Shell(command, output, code, seconds):
                self._exec(command, _frame(output, code, seconds))
            case script.Denied(command):
                self._exec(command, "exec_command failed: rejected by user")
            case script.Read(path, text):
                self._exec(f"sed -n '1,200p' {path}", _frame(text, 0, 0.1))
            case script.Search(pattern, hits):
                self._exec(f"rg -n '{pattern}'", _frame(hits, 0, 0.1))
            case script.EditStep():
                self._patch(step)
            case script.Skill(name, body):
                text = f"<skill>\n<name>{name}</name>\n{body}\n</skill>"
                self._item(type="message", role="user", content=[{"type": "input_text", "text": text}])
            case script.Delegate():
                self._delegate(step)

    def _delegate(self, step: script.Delegate) -> None:
        spawned: Record = {"parent_thread_id": self.thread, "depth": 1, "agent_role": step.role}
        source: Record = {"source": {"subagent": {"thread_spawn": spawned}}, "agent_role": step.role}
        name = f"{self._name} {step.task}"
        child = _Rollout(name, self._session, self._now_ms + 1_000, self._cwd, self._remote, source)
        child.tell((script.Prompt(step.task), *step.steps, script.Reply(step.answer)))
        self.children.append(child)
        arguments = json.dumps({"message": step.task, "agent_type": step.role})
        self._call("spawn_agent", arguments, json.dumps({"agent_id": child.thread}))

    def _prompt(self, text: str) -> None:
        self._turn = script.uuid_at(f"{self.thread} {len(self.records)}", self._now_ms)
        self._event("task_started", turn_id=self._turn)
        self._add("turn_context", {"turn_id": self._turn, "cwd": self._cwd, "model": _MODEL, "effort": "medium"})
        self._item(type="message", role="user", content=[{"type": "input_text", "text": text}])
        self._event("user_message", message=text, images=[])
        self.meter.take(text)

    def _patch(self, edit: script.EditStep) -> None:
        lines = [f"*** Update File: {edit.path}", "@@"]
        lines += [f"-{line}" for line in edit.old.splitlines()] + [f"+{line}" for line in edit.new.splitlines()]
        patch = "\n".join(["*** Begin Patch", *lines, "*** End Patch"])
        call = self._next_call()
        self._item(type="custom_tool_call", name="apply_patch", input=patch, call_id=call, status="completed")
        self._count(patch)
        done = _frame(f"Success. Updated the following files:\nM {edit.path}\n", 0, 0.1)
        output = f"apply_patch verification failed: {edit.error}" if edit.error else done
        self._answer(output)
        self._item(type="custom_tool_call_output", call_id=call, output=output)

    def _exec(self, command: str, output: str) -> None:
        self._call("exec_command", json.dumps({"cmd": command, "workdir": self._cwd}), output)

    def _call(self, tool: str, arguments: str, output: str) -> None:
        call = self._next_call()
        self._item(type="function_call", name=tool, arguments=arguments, call_id=call)
        self._count(arguments)
        self._answer(output)
        self._item(type="function_call_output", call_id=call, output=output)

    def _answer(self, output: str) -> None:
        self._now_ms += self._wait_ms
        self.meter.take(output)

    def _next_call(self) -> str:
        return "call_" + script.letters(f"{self.thread} {len(self.records)}", 24)

    def _count(self, text: str) -> None:
        tokens = self.meter.respond(text)
        total = tokens.fresh + tokens.cached
        last = {"input_tokens": total, "cached_input_tokens": tokens.cached, "output_tokens": tokens.output}
        last["total_tokens"] = total + tokens.output
        self.totals = {name: self.totals[name] + last[name] for name in self.totals}
        self._event("token_count", info={"total_token_usage": self.totals, "last_token_usage": last})

    def _about(self, start_ms: int) -> Record:
        about: Record = {
            "id": self.thread,
            "timestamp": script.iso(start_ms),
            "cwd": self._cwd,
            "originator": "codex-tui",
            "cli_version": _VERSION,
            "source": "cli",
            "model_provider": "openai",
        }
        if self._remote:
            commit = script.digest(f"commit {self._name}", 40)
            about["git"] = {"commit_hash": commit, "branch": self._session.branch, "repository_url": self._remote}
        return about

    def _item(self, **payload: Any) -> None:
        self._add("response_item", payload)

    def _event(self, kind: str, **payload: Any) -> None:
        self._add("event_msg", {"type": kind, **payload})

    def _add(self, kind: str, payload: Record) -> None:
        self.records.append({"timestamp": script.iso(self._now_ms), "type": kind, "payload": payload})


def _frame(output: str, code: int, seconds: float) -> str:
    head = f"Chunk ID: {script.digest(output, 6)}\nWall time: {seconds:.4f} seconds\nProcess exited with code {code}\n"
    return f"{head}Original token count: {len(output) // 4}\nOutput:\n{output}"
