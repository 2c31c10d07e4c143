import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.every import for_every
from tests.thoroughness import examples

from afterwit.agents.declared.description import Arguments, Condition, Requirement, SessionFrom, TimeUnit
from afterwit.agents.declared.parsing import description_from, description_of
from afterwit.model.errors import ConfigError
from afterwit.model.kinds import EventKind, Relation

FIXTURES = Path(__file__).parent / "fixtures"
LEAST = """
name = "tinker"
transcripts = "logs/*.jsonl"
sniff = { type = "hello" }
[[event]]
kind = "prompt"
text = "message"
"""


def refused(text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        description_from(text, "tinker.toml", {"codex"})
    return str(caught.value)


def test_little_is_enough() -> None:
    description = description_from(LEAST, "tinker.toml")
    assert description.name == "tinker"
    assert description.transcripts == ("logs/*.jsonl",)
    assert description.sniff == (Condition((Requirement("type", ("hello",)),)),)
    assert description.homes == ()
    assert (description.time_unit, description.session_from) == (TimeUnit.AUTO, SessionFrom.FILE)
    assert [(rule.kind, rule.text) for rule in description.event] == [(EventKind.PROMPT, ("message",))]


def test_everything_that_can_be_said_is_read() -> None:
    tinker = description_from((FIXTURES / "tinker.toml").read_text(), "tinker.toml")
    lathe = description_from((FIXTURES / "lathe.toml").read_text(), "lathe.toml")
    assert tinker.homes == (".tinker",)
    assert lathe.homes == ("/var/log/lathe",)
    assert tinker.facts[0].relation is Relation.RESUME
    assert tinker.spend[0].input_includes_cache
    assert lathe.session == ("run.id", "run_id")
    assert lathe.event[1].arguments == Arguments(single=(("command", ("cmd",)), ("workdir", ("in",))))
    assert lathe.event[4].failed == Condition((Requirement("state", ("conflict", "lost")),))


def test_a_description_can_be_a_key() -> None:
    assert len({description_from(LEAST, "a"), description_from(LEAST, "b")}) == 1


def test_nested_tables_in_a_condition_are_paths() -> None:
    nested = description_from(LEAST.replace("type =", "message.role ="), "a")
    quoted = description_from(LEAST.replace("type =", '"message.role" ='), "a")
    assert nested == quoted
    assert nested.sniff[0].requirements[0].path == "message.role"


@for_every(
    "old, new, said",
    [
        ('name = "tinker"\n', "", "name: is missing"),
        ('name = "tinker"', 'name = "Tinker Bot"', "name: 'Tinker Bot' cannot be a name. Allowed are lower-case"),
        ('name = "tinker"', "name = 3", "name: 3 cannot be a name"),
        ('name = "tinker"', 'name = "codex"', "name: there is an agent named 'codex' already"),
        ('name = "tinker"', 'nam = "tinker"', "nam: there is no such key. Allowed here: event, facts, homes"),
        ('"logs/*.jsonl"', '"/logs/*.jsonl"', "transcripts: '/logs/*.jsonl' must stay below the home"),
        ('"logs/*.jsonl"', '"../*.jsonl"', "transcripts: '../*.jsonl' must stay below the home"),
        ('"logs/*.jsonl"', "[]", "transcripts: is missing"),
        ('"logs/*.jsonl"', '["a", 1]', "transcripts[2]: a text is expected here"),
        ('{ type = "hello" }', '"hello"', "sniff: a table or a list of tables is expected"),
        ('{ type = "hello" }', "{}", "sniff: is missing"),
        ('{ type = "hello" }', "{ type = [] }", "sniff.type: a value, a list of values or { exists = true }"),
        ('{ type = "hello" }', '{ type = { exists = "yes" } }', "sniff.type: true or false is expected"),
        ('{ type = "hello" }', '{ "a..b" = 1 }', "sniff.a..b: 'a..b' is no path"),
        ('kind = "prompt"', "", "event[1].kind: is missing. Allowed are: prompt, reply"),
        ('kind = "prompt"', 'kind = "promt"', "event[1].kind: 'promt' is not allowed. Allowed are: prompt, reply"),
        ('text = "message"', "", "event[1].text: is missing"),
        ('text = "message"', 'text = "a["', "event[1].text: 'a[' is no path"),
        (
            'text = "message"',
            'text = "a"\nid = "b"',
            "event[1].id: there is no such key. Allowed here: each, kind, text",
        ),
        ('text = "message"', 'text = "a"\neach = "b"', "event[1].each: 'b' must end in []"),
        ('text = "message"', 'text = "a"\nwhere = { b = 1 }', "event[1].where: is a condition of the elements"),
        ('kind = "prompt"\ntext = "message"', 'kind = "call"', "event[1].tool: is missing"),
        ('kind = "prompt"', 'kind = "prompt"\n[event.when]\na = 2000-01-01', "event[1].when.a: a value"),
        ("[[event]]", 'homes = ["~ada/logs"]\n[[event]]', "homes: '~ada/logs': only ~/ is understood"),
        ("[[event]]", 'time_unit = "weeks"\n[[event]]', "time_unit: 'weeks' is not allowed. Allowed are: auto, s, ms"),
        ("[[event]]", "[spend]\ninput_includes_cache = 1\n[[event]]", "spend.input_includes_cache: true or false"),
        (
            "[[event]]",
            "[facts]\ncolour = 'a'\n[[event]]",
            "facts.colour: there is no such key. Allowed here: branch, cwd",
        ),
        ("[[event]]", "facts = 3\n[[event]]", "facts: a table or a list of tables is expected here: write [[facts]]"),
    ],
)
def test_what_is_wrong_is_said_with_file_and_key_and_what_is_allowed(old: str, new: str, said: str) -> None:
    assert old in LEAST
    assert re.match(f"tinker.toml: {re.escape(said)}", refused(LEAST.replace(old, new, 1)))


def test_a_description_without_events_is_refused() -> None:
    assert refused(LEAST.partition("[[event]]")[0]) == "tinker.toml: event: is missing. It must be given."


def test_a_text_that_is_no_toml_is_refused() -> None:
    assert refused("name = ").startswith("tinker.toml is not valid TOML")


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | st.sampled_from(["a[]", "prompt"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["exists", "a", "a.b", "["]), inner),
    max_leaves=5,
)


def places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    fields = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for name, inner in fields for place in [(*path, name), *places(inner, (*path, name))]]


@settings(max_examples=examples(150), deadline=None)
@given(data=st.data(), name=st.sampled_from(["tinker", "lathe"]))
def test_a_description_with_anything_in_any_place_is_read_or_refused_with_its_file(
    data: st.DataObject, name: str
) -> None:
    table = tomllib.loads((FIXTURES / f"{name}.toml").read_text())
    *holders, last = data.draw(st.sampled_from(places(table)))
    holder: Any = table
    for each in holders:
        holder = holder[each]
    holder[last] = data.draw(ODD)
    said = "odd.toml: "
    try:
        hash(description_of(table, "odd.toml"))
    except ConfigError as error:
        said = str(error)
    assert said.startswith("odd.toml: ")
