"""Prompt histories: what is read from them, and that they stand beside the transcripts of their agent.

The fixtures are `<agent>/fixtures/history.jsonl`.
"""

from pathlib import Path, PurePosixPath

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.agents.contract_cases import lines_of, read
from tests.thoroughness import examples

from afterwit.agents.claude_code.reader import ClaudeCodeReader
from afterwit.agents.codex.reader import CodexReader
from afterwit.agents.log_reader import SourceFile
from afterwit.agents.prompt_history import HISTORY, UNNAMED, HistoryBesideReader
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Event, Facts, Problem, Reading
from afterwit.sources.framing import Framing

FILE = SourceFile(HISTORY, lambda _: None)
READERS = {"claude_code": ClaudeCodeReader(), "codex": CodexReader()}
FIRST = "5ea50001-aaaa-4aaa-8aaa-000000000001"
THREAD = "01900001-0000-7000-8000-00000000000a"

each_agent = pytest.mark.parametrize("folder", READERS)


def data(folder: str) -> bytes:
    return (Path(__file__).parent / folder / "fixtures" / "history.jsonl").read_bytes()


def readings(folder: str) -> list[Reading]:
    return read(READERS[folder].start(FILE), data(folder))


def events(folder: str, session: str) -> list[Event]:
    return [one for one in readings(folder) if isinstance(one, Event) and one.session == session]


def test_prompts_have_their_session_time_and_text() -> None:
    found = [one for one in events("claude_code", FIRST) if one.kind is EventKind.PROMPT]
    assert (found[0].at_ms, found[0].text) == (1_777_630_001_000, "Count the trees")
    assert [(one.at_ms, one.text) for one in events("codex", THREAD)] == [
        (1_777_630_000_000, "Prune the apples"),
        (1_777_630_060_000, "Now the pears"),
    ]


def test_short_pastes_are_put_in_their_place_and_long_ones_keep_their_mark() -> None:
    text = events("claude_code", FIRST)[2].text
    assert text == "Sort this: apple\npear\nplum and this: [Pasted text #2 +900 lines]"


def test_commands_to_the_client_are_notices() -> None:
    kinds = [one.kind for one in events("claude_code", FIRST)]
    assert kinds == [EventKind.NOTICE, EventKind.PROMPT, EventKind.PROMPT, EventKind.NOTICE]


def test_every_session_is_told_to_be_partial_with_its_folder() -> None:
    facts = [one for one in readings("claude_code") if isinstance(one, Facts)]
    assert all(one.is_partial for one in facts)
    assert {one.cwd for one in facts if one.session == FIRST} == {"/srv/orchard"}
    assert all(one.cwd == "" for one in readings("codex") if isinstance(one, Facts))


def test_lines_without_a_session_are_one_session_for_each_folder_and_day() -> None:
    unnamed = [one for one in readings("claude_code") if isinstance(one, Event) and one.session.startswith(UNNAMED)]
    assert [one.text for one in unnamed] == [
        "Which trees need pruning?",
        "And the pears?",
        "How full are the barrels?",
        "Undated",
    ]
    assert unnamed[0].session == unnamed[1].session != unnamed[2].session
    assert unnamed[0].session.startswith(f"{UNNAMED}2026-01-01/")
    assert unnamed[3].session.startswith(f"{UNNAMED}undated/")
    assert all("srv" not in one.session for one in unnamed)


def test_the_same_line_in_a_copy_of_the_file_has_the_same_key() -> None:
    again = read(READERS["codex"].start(FILE), b"\n\n" + data("codex"))
    keys = [one.key for one in again if isinstance(one, Event)]
    assert keys == [one.key for one in readings("codex") if isinstance(one, Event)]
    assert len(set(keys)) == len(keys)


def test_what_is_no_prompt_is_counted_and_what_cannot_be_used_is_a_problem() -> None:
    reading = READERS["claude_code"].start(FILE)
    found = read(reading, data("claude_code"))
    assert (reading.known, reading.unknown) == ({"prompt": 10}, {"(no prompt)": 1})
    assert [one.reason for one in found if isinstance(one, Problem)] == ["prompt: cannot use display"]


@each_agent
@settings(max_examples=examples(20), deadline=None)
@given(draw=st.data())
def test_any_split_into_appends_equals_the_whole(folder: str, draw: st.DataObject) -> None:
    whole = data(folder)
    stops = draw.draw(st.lists(st.integers(0, len(whole)), max_size=4).map(sorted))
    saved, start, found = None, 0, list[Reading]()
    for stop in [*stops, len(whole)]:
        reading = READERS[folder].start(FILE, saved)
        framing = Framing(reading, start)
        pieces = framing.read(lines_of(whole[start:stop]))
        found += [one for one in pieces if not (isinstance(one, Problem) and one.is_passing)]
        saved, start = reading.save(), framing.consumed
    assert found == readings(folder)


@each_agent
def test_fields_of_a_wrong_type_never_stop_the_reading(folder: str) -> None:
    line = msgspec.json.decode(lines_of(data(folder))[0])
    for field in line:
        for wrong in (None, True, -1, 1e300, 10**30, "", "7", [], {}, [None, {"content": 1}], {"1": "x"}):
            found = read(READERS[folder].start(FILE), msgspec.json.encode({**line, field: wrong}) + b"\n")
            assert found


@each_agent
def test_the_state_holds_no_text_of_the_log(folder: str) -> None:
    reading = READERS[folder].start(FILE)
    read(reading, data(folder))
    assert b"prun" not in reading.save().lower()


@pytest.mark.parametrize(
    ("joined", "transcript"),
    [(ClaudeCodeReader(), "projects/p/a.jsonl"), (CodexReader(), "sessions/rollout-1.jsonl")],
)
def test_the_history_is_read_beside_the_transcripts(joined: HistoryBesideReader, transcript: str) -> None:
    assert joined.primary(HISTORY) == HISTORY
    assert joined.primary(PurePosixPath(transcript)) == PurePosixPath(transcript)
    assert joined.primary(PurePosixPath("elsewhere/history.jsonl")) is None
    assert type(joined.start(FILE)) is not type(joined.start(SourceFile(PurePosixPath(transcript), lambda _: None)))


@pytest.mark.parametrize(("folder", "reader"), READERS.items())
def test_each_history_is_recognised_by_its_own_reader_alone(folder: str, reader: HistoryBesideReader) -> None:
    for other in READERS:
        records = [msgspec.json.decode(line) for line in lines_of(data(other))]
        assert any(reader.sniffs(record) for record in records) == (other == folder)
