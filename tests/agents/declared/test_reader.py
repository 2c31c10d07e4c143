import json
from pathlib import Path, PurePosixPath
from typing import Any, cast

import pytest
from tests.every import for_every

from afterwit.agents.declared.parsing import description_from
from afterwit.agents.declared.reader import DeclaredReader, DeclaredReading
from afterwit.agents.log_reader import Shape, SourceFile
from afterwit.model.kinds import EventKind, ReaderEvidence, Relation
from afterwit.model.readings import Event, Facts, Reading, Result, Spend, Usage
from afterwit.sources.framing import Framing

FIXTURES = Path(__file__).parent / "fixtures"
HEAD = 'name = "tinker"\ntranscripts = "*.jsonl"\nsniff = { type = "hello" }\n'
PROMPT = '[[event]]\nwhen = { type = "user" }\nkind = "prompt"\ntext = "text"\n'


def reader_of(text: str) -> DeclaredReader:
    return DeclaredReader(description_from(text, "tinker.toml"))


def started(text: str, path: str = "runs/monday.log.jsonl") -> DeclaredReading:
    return cast(DeclaredReading, reader_of(text).start(SourceFile(PurePosixPath(path), lambda _: None)))


def read(text: str, *records: dict[str, Any], path: str = "runs/monday.log.jsonl") -> list[Reading]:
    lines = [json.dumps(record).encode() + b"\n" for record in records]
    return list(Framing(started(text, path)).read(lines))


def events(text: str, *records: dict[str, Any], path: str = "runs/monday.log.jsonl") -> list[Event]:
    return [each for each in read(text, *records, path=path) if isinstance(each, Event)]


def fixture(name: str) -> list[Reading]:
    reading = started((FIXTURES / f"{name}.toml").read_text())
    return list(Framing(reading).read((FIXTURES / f"{name}.jsonl").read_bytes().splitlines(keepends=True)))


def result_of(rule: str, record: dict[str, Any]) -> Result:
    found = events(f'{HEAD}[[event]]\nkind = "result"\n{rule}', record)[0].result
    assert found is not None
    return found


def test_a_chat_log_is_read_by_its_description() -> None:
    found = fixture("tinker")
    said = [(each.kind.value, each.text or each.tool) for each in found if isinstance(each, Event)]
    assert said == [
        ("notice", "Be brief.\nAsk before digging."),
        ("prompt", "Water the tomato beds, please"),
        ("thought", "The hose is behind the shed."),
        ("reply", "I look at the hose first."),
        ("call", "shell"),
        ("call", "read_file"),
        ("result", "hose: no such valve\nvalve"),
        ("result", '{"lines":["bed 1: tomatoes","bed 2: beans"]}'),
        ("model-error", "overloaded, try later"),
        ("compaction", "Beds are known; the valve is missing."),
        ("reply", "I open the other valve."),
        ("call", "shell"),
        ("result", "water flows"),
    ]
    assert {each.session for each in found if isinstance(each, Event)} == {"c-77"}
    facts = next(each for each in found if isinstance(each, Facts))
    assert (facts.cwd, facts.branch, facts.version) == ("/w/garden", "main", "0.4.1")
    assert (facts.parent, facts.relation) == ("c-76", Relation.RESUME)
    spend = next(each for each in found if isinstance(each, Spend))
    assert (spend.model, spend.key) == ("sprout-2", "c-77:r-1")
    assert spend.usage == Usage(input=300, cache_read=600, output=45, reasoning=12)


def test_an_id_that_comes_again_is_another_call() -> None:
    found = [each for each in fixture("tinker") if isinstance(each, Event) and each.call_id]
    assert [(each.kind.value, each.call_id) for each in found] == [
        ("call", "call_0"),
        ("call", "call_1"),
        ("result", "call_0"),
        ("result", "call_1"),
        ("call", "call_0#2"),
        ("result", "call_0#2"),
    ]


def test_an_event_log_of_several_sessions_without_call_ids_is_read_by_its_description() -> None:
    found = [each for each in fixture("lathe") if isinstance(each, Event)]
    calls = {each.call_id: each for each in found if each.kind is EventKind.CALL}
    results = [each for each in found if each.kind is EventKind.RESULT]
    joined = [(calls[each.call_id].session, calls[each.call_id].tool, each.session, each.result) for each in results]
    assert joined == [
        ("run-0001-aaaa", "shell", "run-0001-aaaa", Result(exit_code=2, duration_ms=1250)),
        ("run-0001-aaaa", "patch", "run-0001-aaaa", Result(is_error=True)),
        ("run-0002-bbbb", "patch", "run-0002-bbbb", Result(is_error=False)),
        ("run-0001-aaaa", "shell", "run-0001-aaaa", Result(exit_code=137, is_cancelled=True)),
    ]
    assert calls["at-202-0"].arguments == {"command": "make shaft", "workdir": "/w/mill"}


def test_the_model_is_remembered_by_session() -> None:
    spends = [each for each in fixture("lathe") if isinstance(each, Spend)]
    assert [(each.model, each.cost_usd) for each in spends] == [("bore-1", 0.002)]


@pytest.mark.parametrize(
    ("more", "path", "session"),
    [
        ("", "runs/monday.log.jsonl", "monday"),
        ('session_from = "folder"', "runs/monday.log.jsonl", "runs"),
        ('session_from = "folder"', "monday.jsonl", "monday"),
        ('session = "sid"', "runs/monday.jsonl", "s-1"),
        ('session = ["run.id", "sid"]', "runs/monday.jsonl", "s-1"),
        ('session = "number"', "runs/monday.jsonl", "42"),
    ],
)
def test_a_session_is_named_by_a_field_or_by_the_file(more: str, path: str, session: str) -> None:
    record = {"type": "user", "text": "Hello", "sid": "s-1", "number": 42}
    assert [each.session for each in events(f"{HEAD}{more}\n{PROMPT}", record, path=path)] == [session]


def test_a_record_without_a_session_belongs_to_the_last_one() -> None:
    first = {"type": "hello", "sid": "s-1"}
    found = events(f'{HEAD}session = "sid"\n{PROMPT}', first, {"type": "user", "text": "Hello"})
    assert [each.session for each in found] == ["s-1"]


def test_a_session_name_that_is_a_text_becomes_a_hash() -> None:
    record = {"type": "user", "text": "Hello", "sid": "a name with blanks"}
    reading = started(f'{HEAD}session = "sid"\n{PROMPT}')
    found = list(Framing(reading).read([json.dumps(record).encode() + b"\n"]))
    assert isinstance(found[0], Event)
    assert found[0].session.isalnum()
    assert b"blanks" not in reading.save()


@for_every(
    "unit, value, at_ms",
    [
        ("auto", "2026-05-01T10:00:00Z", 1_777_629_600_000),
        ("auto", 1_777_629_600, 1_777_629_600_000),
        ("auto", 1_777_629_600_123, 1_777_629_600_123),
        ("s", 1_777_629_600.5, 1_777_629_600_500),
        ("s", "1777629600", 1_777_629_600_000),
        ("ms", 1_777_629_600_123, 1_777_629_600_123),
        ("us", 1_777_629_600_123_000, 1_777_629_600_123),
        ("ns", 1_777_629_600_123_000_000, 1_777_629_600_123),
        ("ns", "2026-05-01T10:00:00Z", 1_777_629_600_000),
        ("auto", "yesterday", None),
        ("s", True, None),
        ("s", 12, None),
    ],
)
def test_times_have_a_unit(unit: str, value: Any, at_ms: int | None) -> None:
    text = f'{HEAD}time = "ts"\ntime_unit = "{unit}"\n{PROMPT}'
    assert events(text, {"type": "user", "text": "Hello", "ts": value})[0].at_ms == at_ms


@for_every(
    "rule, record, expected",
    [
        ('is_error = "bad"', {"bad": True}, Result(is_error=True)),
        ('is_error = "bad"', {"bad": False}, Result(is_error=False)),
        ('is_error = "bad"', {"bad": 1}, Result(is_error=True)),
        ('is_error = "error"', {"error": "no such file"}, Result(is_error=True)),
        ('is_error = "error"', {"error": ""}, Result(is_error=False)),
        ('is_error = "error"', {"error": None}, Result()),
        ('exit_code = "code"', {"code": "3"}, Result(exit_code=3)),
        ('exit_code = "code"', {"code": 1.5}, Result()),
        ('failed = { state = "lost" }', {"state": "lost"}, Result(is_error=True)),
        ('failed = { state = "lost" }', {"state": "kept"}, Result()),
        ('succeeded = { state = "kept" }', {"state": "kept"}, Result(is_error=False)),
        ("denied = { ok = false }", {"ok": False}, Result(is_denied=True)),
        ("running = { ok = false }", {"ok": False}, Result(is_running=True)),
        ('duration_ms = "took"', {"took": 12.6}, Result(duration_ms=13)),
        ('duration_seconds = "took"', {"took": "0.5"}, Result(duration_ms=500)),
        ('text = "out"', {"out": '{"success": false, "output": "x"}'}, Result(is_error=True)),
        ('text = "out"', {"out": {"exit_code": 4, "output": "x"}}, Result(exit_code=4)),
        ('text = "out"\nis_error = "bad"', {"out": '{"success": false}', "bad": False}, Result(is_error=False)),
    ],
)
def test_how_a_call_ended_is_said_by_fields_or_by_the_output(
    rule: str, record: dict[str, Any], expected: Result
) -> None:
    assert result_of(rule, record) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"path": "a.md"}, {"path": "a.md"}),
        ('{"path": "a.md"}', {"path": "a.md"}),
        ("make test", {"raw": "make test"}),
        (["a"], {"raw": ["a"]}),
        (None, {}),
        ("", {}),
    ],
)
def test_arguments_are_an_object_or_the_text_of_one(value: Any, expected: dict[str, Any]) -> None:
    rule = '[[event]]\nkind = "call"\ntool = "name"\narguments = "input"\n'
    assert events(HEAD + rule, {"name": "run", "input": value})[0].arguments == expected


def test_texts_of_several_paths_are_joined_and_pictures_left_out() -> None:
    rule = '[[event]]\nkind = "reply"\ntext = ["a", "b"]\n'
    content = [{"type": "text", "text": "one"}, {"type": "image", "source": {"data": "QUJD" * 100}}]
    assert events(HEAD + rule, {"a": content, "b": 7})[0].text == "one\n[image]\n7"


def test_a_message_of_other_parts_is_no_text_but_an_output_can_be_anything() -> None:
    record = {"type": "user", "text": [{"type": "tool_result", "content": "3 kg"}]}
    assert events(HEAD + PROMPT, record) == []
    output = events(f'{HEAD}[[event]]\nkind = "result"\ntext = "text"\n', record)[0].text
    assert output == '[{"type":"tool_result","content":"3 kg"}]'


def test_a_rule_that_finds_no_text_makes_no_event_but_knows_the_record() -> None:
    reading = started(HEAD + PROMPT)
    assert list(Framing(reading).read([b'{"type":"user","text":"  "}\n'])) == []
    assert (dict(reading.known), dict(reading.unknown)) == ({"user": 1}, {})


def test_records_that_no_rule_speaks_of_are_unknown_and_ignored_ones_are_not() -> None:
    reading = started(HEAD + 'ignore = { type = "ping" }\n' + PROMPT)
    lines = [b'{"type":"ping"}\n', b'{"type":"pong"}\n', b'{"odd":1}\n', b'{"type":"two words of text"}\n']
    assert list(Framing(reading).read(lines)) == []
    assert (dict(reading.known), dict(reading.unknown)) == ({"ping": 1}, {"pong": 1, "no type": 2})


def test_keys_are_the_record_s_own_and_told_apart_by_session_where_there_is_no_time() -> None:
    text = f'{HEAD}session = "sid"\nkey = "id"\n{PROMPT}{PROMPT}'
    record = {"type": "user", "text": "Hello", "sid": "s-1"}
    assert [each.key for each in events(text, {**record, "id": 7})] == ["prompt:s-1:7", "prompt:s-1:7:2"]
    assert events(text, {**record, "id": "0a1b2c3d-0000-4000-8000-000000000001"})[0].key.startswith(
        "prompt:s-1:0a1b2c3d"
    )
    assert events(text, record)[0].key == ""


def test_counts_of_types_stay_bounded() -> None:
    reading = started(HEAD + PROMPT)
    list(Framing(reading).read([json.dumps({"type": f"t{number}"}).encode() + b"\n" for number in range(200)]))
    assert len(reading.unknown) == 101
    assert reading.unknown["(more)"] == 100


def test_a_reader_says_what_it_is() -> None:
    reader = reader_of(HEAD + PROMPT)
    assert (reader.agent, reader.evidence) == ("tinker", ReaderEvidence.DESCRIPTION)
    assert reader.shape(PurePosixPath("a.jsonl")) is Shape.LINES
    assert reader.primary(PurePosixPath("a.jsonl")) == PurePosixPath("a.jsonl")
    assert reader.primary(PurePosixPath("deeper/a.jsonl")) is None


def test_any_of_several_sniffs_is_enough() -> None:
    reader = reader_of((HEAD + PROMPT).replace('{ type = "hello" }', '[{ type = "hello" }, { v = 2, role = "x" }]'))
    assert reader.sniffs({"type": "hello"})
    assert reader.sniffs({"v": 2, "role": "x"})
    assert not reader.sniffs({"v": 2})
