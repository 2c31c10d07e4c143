"""Real sessions against a plain count with `json`. Needs AFTERWIT_CORPUS, the path of a home folder."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.agents.transcripts import read

from afterwit.agents.gemini.reader import GeminiReader
from afterwit.model.kinds import EventKind

CORPUS = os.environ.get("AFTERWIT_CORPUS")
pytestmark = pytest.mark.skipif(not CORPUS, reason="AFTERWIT_CORPUS names no home folder with real sessions")
HOME = Path(CORPUS or "") / ".gemini"
CONTINUED = "System: Please continue."


def documents() -> list[Path]:
    return sorted(HOME.glob("tmp/*/chats/session-*.json")) if CORPUS else []


def of_type(messages: list[dict[str, Any]], *kinds: str) -> list[dict[str, Any]]:
    return [message for message in messages if message["type"] in kinds]


@pytest.mark.parametrize("path", documents(), ids=lambda path: path.stem[-8:])
def test_a_document_yields_what_a_plain_count_finds(path: Path) -> None:
    transcript = read(GeminiReader(), path.relative_to(HOME).as_posix(), path.read_bytes())
    document = json.loads(path.read_text())
    messages, replies = document["messages"], of_type(document["messages"], "gemini")
    calls = [call for message in replies for call in message.get("toolCalls", [])]
    typed = [each["content"] for each in of_type(messages, "user") if each["content"] != CONTINUED]
    assert transcript.texts(EventKind.PROMPT) == typed
    assert len(transcript.texts(EventKind.NOTICE)) == len(messages) - len(replies) - len(typed)
    assert transcript.texts(EventKind.REPLY) == [each["content"] for each in replies if each["content"].strip()]
    assert len(transcript.texts(EventKind.THOUGHT)) == sum(len(each.get("thoughts", [])) for each in replies)
    assert [event.call_id for event in transcript.events if event.kind is EventKind.CALL] == [c["id"] for c in calls]
    assert [event.result.is_error for event in transcript.events if event.result] == [
        call["status"] != "success" for call in calls
    ]
    usage, tokens = transcript.usage(), [message["tokens"] for message in replies]
    assert usage.input + usage.cache_read == sum(each["input"] + each["tool"] for each in tokens)
    assert usage.output == sum(each["output"] + each["thoughts"] for each in tokens)
    assert {event.session for event in transcript.events} <= {document["sessionId"]}
    assert not transcript.reading.unknown
    assert not transcript.problems
