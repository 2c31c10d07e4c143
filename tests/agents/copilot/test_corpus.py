"""Real sessions against a plain count with `json`. Needs AFTERWIT_CORPUS, the path of a home folder."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.agents.transcripts import read

from afterwit.agents.copilot.reader import CopilotReader
from afterwit.model.kinds import EventKind

CORPUS = os.environ.get("AFTERWIT_CORPUS")
pytestmark = pytest.mark.skipif(not CORPUS, reason="AFTERWIT_CORPUS names no home folder with real sessions")
HOME = Path(CORPUS or "") / ".copilot"


def sessions() -> list[Path]:
    return sorted(HOME.glob("session-state/*/events.jsonl")) if CORPUS else []


def data_of(path: Path, kind: str) -> list[dict[str, Any]]:
    records = [json.loads(line) for line in path.read_text().splitlines()]
    return [record["data"] for record in records if record["type"] == kind]


@pytest.mark.parametrize("path", sessions(), ids=lambda path: path.parent.name[:8])
def test_a_session_yields_what_a_plain_count_finds(path: Path) -> None:
    transcript = read(CopilotReader(), path.relative_to(HOME).as_posix(), path.read_bytes())
    messages = data_of(path, "assistant.message")
    ended = data_of(path, "tool.execution_complete")
    calls = [event.call_id for event in transcript.events if event.kind is EventKind.CALL]
    assert sorted(calls) == sorted(data["toolCallId"] for data in data_of(path, "tool.execution_start"))
    results = [event for event in transcript.events if event.result]
    assert [event.call_id for event in results] == [data["toolCallId"] for data in ended]
    assert [event.result.is_error for event in results if event.result] == [not data["success"] for data in ended]
    assert transcript.texts(EventKind.PROMPT) == [data["content"] for data in data_of(path, "user.message")]
    assert transcript.texts(EventKind.REPLY) == [data["content"] for data in messages if data["content"]]
    assert len(transcript.texts(EventKind.THOUGHT)) == sum(bool(data.get("reasoningText")) for data in messages)
    assert transcript.facts[0].cwd == data_of(path, "session.start")[0]["context"]["cwd"]
    assert not transcript.reading.unknown
    assert not transcript.problems


@pytest.mark.parametrize("path", sessions(), ids=lambda path: path.parent.name[:8])
def test_tokens_are_those_of_the_shutdown_or_else_of_the_messages(path: Path) -> None:
    usage = read(CopilotReader(), path.relative_to(HOME).as_posix(), path.read_bytes()).usage()
    ends = data_of(path, "session.shutdown")
    stated = [metric["usage"] for end in ends for metric in end["modelMetrics"].values()]
    written = sum(data["outputTokens"] for data in data_of(path, "assistant.message"))
    assert usage.output == max(written, sum(each["outputTokens"] for each in stated))
    assert usage.input + usage.cache_read + usage.cache_write == sum(each["inputTokens"] for each in stated)
