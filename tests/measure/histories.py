"""Invented histories for backtests: Claude Code sessions written call by call, with times that the test chooses."""

import json
from pathlib import Path
from typing import Any

from tests.homes import CLAUDE, ORCHARD, put

_BEGIN_S = 36_000


class Log:
    """One session's file. Every record comes a second after the one before."""

    def __init__(self, number: int, start_s: int, cwd: str = ORCHARD) -> None:
        self.session = f"33333333-cccc-4ccc-8ccc-{number:012d}"
        self.now_s = start_s
        self.records: list[dict[str, Any]] = []
        self._cwd = cwd

    def prompt(self, text: str) -> "Log":
        return self._record("user", {"role": "user", "content": text})

    def shell(self, command: str, output: str = "done", *, fails: bool = False, takes_s: int = 1) -> "Log":
        return self._call("Bash", {"command": command}, output, fails=fails, takes_s=takes_s)

    def edit(self, path: str, text: str = "ripe = True") -> "Log":
        given = {"file_path": f"{self._cwd}/{path}", "old_string": "ripe = None", "new_string": text}
        return self._call("Edit", given, "The file has been updated.")

    def search(self, pattern: str) -> "Log":
        return self._call("Grep", {"pattern": pattern}, "no files found")

    def calls_skill(self, name: str) -> "Log":
        """A person calls it by its name."""
        return self.prompt(f"<command-message>{name}</command-message>\n<command-name>/{name}</command-name>")

    def skill(self, name: str) -> "Log":
        return self._call("Skill", {"skill": name}, f"Launching skill: {name}")

    def plan(self, answer: str) -> "Log":
        """A plan that the user did not simply accept, and how the log says so."""
        return self._call("ExitPlanMode", {"plan": "Prune row three"}, answer, fails=True)

    def wait(self, seconds: int) -> "Log":
        self.now_s += seconds
        return self

    def put(self, home: Path) -> Path:
        return put(home / CLAUDE / f"{self.session}.jsonl", self.records)

    def _call(self, tool: str, given: dict[str, Any], output: str, *, fails: bool = False, takes_s: int = 1) -> "Log":
        call = f"toolu_{self.session[-6:]}_{len(self.records)}"
        block = {"type": "tool_use", "id": call, "name": tool, "input": given}
        self._record("assistant", {"id": f"msg_{call}", "role": "assistant", "model": "m", "content": [block]})
        self.now_s += takes_s - 1
        result = {"type": "tool_result", "tool_use_id": call, "is_error": fails, "content": output}
        return self._record("user", {"role": "user", "content": [result]})

    def _record(self, kind: str, message: dict[str, Any]) -> "Log":
        at = _BEGIN_S + self.now_s
        stamp = f"2026-05-{1 + at // 86_400:02d}T{at // 3600 % 24:02d}:{at // 60 % 60:02d}:{at % 60:02d}.000Z"
        record = {"type": kind, "uuid": f"{self.session}-{len(self.records)}", "timestamp": stamp}
        envelope = {"sessionId": self.session, "cwd": self._cwd, "gitBranch": "main", "version": "2.1.150"}
        self.records.append({**record, **envelope, "isSidechain": False, "message": message})
        self.now_s += 1
        return self


MISSING = 'npm error Missing script: "tset"'
RULE = "src/press.ts(4,7): error TS2322: Type 'Pear' is not assignable to type 'Apple'."
HOUR_S = 3_600


def planted(home: Path) -> list[Log]:
    """A command that fails in three sessions and is mended, a rule that bites in three, a file that moved. The sessions
    follow each other without overlap."""
    first = Log(0, 0).prompt("Lay out the orchard")
    for number in range(20):
        first.edit(f"src/row{number:02d}.ts")
    logs = [first]
    for number in (1, 2, 3):
        log = Log(number, number * HOUR_S).prompt("Make the cider press turn faster")
        log.search("press").edit("src/press.ts").shell("npm run tset", MISSING, fails=True)
        log.shell("npm run test", "12 passing").shell("npx tsc --noEmit", RULE, fails=True).edit("src/press.ts")
        logs.append(log)
    moved = Log(4, 4 * HOUR_S).prompt("Move the cider press into a folder of its own")
    logs.append(moved.shell("git mv src/press.ts src/cider/press.ts").edit("src/cider/press.ts"))
    again = Log(5, 5 * HOUR_S).prompt("Let the cider press stop when the barrel is full")
    logs.append(again.search("barrel").search("press").edit("src/cider/press.ts"))
    for log in logs:
        log.put(home)
    return logs


def scrambled(log: Log, from_s: int) -> None:
    """Replaces what a session says, does and gets from a moment on by something else, in the same places and times."""
    for at, record in enumerate(log.records):
        if _seconds(record) >= from_s:
            log.records[at] = json.loads(_noise(json.dumps(record), at))


def _seconds(record: dict[str, Any]) -> int:
    day, time = record["timestamp"][8:10], record["timestamp"][11:19].split(":")
    return (int(day) - 1) * 86_400 + int(time[0]) * 3600 + int(time[1]) * 60 + int(time[2]) - _BEGIN_S


def _noise(text: str, at: int) -> str:
    for word, other in NOISE:
        text = text.replace(word, f"{other}{at}" if other else "")
    return text.replace('"is_error": true', '"is_error": null').replace('"is_error": false', '"is_error": true')


NOISE = (
    ("src/", "lib/noise"),
    ("press", "harrow"),
    ("npm run", "cargo xtask"),
    ("Missing script", "linker went away"),
    ("TS2322", "TS9999"),
    ("barrel", "meadow"),
    ("row", "field"),
)
