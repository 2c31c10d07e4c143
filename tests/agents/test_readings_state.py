"""What readers saved in a store by earlier versions is read on."""

from pathlib import PurePosixPath

import msgspec
import pytest

from afterwit.agents.log_reader import ReadingMemory, SourceFile, resumed
from afterwit.agents.registry import reader_for


@pytest.mark.parametrize("encode", [msgspec.json.encode, msgspec.msgpack.encode])
def test_a_state_is_resumed_in_either_form(encode: object) -> None:
    memory = ReadingMemory()
    memory.count("user", is_known=True)
    assert memory.is_new("child", "one")
    saved = encode(memory)  # type: ignore[operator]
    again = resumed(ReadingMemory, saved)
    assert again == memory
    assert not again.is_new("child", "one")


@pytest.mark.parametrize(
    ("agent", "path", "state"),
    [
        ("claude-code", "projects/p/a.jsonl", {"known": {"user": 3}, "children": ["a"], "told": {"cwd": "aa"}}),
        ("claude-code", "history.jsonl", {"known": {"prompt": 3}, "unknown": {}}),
        ("codex", "sessions/rollout-a.jsonl", {"number": 3, "known": {"session_meta": 3}, "totals": [1, 2, 3]}),
    ],
)
def test_the_state_of_a_reader_that_wrote_json_is_resumed(agent: str, path: str, state: dict[str, object]) -> None:
    reader = reader_for(agent)
    assert reader is not None
    reading = reader.start(SourceFile(PurePosixPath(path), lambda _: None), msgspec.json.encode(state))
    assert sum(reading.known.values()) == 3
