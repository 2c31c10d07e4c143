"""A home to work in while it is measured: its sessions grow and end as they do where agents are at work.

It is a copy of the logs of the home that is measured, which stays as it is. Those of a generated home are linked, but
for the few that are to grow, so that even a large one is there at once.
"""

import json
import os
import shutil
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any, NamedTuple

from afterwit.recall.deck.reader import Deck
from afterwit.store.layout import Layout
from afterwit.store.spool import backlog
from bench.homes import is_generated, logs_of
from bench.processes import environ_of

# An end is noted, and no `learn` started that nobody would wait for.
_SETTINGS = "[recall]\nlearns_at_end = false\n"
_GROWING = 20


class Grown(NamedTuple):
    """A session whose log has become longer by one line."""

    log: Path
    record: dict[str, Any]  # that was added


class Workplace:
    """A home below a folder."""

    def __init__(self, home: Path, folder: Path) -> None:
        self.home = folder / "home"
        growing = _in_the_middle(home)
        linked = set(logs_of(home)).difference(growing) if is_generated(home) else ()
        for log in logs_of(home):
            place = self.home / log.relative_to(home)
            place.parent.mkdir(parents=True, exist_ok=True)
            if log in linked:
                _link(log, place)
            else:
                shutil.copy2(log, place)
                place.chmod(0o600)  # it may be of a home that nobody may write to
        self.logs = logs_of(self.home)
        self._growing = [self.home / log.relative_to(home) for log in growing]
        self._prompts = 0

    def new_store(self, store: Path) -> Path:
        """An empty store, in the place of one that was there."""
        shutil.rmtree(store, ignore_errors=True)
        store.mkdir(mode=0o700, parents=True)
        (store / "config.toml").write_text(_SETTINGS)
        return store

    def grow(self) -> Grown:
        """Adds a prompt to a session, each time to another one, as long as there are others."""
        log = self._growing[self._prompts % len(self._growing)]
        self._prompts += 1
        record = {
            **_typed(log)[-1],
            "uuid": str(uuid.uuid4()),
            "message": {"role": "user", "content": f"And now look at case {self._prompts} again."},
        }
        with log.open("ab") as file:
            file.write(json.dumps(record, separators=(",", ":")).encode() + b"\n")
        return Grown(log, record)

    def end(self, store: Path, grown: Grown) -> list[str]:
        """Lets the hook of the agent note that this session has ended. Returns the command that the hook would start,
        which is left to the caller."""
        payload = {
            "hook_event_name": "SessionEnd",
            "session_id": grown.record["sessionId"],
            "transcript_path": str(grown.log),
            "cwd": grown.record["cwd"],
            "reason": "prompt_input_exit",
        }
        command = [sys.executable, "-m", "afterwit", "hook", "claude-code", "end"]
        environ = environ_of(self.home, store)
        subprocess.run(command, input=json.dumps(payload).encode(), env=environ, check=True)
        layout = Layout(store)
        if backlog(layout.spool)[0] != 1:
            raise RuntimeError("The hook did not note the end of the session.")
        return list(Deck(str(layout.deck)).names("learn_command"))


def _in_the_middle(home: Path) -> list[Path]:
    """Logs of Claude Code of about middle size that have a prompt, which can be said again."""
    logs = sorted(home.glob(".claude/projects/*/*.jsonl"), key=lambda log: (log.stat().st_size, log))
    start = max(0, (len(logs) - _GROWING) // 2)
    fit = [log for log in logs[start : start + _GROWING] if _typed(log)]
    if not fit:
        raise ValueError("The home has no log of Claude Code with a prompt, so no session can grow.")
    return fit


def _link(log: Path, place: Path) -> None:
    try:
        os.link(log, place)
    except OSError:  # on another disk
        shutil.copy2(log, place)


def _typed(log: Path) -> list[dict[str, Any]]:
    """The prompts in a log of Claude Code that a person typed."""
    return [record for record in map(_record, log.read_bytes().splitlines()) if _is_typed(record)]


def _record(line: bytes) -> dict[str, Any]:
    """The record in a line; none where the line is broken."""
    try:
        return dict(json.loads(line))
    except ValueError:
        return {}


def _is_typed(record: dict[str, Any]) -> bool:
    if record.get("type") != "user" or record.get("isMeta") or record.get("isSidechain"):
        return False
    return isinstance(record["message"]["content"], str)
