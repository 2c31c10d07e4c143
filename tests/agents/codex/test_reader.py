"""Files, lines and generations: what belongs to Codex, whose thread a file is, and that appends equal the whole."""

import json
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.every import for_every
from tests.thoroughness import examples

from afterwit.agents.codex.reader import CodexReader
from afterwit.agents.log_reader import Reader, SourceFile
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Facts, Problem, Reading, Spend, Usage
from afterwit.sources.framing import Framing, Record

FIXTURES = Path(__file__).parent / "fixtures"
NAMES = sorted({path.stem for path in FIXTURES.glob("*.jsonl")} - {"history"})  # rollouts
THREAD = "01900001-0000-7000-8000-00000000000a"
OTHER = "01900003-0000-7000-8000-00000000000c"


def reading_of(name: str, saved: bytes | None = None) -> Any:
    return CodexReader().start(SourceFile(PurePosixPath(f"sessions/rollout-{name}.jsonl"), lambda _: None), saved)


def meta(thread: str) -> bytes:
    return json.dumps({"type": "session_meta", "payload": {"id": thread, "cwd": "/srv/a"}}).encode() + b"\n"


def test_it_is_a_reader() -> None:
    reader: Reader = CodexReader()
    assert reader.agent == "codex"


@pytest.mark.parametrize(
    "path",
    [
        f"sessions/2026/05/01/rollout-2026-05-01T10-00-00-{THREAD}.jsonl",
        f"sessions/2026/05/01/rollout-2026-05-01T10-00-00-{THREAD}.jsonl.zst",
        f"archived_sessions/rollout-2026-05-01T10-00-00-{THREAD}.jsonl",
        "sessions/rollout-2025-05-07-5973b6c0.jsonl",
    ],
)
def test_a_rollout_is_its_own_transcript(path: str) -> None:
    assert CodexReader().primary(PurePosixPath(path)) == PurePosixPath(path)


@pytest.mark.parametrize("path", ["session_index.jsonl", "log/rollout-1.jsonl", "sessions/a.jsonl"])
def test_other_files_are_not_transcripts(path: str) -> None:
    assert CodexReader().primary(PurePosixPath(path)) is None


@for_every("name", NAMES)
def test_the_first_record_of_every_generation_is_recognised(name: str) -> None:
    first = (FIXTURES / f"{name}.jsonl").read_text().splitlines()[0]
    assert CodexReader().sniffs(json.loads(first))


def test_records_of_other_agents_are_not_recognised() -> None:
    for record in ({"type": "user", "message": {}}, {"role": "user"}, {"type": ["session_meta"], "payload": {}}):
        assert not CodexReader().sniffs(record)


def test_one_turn_gives_each_thing_once(read: Callable[[str], Any]) -> None:
    whole = read("plain")
    assert [(event.kind.value, event.text) for event in whole.events if event.kind is not EventKind.NOTICE] == [
        ("prompt", "Count the trees"),
        ("thought", "**Counting**"),
        ("reply", "I count them row by row."),
        ("call", ""),
        ("result", "42 trees.txt\n"),
        ("reply", "There are 42 trees."),
    ]
    assert {event.session for event in whole.events} == {THREAD}
    assert not whole.problems
    assert not whole.reading.unknown


def test_injected_text_is_a_notice(read: Callable[[str], Any]) -> None:
    notices = read("plain").texts(EventKind.NOTICE)
    assert [text.split("\n")[0] for text in notices] == [
        "<permissions instructions>",
        "# AGENTS.md instructions for /srv/orchard",
    ]


def test_encrypted_reasoning_is_never_read(read: Callable[[str], Any]) -> None:
    assert "not-to-be-read" not in repr(read("plain").readings)


def test_the_head_of_a_file_gives_facts(read: Callable[[str], Any]) -> None:
    head, title = read("plain").facts
    assert head == Facts(
        session=THREAD,
        at_ms=1777629600000,
        cwd="/srv/orchard",
        branch="main",
        remote="git@git.example:fruit/orchard.git",
        version="0.118.0",
        origin="codex-tui",
        provider="openai",
    )
    assert title.title == "Tree census"


def test_repeated_token_counts_are_one_response(read: Callable[[str], Any]) -> None:
    first, second = read("plain").spends
    assert first == Spend(
        session=THREAD,
        key=f"{THREAD}:1000:50:1050",
        model="gpt-5.4",
        usage=Usage(input=200, cache_read=800, output=50, reasoning=10),
        at_ms=1777629612000,
    )
    assert second.usage == Usage(input=200, cache_read=1000, output=30)


def test_records_are_counted_by_type(read: Callable[[str], Any]) -> None:
    known = read("plain").reading.known
    assert known["event_msg/token_count"] == 4
    assert known["response_item/message"] == 5
    assert known["session_meta"] == 1


def test_items_without_envelope_are_read(read: Callable[[str], Any]) -> None:
    whole = read("bare")
    assert [(event.kind.value, event.text) for event in whole.events] == [
        ("notice", "<environment_context>\n</environment_context>"),
        ("prompt", "Label the seeds"),
        ("thought", "Seeds."),
        ("call", ""),
        ("result", "beans\n"),
        ("reply", "Labelled."),
    ]
    assert {event.session for event in whole.events} == {"5973b6c0-94b8-487b-a530-2aeb6098ae0e"}
    assert whole.facts[0].branch == "spring"
    assert whole.reading.known["state"] == 2
    assert not whole.reading.unknown


def test_the_document_of_the_first_client_is_read_if_it_is_one_line(read: Callable[[str], Any]) -> None:
    whole = read("typescript")
    assert [event.kind.value for event in whole.events] == ["prompt", "call", "result"]
    assert {event.session for event in whole.events} == {"ae0e94b8487ba530"}


def test_a_damaged_head_leaves_the_thread_to_the_name(read_bytes: Callable[[bytes, str], Any]) -> None:
    prompt = b'{"type":"response_item","payload":{"type":"message","role":"user","content":"hi"}}\n'
    whole = read_bytes(b'{"type":"session_me\n' + meta(THREAD) + prompt, f"sessions/rollout-2026-{OTHER}.jsonl")
    assert whole.events[0].session == OTHER
    assert not whole.facts


def test_a_reverted_thread_keeps_the_first_id_of_its_name(read_bytes: Callable[[bytes, str], Any]) -> None:
    notice = b'{"type":"event_msg","payload":{"type":"error","message":"x"}}\n'
    whole = read_bytes(notice, f"sessions/rollout-2026-05-01T10-00-00-{THREAD}_{OTHER}.jsonl.zst")
    assert whole.events[0].session == THREAD


def test_a_name_without_id_is_the_session(read_bytes: Callable[[bytes, str], Any]) -> None:
    notice = b'{"type":"event_msg","payload":{"type":"error","message":"x"}}\n'
    assert read_bytes(notice, "sessions/rollout-spring.jsonl").events[0].session == "rollout-spring"


@pytest.mark.parametrize("raw", [b"[1]", b"7", b'"x"', b"null", b'{"type":', b'{"type":1,"payload":}', b""])
def test_what_is_no_object_is_refused_and_changes_nothing(raw: bytes) -> None:
    reading = reading_of("plain")
    before = reading.save()
    with pytest.raises(msgspec.DecodeError):
        reading.feed(Record(0, len(raw), raw))
    assert reading.save() == before


def test_unknown_types_are_counted_and_odd_shapes_are_problems(read: Callable[[str], Any]) -> None:
    whole = read("trouble")
    assert whole.reading.unknown == {"weather_report": 1, "event_msg/tea_served": 1, "response_item/harvest_moon": 1}
    assert [problem.reason for problem in whole.problems] == [
        "function_call without a call_id",
        "response_item: payload is not usable",
        "response_item/message: content[1] is not usable",
    ]
    assert whole.call("call_odd").tool == "7"
    assert whole.texts(EventKind.PROMPT)[-1] == "bare\nparts"
    assert whole.spends[-1].usage == Usage(input=12, output=3)


def test_unknown_names_are_bounded() -> None:
    reading = reading_of("plain")
    for number in range(300):
        raw = json.dumps({"type": f"{number}" + "x" * 500, "payload": {}}).encode()
        reading.feed(Record(0, len(raw), raw))
    assert len(reading.unknown) == 101
    assert max(map(len, reading.unknown)) == 80
    assert sum(reading.unknown.values()) == 300


def read_in_appends(data: bytes, name: str, cuts: list[int]) -> list[Reading]:
    """Reads a growing file: each time from where the last run stopped, with the state it left."""
    readings: list[Reading] = []
    saved, consumed = None, 0
    for end in [*sorted(cuts), len(data)]:
        reading = reading_of(name, saved)
        framing = Framing(reading, consumed)
        found = list(framing.read(data[consumed:end].splitlines(keepends=True)))
        readings += [
            one for one in found if not isinstance(one, Problem) or end == len(data) or "finished" not in one.reason
        ]
        saved, consumed = reading.save(), framing.consumed
    return readings


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=examples(15), deadline=None)
@given(data=st.data())
def test_any_appends_equal_the_whole(name: str, data: st.DataObject) -> None:
    raw = (FIXTURES / f"{name}.jsonl").read_bytes()
    cuts = data.draw(st.lists(st.integers(0, len(raw)), max_size=6))
    assert read_in_appends(raw, name, cuts) == read_in_appends(raw, name, [])


@for_every("name", NAMES)
def test_the_state_is_small_and_holds_no_text(name: str) -> None:
    raw = (FIXTURES / f"{name}.jsonl").read_bytes()
    reading = reading_of(name)
    texts = [getattr(one, "text", "") for one in Framing(reading).read(raw.splitlines(keepends=True))]
    saved = reading.save().decode("utf-8", "replace")
    assert len(saved) < 4_000
    assert not [text for text in texts if len(text) > 8 and text in saved]
    assert "/srv/orchard" not in saved
