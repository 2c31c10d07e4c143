import json
from pathlib import Path

import pytest
from tests.homes import put, world_of

from afterwit.agents.declared.parsing import description_of
from afterwit.capture.try_description import SessionTried, TriedFile, try_file
from afterwit.model.errors import AfterwitError

DESCRIPTION = description_of(
    {
        "name": "tinker",
        "transcripts": ["logs/*.jsonl"],
        "sniff": {"type": "hello"},
        "session": "sid",
        "event": [
            {"when": {"type": "user"}, "kind": "prompt", "text": "message"},
            {"when": {"type": "tool"}, "kind": "call", "tool": "name", "arguments": "input"},
            {"when": {"type": "done"}, "kind": "result", "text": "output", "exit_code": "code"},
        ],
        "spend": {"when": {"usage": {"exists": True}}, "input": "usage"},
    },
    "tinker.toml",
)
LOG = b"""{"type":"hello","sid":"mon-1"}
{"type":"user","sid":"mon-1","message":"Water the beds"}
{"type":"tool","sid":"mon-1","name":"bash","input":{"command":"hose --on"}}
{"type":"done","sid":"mon-1","output":"hose: no such valve","code":2,"usage":12}
{"type":"mood","sid":"mon-1"}
half a line
"""


def tried(tmp_path: Path, log: bytes = LOG, path: str = "logs/monday.jsonl") -> TriedFile:
    file = put(tmp_path / "home" / path, log)
    return try_file(world_of(tmp_path / "home", tmp_path / "store"), DESCRIPTION, file)


def test_it_says_what_a_file_would_become(tmp_path: Path) -> None:
    found = tried(tmp_path)
    assert found.sessions == [
        SessionTried(id="mon-1", first_prompt="Water the beds", events=3, actions=1, started_ms=None)
    ]
    assert found.events == {"prompt": 1, "call": 1, "result": 1}
    assert found.statuses == {"failed": 1}
    assert [(action.tool, action.kind, action.target) for action in found.actions] == [("bash", "shell", "hose --on")]
    assert (found.responses, found.unknown, found.problem_count) == (1, {"hello": 1, "mood": 1}, 1)
    assert found.problems == ["byte 275: not a JSON object"]
    assert (found.is_found, found.is_recognised) == (True, True)


def test_nothing_is_stored(tmp_path: Path) -> None:
    tried(tmp_path)
    assert not (tmp_path / "store").exists()


def test_it_says_if_the_file_would_not_be_found_or_recognised(tmp_path: Path) -> None:
    found = tried(tmp_path, b'{"type":"user","message":"Hello"}\n', "other/monday.jsonl")
    assert (found.is_found, found.is_recognised) == (False, False)


def test_what_it_shows_is_redacted(tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4" * 5
    found = tried(tmp_path, json.dumps({"type": "user", "message": f"Use {token}"}).encode())
    assert found.sessions[0].first_prompt.startswith("Use ‹")
    assert token not in str(found)


def test_a_file_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(AfterwitError, match="Cannot read"):
        try_file(world_of(tmp_path / "home", tmp_path / "store"), DESCRIPTION, tmp_path / "nowhere" / "x.jsonl")
