"""What sessions spent is summed in groups that have one price."""

import apsw
import pytest
from tests.store.planted_rows import captured, facts, plant, spend

from afterwit.store.rows import parts
from afterwit.store.rows.session_list import (
    Selection,
    native_ids,
    repo_names,
    session_row,
    sessions_named,
    spend_sums,
    subagents_of,
    tails_beside,
)

DAY_MS = 86_400_000


def test_spends_are_parted_by_model_day_step_and_stated_cost(db: apsw.Connection) -> None:
    planted = plant(db)
    more = [
        spend(key=1, at_ms=DAY_MS + 1, cost_usd=None),
        spend(key=2, at_ms=DAY_MS + 2, cost_usd=None),
        spend(key=3, at_ms=DAY_MS + 3, cost_usd=None, input=1_000),
        spend(key=4, at_ms=DAY_MS + 4, cost_usd=None, model="model-b"),
        spend(key=5, at_ms=DAY_MS + 5, cost_usd=0.5),
    ]
    parts.put_rows(db, captured(facts(), spends=more, texts=[]), {0: planted.part_id})
    found = [(row.model, row.responses, row.input, row.stated_usd) for row in spend_sums(db, Selection(), (500,))]
    assert sorted(found, key=str) == sorted(
        [
            ("model-a", 1, 10, 0.25),
            ("model-a", 2, 20, None),
            ("model-a", 1, 1_000, None),
            ("model-b", 1, 10, None),
            ("model-a", 1, 10, 0.5),
        ],
        key=str,
    )


def test_times_can_be_those_of_the_responses(db: apsw.Connection) -> None:
    plant(db)
    late = Selection(since_ms=1_100)
    assert not list(spend_sums(db, late, ()))
    assert [row.responses for row in spend_sums(db, late, (), by_response=True)] == [1]


def test_sessions_are_found_by_the_beginning_of_any_of_their_names(db: apsw.Connection) -> None:
    for name in ("abc1", "abc1/agent-77", "agent-88"):
        plant(db, name, name)
    assert [row.native_id for row in sessions_named(db, "abc1", 9)] == ["abc1", "abc1/agent-77"]
    assert [row.native_id for row in sessions_named(db, "77", 9)] == ["abc1/agent-77"]
    assert [row.native_id for row in sessions_named(db, "88", 9)] == ["agent-88"]
    assert sessions_named(db, "%", 9) == []


@pytest.mark.parametrize(
    ("native_id", "tail"),
    [
        ("fig", "fig"),
        ("fig/agent-77", "77"),
        ("agent-88", "88"),
        ("fig/plum/agent-agent-9", "agent-9"),
        ("fig/", ""),
        ("//", ""),
        ("agent-fig/plum", "plum"),
        ("übung/ágent-é", "ágent-é"),
    ],
)
def test_the_last_part_of_an_id_is_filed_without_what_marks_a_subagent(
    db: apsw.Connection, native_id: str, tail: str
) -> None:
    plant(db, native_id)
    assert db.execute("SELECT tail FROM sessions").get == tail


def test_the_neighbours_of_a_last_part_are_told_and_not_the_part_itself(db: apsw.Connection) -> None:
    for name in ("fig", "plum/agent-fig", "kiwi", "apple"):
        plant(db, name, name)
    assert tails_beside(db, "fig") == ["apple", "kiwi"]
    assert tails_beside(db, "apple") == ["fig"]
    assert tails_beside(db, "zz") == ["kiwi"]


def test_rows_are_looked_up(db: apsw.Connection) -> None:
    planted = plant(db)
    row = session_row(db, planted.session_id)
    assert row is not None
    assert (row.native_id, row.tokens) == ("one", 100)
    assert session_row(db, 99) is None
    assert (native_ids(db), repo_names(db), subagents_of(db, row.agent, "one")) == (["one"], [""], [])
