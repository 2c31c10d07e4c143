"""Sessions of Hermes, from its database, its snapshots and the lines of older builds."""

from pathlib import Path

import pytest
from tests.agents.contract_cases import Case, all_cases, make_database, read
from tests.agents.gathered import readings_of
from tests.agents.transcripts import events, facts, spends, texts
from tests.homes import learned, rows

from afterwit.model.kinds import EventKind, Relation
from afterwit.model.readings import Event, Reading, Result, Usage
from afterwit.sources.documents import read_document

BREAD = "20260501_101500_a1b2c3"
FIXTURES = Path(__file__).parent / "fixtures"


def bread() -> list[Reading]:
    return readings_of("hermes", "schema_22.sql", BREAD)


def snapshot() -> Case:
    return next(case for case in all_cases() if case.agent == "hermes" and case.name.endswith(".json"))


def test_failures_are_inferred_from_the_text_of_results() -> None:
    assert [event.result for event in events(bread(), EventKind.RESULT)] == [
        Result(exit_code=0),
        Result(is_error=True, exit_code=127),
    ]


def test_rows_that_a_compaction_writes_again_are_passed_over() -> None:
    prompts = texts(bread(), EventKind.PROMPT)
    assert prompts == ["bake two loaves of bread", "bake two loaves of bread", "look at the dough\n[image]"]
    assert texts(bread(), EventKind.COMPACTION) == ["[CONTEXT COMPACTION] Flour was found."]
    assert texts(bread(), EventKind.NOTICE) == ["heard in the group"]


def test_what_was_spent_is_told_by_model_where_the_database_has_it() -> None:
    assert [(spend.model, spend.usage, spend.cost_usd) for spend in spends(bread())] == [
        ("m-1", Usage(250, 40, 0, 50, 10), 0.04),
        ("m-2", Usage(50, 0, 0, 10, 0), None),
    ]
    (total,) = spends(readings_of("hermes", "schema_22.sql", "20260501_102200_d4e5f6"))
    assert (total.usage, total.cost_usd) == (Usage(50, 0, 0, 5, 0), None)


@pytest.mark.parametrize(
    ("name", "session", "cwd", "exit_code", "usage"),
    [
        ("schema_12.sql", "20260320_090000_c0ffee", "", 3, Usage(90, 30, 3, 9, 2)),
        ("schema_30.sql", "20260801_120000_5eed01", "/w/garden", 0, Usage(input=40, output=4)),
    ],
)
def test_other_schemas_say_what_their_columns_hold(
    name: str, session: str, cwd: str, exit_code: int, usage: Usage
) -> None:
    readings = readings_of("hermes", name, session)
    assert [about.cwd for about in facts(readings)] == [cwd]
    assert [event.result.exit_code for event in events(readings, EventKind.RESULT) if event.result] == [exit_code]
    assert [event.tool for event in events(readings, EventKind.CALL)] == ["terminal"]
    assert [spend.usage for spend in spends(readings)] == [usage]


@pytest.mark.parametrize(
    ("session", "relation"),
    [
        ("20260501_102200_d4e5f6", Relation.RESUME),
        ("20260501_101600_777777", Relation.SUBAGENT),
        ("20260501_103000_888888", Relation.FORK),
    ],
)
def test_a_compaction_is_told_apart_from_a_delegation_and_a_branch(session: str, relation: Relation) -> None:
    (about,) = facts(readings_of("hermes", "schema_22.sql", session))
    assert (about.parent, about.relation) == (BREAD, relation)


def test_what_a_continued_session_took_over_is_not_its_own() -> None:
    readings = readings_of("hermes", "schema_22.sql", "20260501_102200_d4e5f6")
    assert texts(readings, EventKind.PROMPT) == ["now bake rolls"]


def test_nobody_types_in_a_delegated_session() -> None:
    readings = readings_of("hermes", "schema_22.sql", "20260501_101600_777777")
    assert not events(readings, EventKind.PROMPT)
    assert texts(readings, EventKind.NOTICE) == ["Find an oven."]


def test_an_early_schema_in_a_profile_is_read() -> None:
    readings = readings_of("hermes", "schema_6.sql", "cron_bread_20260301")
    assert texts(readings, EventKind.PROMPT) == ["is the bread ready?"]
    assert spends(readings)[0].usage == Usage(input=70, output=7)


def test_a_snapshot_has_the_keys_of_the_database() -> None:
    def keys(readings: list[Reading]) -> set[str]:
        kinds = (EventKind.PROMPT, EventKind.CALL)
        return {each.key for each in readings if isinstance(each, Event) and each.kind in kinds}

    found = keys(read_document(snapshot().start(), snapshot().data))
    assert len(found) == 4
    assert found <= keys(bread())


def test_database_snapshot_and_profile_are_counted_once(tmp_path: Path) -> None:
    home = tmp_path / "home"
    make_database(FIXTURES / "schema_22.sql", home / ".hermes/state.db")
    make_database(FIXTURES / "schema_6.sql", home / ".hermes/profiles/night/state.db")
    learned(home, tmp_path / "store")
    query = "SELECT native_id, prompts, replies, actions FROM sessions ORDER BY native_id"
    before = rows(tmp_path / "store", query)
    assert (BREAD, 3, 1, 2) in before
    assert len(before) == 5
    (home / ".hermes/sessions").mkdir()
    (home / ".hermes/sessions" / snapshot().name).write_bytes(snapshot().data)
    assert learned(home, tmp_path / "store").agents[0].read == 1
    assert rows(tmp_path / "store", query) == before


def test_lines_of_older_builds_are_read() -> None:
    case = next(case for case in all_cases() if case.agent == "hermes" and case.name.endswith(".jsonl"))
    readings = read(case.start(), case.data)
    assert texts(readings, EventKind.PROMPT) == ["is there bread?"]
    assert [event.result for event in events(readings, EventKind.RESULT)] == [Result(exit_code=1)]
