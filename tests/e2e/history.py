"""An invented repository, and the finished sessions that other agents had in it, as they would have logged them.

In every session the wrapper `fence` does not wrap `make`; in some the linter finds the same rule broken, and one file
is where work on the press is done. The days are counted back from a given one, because belief fades with time. The
programs of the repository exist as small scripts, so that a real client that calls them sees what the logs say.
"""

import datetime as dt
import json
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

WRAPPED, BARE = "fence make test", "make test"
PIPED = "fence make test | sort"
COMPLAINT = "fence: error: unrecognized subcommand 'make'"
PASSED = "12 passed in 0.31s"
LINT = "ruff check src"
RULE = "src/press.py:4:5: PLR0913 Too many arguments in function definition (7 > 5)\nFound 1 error."
PLACE = "src/cider/press.py"
TASK = "Let the cider press stop when the barrel is full"
WISH = "Press apples before pears."  # of a person, on the page
PLANTED = "44444444-dddd"  # how ids of these sessions begin
_SESSIONS = 30
_PROGRAMS = {  # They live for a moment, because a client may miss what one prints that ends at once.
    "fence": f'echo "{COMPLAINT}" >&2; sleep 0.2; exit 2',
    "make": f'echo "{PASSED}"; sleep 0.2',
}
_GIT = ("git", "-c", "user.name=ada", "-c", "user.email=ada@orchard.example", "-c", "init.defaultBranch=main")


def plant(home: Path, checkout: Path, today: dt.datetime, sessions: int = _SESSIONS) -> None:
    """Writes the checkout, its programs and the logs below a home."""
    put_checkout(checkout, {PLACE: "def press(): ...\n", "src/rows.py": "rows = 12\n"})
    put_programs(home)
    for number in range(sessions):
        session = _Session(number, str(checkout), today - dt.timedelta(days=1 + number % 7, minutes=20 * number))
        _play(session, number)
        session.put(home)


def put_checkout(folder: Path, files: Mapping[str, str]) -> None:
    """A git repository with one commit."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for words in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "Plant the orchard")):
        environ = {"HOME": str(folder), "PATH": "/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM": "1"}
        subprocess.run([*_GIT, *words], cwd=folder, env=environ, check=True, capture_output=True)


def put_programs(home: Path) -> None:
    """A login shell starts with a path of its own, hence the profile."""
    folder = home / "bin"
    folder.mkdir()
    for name, body in _PROGRAMS.items():
        (folder / name).write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    (home / ".profile").write_text('PATH="$HOME/bin:$PATH"\n', encoding="utf-8")


def _play(session: "_Session", number: int) -> None:
    session.prompt("Make the cider press turn faster" if number % 3 == 0 else f"Count the trees of row {number}")
    session.call(WRAPPED, COMPLAINT, code=2).call(BARE, PASSED)
    if number % 3 == 0:
        session.call(LINT, RULE, code=1).edit(PLACE, f"speed = {number}").call(LINT, "All checks passed!")
    session.say("Done.")


class _Session:
    """A log in the format of Claude Code, or of Codex for every other one."""

    def __init__(self, number: int, cwd: str, start: dt.datetime) -> None:
        self._id = f"{PLANTED}-4ddd-8ddd-{number:012d}"
        self._is_codex = number % 2 == 1
        self._cwd = cwd
        self._start = start
        self._records: list[dict[str, Any]] = []
        if self._is_codex:
            meta = {"id": self._id, "cwd": cwd, "cli_version": "0.140.0", "originator": "codex-tui", "source": "cli"}
            self._codex("session_meta", meta)

    def prompt(self, text: str) -> "_Session":
        if self._is_codex:
            self._codex("response_item", _message("user", "input_text", text))
            return self._codex("event_msg", {"type": "user_message", "message": text})
        return self._claude("user", text)

    def say(self, text: str) -> "_Session":
        if self._is_codex:
            return self._codex("response_item", _message("assistant", "output_text", text))
        return self._claude("assistant", [{"type": "text", "text": text}])

    def call(self, command: str, output: str, code: int = 0) -> "_Session":
        if self._is_codex:
            shown = f"Wall time: 0.1 seconds\nProcess exited with code {code}\nOutput:\n{output}"
            return self._called("exec_command", json.dumps({"cmd": command}), shown)
        return self._used("Bash", {"command": command}, f"Exit code {code}\n{output}" if code else output, bool(code))

    def edit(self, path: str, text: str) -> "_Session":
        if self._is_codex:
            patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n-def press(): ...\n+{text}\n*** End Patch"
            arguments = json.dumps({"cmd": f"apply_patch <<'EOF'\n{patch}\nEOF"})
            shown = f"Wall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nSuccess. Updated:\nM {path}"
            return self._called("exec_command", arguments, shown)
        given = {"file_path": f"{self._cwd}/{path}", "old_string": "def press(): ...", "new_string": text}
        return self._used("Edit", given, "The file has been updated.", False)

    def put(self, home: Path) -> None:
        day = self._start.strftime("%Y/%m/%d")
        codex = f".codex/sessions/{day}/rollout-{self._start.strftime('%Y-%m-%dT%H-%M-%S')}-{self._id}.jsonl"
        path = home / (codex if self._is_codex else f".claude/projects/{self._cwd.replace('/', '-')}/{self._id}.jsonl")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(record) + "\n" for record in self._records), encoding="utf-8")

    def _called(self, tool: str, arguments: str, output: str) -> "_Session":
        call = f"call_{self._id[-6:]}_{len(self._records)}"
        self._codex("response_item", {"type": "function_call", "name": tool, "arguments": arguments, "call_id": call})
        return self._codex("response_item", {"type": "function_call_output", "call_id": call, "output": output})

    def _used(self, tool: str, given: dict[str, Any], output: str, is_error: bool) -> "_Session":
        call = f"toolu_{self._id[-6:]}_{len(self._records)}"
        self._claude("assistant", [{"type": "tool_use", "id": call, "name": tool, "input": given}])
        result = {"type": "tool_result", "tool_use_id": call, "is_error": is_error, "content": output}
        return self._claude("user", [result])

    def _claude(self, role: str, content: str | Iterable[Mapping[str, Any]]) -> "_Session":
        message = {"id": f"msg_{self._id[-6:]}_{len(self._records)}", "role": role, "model": "m", "content": content}
        envelope = {"sessionId": self._id, "cwd": self._cwd, "gitBranch": "main", "version": "2.1.150"}
        name = f"{self._id}-{len(self._records)}"
        record = {"type": role, "uuid": name, "timestamp": self._stamp(), "isSidechain": False, "message": message}
        self._records.append({**envelope, **record})
        return self

    def _codex(self, kind: str, payload: Mapping[str, Any]) -> "_Session":
        self._records.append({"timestamp": self._stamp(), "type": kind, "payload": payload})
        return self

    def _stamp(self) -> str:
        at = self._start + dt.timedelta(seconds=2 * len(self._records))
        return at.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def _message(role: str, kind: str, text: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
