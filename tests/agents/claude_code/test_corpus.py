"""Real transcripts: what the reader sees against a plain count over the same lines."""

import json
import os
from collections import Counter
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from afterwit.agents.claude_code.reader import ClaudeCodeReader
from afterwit.agents.log_reader import SourceFile
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Event, Problem, Reading, Spend
from afterwit.sources.framing import Framing

HOME = Path(os.environ.get("AFTERWIT_CORPUS", "")) / ".claude"
pytestmark = pytest.mark.skipif("AFTERWIT_CORPUS" not in os.environ, reason="AFTERWIT_CORPUS is not set")


def read(path: Path) -> tuple[list[Reading], Counter[str]]:
    reading = ClaudeCodeReader().start(SourceFile(PurePosixPath(path.relative_to(HOME)), lambda _: None))
    with path.open("rb") as lines:
        return list(Framing(reading).read(lines)), Counter(reading.unknown)


def messages(path: Path) -> list[dict[str, Any]]:
    """The user and assistant records of a file, with those inside progress records."""
    records = [json.loads(line) for line in path.read_bytes().splitlines() if line.strip()]
    nested = [record["data"].get("message") for record in records if record.get("type") == "progress"]
    return [record for record in [*records, *nested] if record and record.get("type") in ("user", "assistant")]


def blocks(records: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    contents = [record["message"]["content"] for record in records]
    return [block for content in contents if isinstance(content, list) for block in content if block["type"] == kind]


def transcripts() -> list[Path]:
    return sorted(HOME.glob("projects/**/*.jsonl"))


def test_nothing_in_the_corpus_is_unknown_or_unreadable() -> None:
    unknown: Counter[str] = Counter()
    problems: list[Problem] = []
    for path in transcripts():
        readings, counts = read(path)
        unknown += counts
        problems += [reading for reading in readings if isinstance(reading, Problem)]
    assert (unknown, problems) == (Counter(), [])


def test_calls_results_and_responses_equal_a_plain_count() -> None:
    for path in transcripts():
        records = messages(path)
        events = [reading for reading in read(path)[0] if isinstance(reading, Event)]
        called = Counter(event.call_id for event in events if event.kind is EventKind.CALL)
        answered = Counter(event.call_id for event in events if event.kind is EventKind.RESULT)
        assert called == Counter(block["id"] for block in blocks(records, "tool_use"))
        assert answered == Counter(block["tool_use_id"] for block in blocks(records, "tool_result"))
        spent = {reading.key for reading in read(path)[0] if isinstance(reading, Spend)}
        assert spent == {
            record["message"]["id"]
            for record in records
            if record["type"] == "assistant" and record["message"]["model"] != "<synthetic>"
        }


def test_prompts_equal_a_plain_count() -> None:
    for path in transcripts():
        events = [reading for reading in read(path)[0] if isinstance(reading, Event)]
        prompts = [event for event in events if event.kind is EventKind.PROMPT]
        typed = [record for record in map(json.loads, path.read_bytes().splitlines()) if _is_typed(record)]
        from_queue = [event for event in prompts if event.key.startswith("queued:")]
        delivered = [event for event in prompts if not event.key.startswith("queued:")]
        repeated = Counter(_text(record).strip() for record in typed) & Counter(e.text.strip() for e in from_queue)
        assert len(delivered) == len(typed) - sum(repeated.values())


def _is_typed(record: dict[str, Any]) -> bool:
    if record["type"] == "attachment":
        return bool(record["attachment"].get("commandMode") == "prompt")
    if record["type"] != "user" or record.get("isMeta") or record.get("isCompactSummary"):
        return False
    text = _text(record)
    content = record["message"]["content"]
    has_picture = isinstance(content, list) and any(block["type"] == "image" for block in content)
    is_marked = text.startswith(("<command-", "<local-command-", "<task-notification>", "[Request interrupted"))
    return has_picture or (bool(text.strip()) and not is_marked)


def _text(record: dict[str, Any]) -> str:
    content = record["attachment"]["prompt"] if record["type"] == "attachment" else record["message"]["content"]
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in content if block["type"] == "text")
