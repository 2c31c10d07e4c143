"""Sessions of the community's Grok CLI, rendered from its database."""

from tests.agents.contract_cases import read
from tests.agents.gathered import case_of, readings_of
from tests.agents.transcripts import events, facts, spends, texts

from afterwit.model.kinds import EventKind
from afterwit.model.readings import Event, Result, Usage

LAMP = "a1b2c3d4e5f6"


def test_a_session_is_read_in_the_order_in_which_it_happened() -> None:
    readings = readings_of("grok-cli", "basic.sql", LAMP)
    times = [each.at_ms for each in readings if isinstance(each, Event) and each.at_ms is not None]
    assert times == sorted(times)
    assert texts(readings, EventKind.PROMPT) == ["light the lamp", "look at this\n[image]"]
    assert texts(readings, EventKind.REPLY) == ["I will look for oil.", "The lamp burns."]
    assert texts(readings, EventKind.THOUGHT) == ["Where is the oil?"]
    assert texts(readings, EventKind.COMPACTION) == ["So far: oil was found."]
    assert texts(readings, EventKind.NOTICE) == ["A note of the client."]
    assert facts(readings)[0].cwd == "/w/tower"


def test_results_say_whether_the_tool_failed() -> None:
    results = events(readings_of("grok-cli", "basic.sql", LAMP), EventKind.RESULT)
    assert [event.result for event in results] == [
        Result(is_error=False),
        Result(is_error=True),
        Result(is_error=True),
    ]
    assert [event.text for event in results] == ["a can of oil", "light: command not found", "no such file"]


def test_each_response_states_its_tokens() -> None:
    found = spends(readings_of("grok-cli", "basic.sql", LAMP))
    assert [(spend.model, spend.usage, spend.cost_usd) for spend in found] == [
        ("m-1", Usage(input=100, output=20), 0.0035),
        ("m-2", Usage(input=10, output=2), None),
    ]


def test_the_first_schema_is_read() -> None:
    assert texts(readings_of("grok-cli", "first_schema.sql", "0f0f0f0f0f0f"), EventKind.REPLY) == ["It is dark."]


def test_what_is_not_known_is_counted() -> None:
    case = case_of("grok-cli", "basic.sql", LAMP)
    reading = case.start()
    read(reading, case.data)
    assert dict(reading.unknown) == {"part/hologram": 1}
