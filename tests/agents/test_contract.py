"""The contract that every reader keeps, on every fixture of lines (`contract_cases` says where they lie).

Documents and texts have their own, in `test_contract_whole`. Adding a reader to the registry puts it under this test;
its fixtures should have every kind of record that it knows.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.agents.contract_cases import (
    DESCRIPTIONS,
    WITH_READER,
    Case,
    agent_of,
    all_cases,
    lines_of,
    read,
    steps,
    whole,
    without_tail,
)
from tests.every import for_every, per_group
from tests.thoroughness import STRIDE, examples

from afterwit.agents.log_reader import FileReading, Shape
from afterwit.agents.registry import agent
from afterwit.model.kinds import EventKind, ReaderEvidence
from afterwit.model.readings import Event, Facts, Problem, Reading, Spend
from afterwit.sources.framing import Framing, Record

CASES = [case for case in all_cases() if case.shape is Shape.LINES]
BLOB = re.compile(r"[A-Za-z0-9+/]{200,}")
YEAR_2000 = 946_684_800_000
INT64 = 1 << 63
MARKER = "zebra-marker"
DEEP = b'{"a":' * 10_000 + b"1" + b"}" * 10_000
WRONG: tuple[Any, ...] = (
    None,
    True,
    -1,
    1e300,
    10**30,
    "7",
    "",
    [],
    {},
    [None, 3, {"type": 5}],
    {"type": [], "text": 1},
)
per_case = per_group("case", CASES, agent_of)
few = settings(max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.too_slow])


class Spy:
    """Notes which records a reading took."""

    def __init__(self, reading: FileReading) -> None:
        self._reading = reading
        self.taken: list[int] = []

    def feed(self, record: Record) -> list[Reading]:
        readings = list(self._reading.feed(record))
        self.taken.append(record.offset)
        return readings


def in_appends(case: Case, stops: list[int]) -> list[Reading]:
    """What runs that read the growing file yield together, each from the state and the place of the last."""
    saved, start = None, 0
    readings: list[Reading] = []
    for stop in [*sorted(stops), len(case.data)]:
        reading = case.start(saved)
        framing = Framing(reading, start)
        readings += without_tail(list(framing.read(lines_of(case.data[start:stop]))))
        saved, start = reading.save(), framing.consumed
    return readings


def said(readings: list[Reading]) -> list[tuple[Any, ...]]:
    """What was read, without the places, which also go into made-up ids and keys."""
    return [
        (each.kind, each.at_ms, each.text, each.tool, each.arguments, each.result)
        for each in readings
        if isinstance(each, Event)
    ]


def check(readings: list[Reading], size: int) -> None:
    for each in readings:
        if isinstance(each, Problem):
            assert each.reason
        else:
            assert isinstance(each.session, str)
            assert each.session
            assert each.at_ms is None or each.at_ms >= YEAR_2000
        if isinstance(each, Event | Problem):
            assert 0 <= each.offset < each.offset + each.length <= size
        if isinstance(each, Event):
            check_event(each)
        if isinstance(each, Spend):
            check_spend(each)
    assert_round_trip(readings)


def check_event(event: Event) -> None:
    assert isinstance(event.kind, EventKind)
    assert not BLOB.search(event.text)
    if event.kind is EventKind.CALL:
        assert event.call_id
        assert event.tool
        assert isinstance(event.arguments, dict)
    elif event.kind is EventKind.RESULT:
        assert event.call_id
        assert event.result is not None
        assert all(abs(number) < INT64 for number in (event.result.exit_code, event.result.duration_ms) if number)


def check_spend(spend: Spend) -> None:
    assert spend.key
    assert all(0 <= tokens < INT64 for tokens in msgspec.structs.astuple(spend.usage))


def assert_round_trip(readings: list[Reading]) -> None:
    """Every field has the type that it should: encoding and strict decoding give the same again."""
    for each in readings:
        assert msgspec.json.decode(msgspec.json.encode(each), type=type(each)) == each


def leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of all fields at any depth."""
    fields: Iterator[tuple[str | int, Any]] = iter(())
    if isinstance(value, dict):
        fields = iter(value.items())
    elif isinstance(value, list):
        fields = iter(enumerate(value))
    for name, inner in fields:
        yield (*path, name)
        yield from leaves(inner, (*path, name))


def spoilt(raw: bytes, every: int = 1) -> Iterator[bytes]:
    """The JSON text with a wrong value in each field in turn, and without it; `every` takes fewer of the fields."""
    value = json.loads(raw)
    for path in list(leaves(value))[::every]:
        holder = value
        for name in path[:-1]:
            holder = holder[name]
        right = holder[path[-1]]
        for wrong in WRONG:
            holder[path[-1]] = wrong
            yield json.dumps(value).encode()
        holder[path[-1]] = right
        yield _without(value, path)


def _without(value: Any, path: tuple[str | int, ...]) -> bytes:
    copy = holder = json.loads(json.dumps(value))
    for name in path[:-1]:
        holder = holder[name]
    del holder[path[-1]]
    return json.dumps(copy).encode()


def marked(value: Any) -> Any:
    """The same record with a marker behind everything that reads like text."""
    if isinstance(value, dict):
        return {name: marked(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [marked(inner) for inner in value]
    return f"{value} {MARKER}" if isinstance(value, str) and " " in value else value


def total(counts: Mapping[str, int]) -> int:
    return sum(counts.values())


@for_every("name", WITH_READER)
def test_every_reader_has_fixtures_and_says_what_it_is(name: str) -> None:
    case = next(each for each in all_cases() if each.agent == name)
    assert case.reader.agent == name
    assert isinstance(case.reader.evidence, ReaderEvidence)


@per_case
def test_a_fixture_is_a_transcript_where_it_lies(case: Case) -> None:
    assert case.reader.primary(case.file.path) == case.file.path
    assert agent(case.agent, DESCRIPTIONS).matches(case.file.path)


@per_case
def test_the_reader_recognises_its_own_log(case: Case) -> None:
    records = [json.loads(line) for line in lines_of(case.data)[:20] if line.startswith(b"{") and is_object(line)]
    assert any(case.reader.sniffs(record) for record in records)


def is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


@per_case
def test_a_fixture_yields_valid_readings_that_lie_at_json_objects(case: Case) -> None:
    readings = list(whole(case))
    check(readings, len(case.data))
    for each in readings:
        if isinstance(each, Event):
            raw = case.data[each.offset : each.offset + each.length]
            assert isinstance(json.loads(raw.decode("utf-8", "replace"), strict=False), dict)


@per_case
def test_reading_twice_gives_the_same(case: Case) -> None:
    assert read(case.start(), case.data) == list(whole(case))


@per_case
def test_every_record_is_counted_as_known_or_unknown(case: Case) -> None:
    reading = case.start()
    spy = Spy(reading)
    list(Framing(spy).read(lines_of(case.data)))
    assert total(reading.known) + total(reading.unknown) >= len(spy.taken)


@per_case
def test_counts_go_on_after_an_append(case: Case) -> None:
    reading, last = case.start(), case.start(case.start().save())
    read(reading, case.data)
    for step in steps(case):
        last = case.start(step.before)
        read(last, step.line, step.offset)
    assert (dict(last.known), dict(last.unknown)) == (dict(reading.known), dict(reading.unknown))


@per_case
def test_appends_of_one_line_equal_the_whole(case: Case) -> None:
    assert in_appends(case, [step.offset for step in steps(case)]) == without_tail(list(whole(case)))


@per_case
def test_a_line_in_two_appends_equals_the_line(case: Case) -> None:
    for step in steps(case):
        for cut_at in range(1, len(step.line), max(1, len(step.line) * STRIDE // 100)):
            first = case.start(step.before)
            framing = Framing(first, step.offset)
            readings = without_tail(list(framing.read([step.line[:cut_at]])))
            rest = step.line[framing.consumed - step.offset :]
            readings += read(case.start(first.save()), rest, framing.consumed)
            assert without_tail(readings) == without_tail(step.readings)


@per_case
@few
@given(data=st.data())
def test_any_split_into_appends_equals_the_whole(case: Case, data: st.DataObject) -> None:
    stops = data.draw(st.lists(st.integers(0, len(case.data)), max_size=8))
    assert in_appends(case, stops) == without_tail(list(whole(case)))


@per_group("case", [case for case in CASES if len(case.data) < 2500], agent_of)
def test_appends_of_one_byte_equal_the_whole(case: Case) -> None:
    assert in_appends(case, list(range(0, len(case.data), STRIDE))) == without_tail(list(whole(case)))


@per_case
def test_a_truncated_file_yields_the_beginning_of_the_readings(case: Case) -> None:
    for step in steps(case):
        for cut_at in range(1, len(step.line), max(1, len(step.line) * STRIDE // 300)):
            readings = without_tail(read(case.start(step.before), step.line[:cut_at], step.offset))
            assert readings == step.readings[: len(readings)]


@per_case
def test_marks_line_ends_blank_lines_and_glue_change_nothing_that_was_said(case: Case) -> None:
    lines = [line.rstrip(b"\n") for line in lines_of(case.data)]
    expected = said(list(whole(case)))
    for variant in (
        b"\xef\xbb\xbf" + case.data,
        b"\r\n".join(lines) + b"\r\n",
        b"\n\n \t\n".join(lines),
        b"".join(lines) + b"\n",
    ):
        assert said(read(case.start(), variant)) == expected


@per_case
@few
@given(data=st.data())
def test_flipped_bytes_are_survived_and_the_other_records_are_read(case: Case, data: st.DataObject) -> None:
    lines = lines_of(case.data)
    hit = data.draw(st.sets(st.integers(0, len(lines) - 1), min_size=1, max_size=3))
    for number in hit:
        place = data.draw(st.integers(0, max(len(lines[number]) - 2, 0)))
        byte = data.draw(st.sampled_from([0, 10, 34, 44, 92, 123, 125, 128, 255]))
        lines[number] = lines[number][:place] + bytes([byte]) + lines[number][place + 1 :]
    spy = Spy(case.start())
    check(list(Framing(spy).read(lines_of(b"".join(lines)))), len(case.data))
    unharmed = {step.offset for number, step in enumerate(steps(case)) if number not in hit and step.line.strip()}
    assert unharmed & taken_of(case) <= set(spy.taken)


@cache
def taken_of(case: Case) -> set[int]:
    spy = Spy(case.start())
    list(Framing(spy).read(lines_of(case.data)))
    return set(spy.taken)


@per_case
@few
@given(noise=st.binary(max_size=60))
def test_noise_between_lines_is_a_problem_and_nothing_else(case: Case, noise: bytes) -> None:
    line = noise.replace(b"\n", b"").replace(b"{", b"") + b"\n"
    data = b"".join(line + each for each in lines_of(case.data)) + b"\n"
    assert said(read(case.start(), data)) == said(list(whole(case)))


@per_case
@for_every(
    "line",
    [
        b"\0" * 5000,
        DEEP,
        b"[" * 10_000,
        b"null",
        b"[]",
        b'"text"',
        b"12",
        b"{",
        b'{"type":"user","role":"user',
    ],
)
def test_a_line_that_is_no_record_is_a_problem_and_nothing_else(case: Case, line: bytes) -> None:
    data = b"\n".join([line, case.data.rstrip(b"\n"), line, b""])
    readings = read(case.start(), data)
    assert said(readings) == said(list(whole(case)))
    assert sum(isinstance(each, Problem) for each in readings) >= 2


@per_case
def test_bytes_that_are_no_object_are_refused_and_change_nothing(case: Case) -> None:
    reading = case.start()
    read(reading, case.data)
    before = reading.save()
    for raw in (b"", b"{", b"[]", b"12", b"null", b'"x"', b'{"type":"user"', b"{}}", b'{"type":NaN}'):
        with pytest.raises(msgspec.DecodeError):
            list(reading.feed(Record(0, len(raw), raw)))
        assert reading.save() == before
    for raw in (b'{"type":"user","role":"user","content":"\xff"}', DEEP):
        reading = case.start(before)
        try:
            list(reading.feed(Record(0, len(raw), raw)))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            assert reading.save() == before


@per_case
def test_bad_text_inside_a_record_is_replaced_and_the_record_is_read(case: Case) -> None:
    for step in steps(case):
        if not is_object(step.line):
            continue
        kinds = [each.kind for each in step.readings if isinstance(each, Event)]
        for bad in (b'"\\ud800', b'"\xff\xfe', b'"\x00\x1b'):
            at = step.line.rfind(b'": "') + 3 if b'": "' in step.line else step.line.rfind(b'":"') + 2
            line = step.line[:at] + bad + step.line[at + 1 :] if at > 2 else step.line
            spy = Spy(case.start(step.before))
            readings = list(Framing(spy, step.offset).read([line]))
            assert spy.taken == [step.offset]
            if kinds:
                assert not any(isinstance(each, Problem) and "decoded" in each.reason for each in readings)


@per_case
def test_a_huge_record_is_read(case: Case) -> None:
    step = next(each for each in steps(case) if is_object(each.line))
    record = {**json.loads(step.line), "padding": "x" * 3_000_000}
    line = json.dumps(record).encode() + b"\n"
    assert said(read(case.start(step.before), line, step.offset)) == said(step.readings)


@per_case
def test_wrong_types_and_missing_fields_never_raise_and_the_next_record_is_read(case: Case) -> None:
    after = json.dumps({"type": MARKER, "role": MARKER}).encode()
    saved: set[bytes] = set()
    for step in steps(case):
        for record in spoilt(step.line, STRIDE) if is_object(step.line) else ():
            line = record + b"\n"
            reading = case.start(step.before)
            check(read(reading, line), len(line))
            assert total(reading.unknown) + total(reading.known) >= 1
            saved.add(reading.save())
    for state in saved:
        check(read(case.start(state), after), len(after))


@per_case
def test_an_unknown_record_type_is_counted_as_unknown(case: Case) -> None:
    reading = case.start()
    read(reading, case.data)
    before = total(reading.unknown)
    line = json.dumps({"type": "never-seen", "role": "never-seen", "timestamp": "2026-05-01T10:00:00Z"}).encode()
    readings = read(reading, line + b"\n", len(case.data))
    assert total(reading.unknown) == before + 1
    assert not any(isinstance(each, Event | Spend) for each in readings)


@per_case
def test_the_state_is_small_and_holds_no_text_of_the_log(case: Case) -> None:
    records = [marked(json.loads(line)) for line in lines_of(case.data) if is_object(line)]
    reading = case.start()
    readings = read(reading, b"\n".join(json.dumps(each).encode() for each in records))
    saved = reading.save()
    assert MARKER.encode() not in saved
    assert len(saved) <= 2000 + 300 * len(records)
    texts = [each.text for each in readings if isinstance(each, Event) and len(each.text) >= 12]
    texts += [each.title for each in readings if isinstance(each, Facts) and len(each.title) >= 12]
    assert not any(text[:60].encode("utf-8", "replace") in saved for text in texts)
