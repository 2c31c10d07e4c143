"""Reading on from a saved state equals reading the whole, wherever the file was cut."""

from pathlib import Path, PurePosixPath

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.every import for_every
from tests.thoroughness import examples

from afterwit.agents.claude_code.reader import ClaudeCodeReader
from afterwit.agents.log_reader import SourceFile
from afterwit.model.readings import Problem, Reading
from afterwit.sources.framing import Framing, Record

FIXTURES = sorted(
    set((Path(__file__).parent / "fixtures").glob("*.jsonl")) - {Path(__file__).parent / "fixtures/history.jsonl"}
)


def source(name: str) -> SourceFile:
    return SourceFile(PurePosixPath("projects/p") / name, lambda _: None)


def whole(path: Path) -> tuple[list[Reading], bytes]:
    reading = ClaudeCodeReader().start(source(path.name))
    readings = list(Framing(reading).read(path.read_bytes().splitlines(keepends=True)))
    return readings, reading.save()


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_a_state_saved_after_every_record_changes_nothing(path: Path) -> None:
    readings: list[Reading] = []
    saved: bytes | None = None
    offset = 0
    for line in path.read_bytes().splitlines(keepends=True):
        reading = ClaudeCodeReader().start(source(path.name), saved)
        readings += Framing(reading, offset).read([line])
        offset += len(line)
        saved = reading.save()
    assert (readings, saved) == whole(path)


@given(data=st.data())
@settings(max_examples=examples(60), deadline=None)
def test_any_cut_in_bytes_equals_the_whole(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(FIXTURES))
    content = path.read_bytes()
    cut = data.draw(st.integers(0, len(content)))
    first = ClaudeCodeReader().start(source(path.name))
    framing = Framing(first)
    readings = [reading for reading in framing.read(content[:cut].splitlines(keepends=True)) if not _is_end(reading)]
    second = ClaudeCodeReader().start(source(path.name), first.save())
    readings += Framing(second, framing.consumed).read(content[framing.consumed :].splitlines(keepends=True))
    assert (readings, second.save()) == whole(path)


def _is_end(reading: Reading) -> bool:
    return isinstance(reading, Problem) and "not finished" in reading.reason


@for_every("raw", [b"", b"{", b"[1]", b'"text"', b"17", b"null", b'{"type":"user"} x', b'{"type":"\\ud800"}'])
def test_bytes_that_are_no_object_raise_and_change_nothing(raw: bytes) -> None:
    reading = ClaudeCodeReader().start(source("s.jsonl"))
    before = reading.save()
    with pytest.raises(msgspec.DecodeError):
        reading.feed(Record(0, len(raw), raw))
    assert reading.save() == before


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
_NAMES = """
    type subtype uuid parentUuid sessionId session_id timestamp cwd version message toolUseResult data attachment
    content error isMeta isSidechain agentId origin forkedFrom modelUsage usage operation prUrl leafUuid
"""
_FIELDS = st.sampled_from(sorted(_NAMES.split()))


@given(
    kind=st.sampled_from(["user", "assistant", "system", "progress", "attachment", "result", "summary", "pr-link"]),
    fields=st.dictionaries(_FIELDS, _JSON, max_size=6),
    content=_JSON,
)
@settings(max_examples=examples(200), deadline=None)
def test_no_shape_of_a_record_raises(kind: str, fields: dict[str, object], content: object) -> None:
    record = {"message": {"content": content}, "subtype": "api_error", "type": kind} | fields
    reading = ClaudeCodeReader().start(source("s.jsonl"))
    raw = msgspec.json.encode(record)
    reading.feed(Record(0, len(raw), raw))
    assert sum(reading.known.values()) + sum(reading.unknown.values()) == 1


def test_the_state_holds_no_text_of_the_log() -> None:
    for path in FIXTURES:
        saved = whole(path)[1]
        for word in (b"make the build", b"/w/app", b"Mend", b"acme", b"commit when", b"Overloaded", b"parser"):
            assert word not in saved
