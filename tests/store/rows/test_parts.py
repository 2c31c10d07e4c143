import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.store.planted_rows import action, captured, facts, plant, spend
from tests.thoroughness import examples

from afterwit.capture.assembly.parts import merge_spends
from afterwit.model.captured import ORDINAL_BITS, EventRow, SpendRow
from afterwit.model.kinds import EventKind, Status
from afterwit.model.readings import Problem
from afterwit.store.database import migrations
from afterwit.store.rows import parts


def test_a_part_comes_back_as_it_was(db: apsw.Connection) -> None:
    planted = plant(db, precedence="0 first")
    (part,) = parts.parts_of_file(db, planted.file_id)
    assert part == parts.PartRow(planted.part_id, planted.file_id, planted.session_id, "0 first", facts())
    assert parts.parts_of_session(db, planted.session_id) == [part]


def test_a_part_keeps_its_id_when_it_grows(db: apsw.Connection) -> None:
    planted = plant(db)
    grown = facts(title="grown")
    assert parts.put_part(db, planted.file_id, planted.session_id, "0", grown) == planted.part_id
    (part,) = parts.parts_of_file(db, planted.file_id)
    assert (part.precedence, part.facts) == ("0", grown)


def test_the_rows_of_a_part_come_back_in_order(db: apsw.Connection) -> None:
    planted = plant(db)
    assert list(parts.part_content(db, planted.part_id)) == [
        ("prompt", 1_000, 0, 50, 0),
        ("call", 1_500, 50, 60, 0),
        ("result", 2_000, 110, 40, 0),
        (
            "call-1",
            "Bash",
            "shell",
            "make test",
            "failed",
            "probably-failed",
            2,
            "make: *** No rule",
            1_500,
            500,
            50,
            110,
        ),
        (7, 1_200, "model-a", 10, 20, 30, 40, 5, 0.25, 0, 0),
    ]


def test_rows_of_parts_that_are_not_kept_are_left_out(db: apsw.Connection) -> None:
    planted = plant(db)
    parts.put_rows(
        db, captured(facts(), events=[EventRow(1, 0, EventKind.REPLY, None, 0, 1, False)]), {0: planted.part_id}
    )
    assert db.execute("SELECT count(*) FROM events").get == 3


def test_writing_rows_again_changes_nothing(db: apsw.Connection) -> None:
    planted = plant(db)
    before = list(parts.part_content(db, planted.part_id))
    parts.put_rows(db, captured(facts()), {0: planted.part_id})
    assert list(parts.part_content(db, planted.part_id)) == before


def test_the_result_of_a_call_replaces_its_open_row(db: apsw.Connection) -> None:
    planted = plant(db)
    ended = action(status=Status.SUCCEEDED, lean=None, exit_code=0, error="")
    parts.put_rows(db, captured(facts(), actions=[ended]), {0: planted.part_id})
    assert parts.action_counts(db, planted.part_id) == (1, 0, 0)


def test_parts_do_not_touch_each_others_rows(db: apsw.Connection) -> None:
    one, other = plant(db, "one", "a.jsonl"), plant(db, "two", "b.jsonl")
    last = (1 << ORDINAL_BITS) - 1
    parts.put_rows(db, captured(facts(), events=[EventRow(0, last, EventKind.REPLY, 1, 2, 3, False)]), {0: one.part_id})
    before = list(parts.part_content(db, other.part_id))
    parts.clear_rows(db, one.part_id)
    assert list(parts.part_content(db, one.part_id)) == []
    assert list(parts.part_content(db, other.part_id)) == before


def test_a_deleted_part_leaves_neither_rows_nor_claims(db: apsw.Connection) -> None:
    planted = plant(db)
    parts.claim(db, planted.part_id, [1, 2])
    parts.delete_part(db, planted.part_id)
    for table in ("parts", "events", "actions", "spends", "claims"):
        assert db.execute(f"SELECT count(*) FROM {table}").get == 0


spends = st.builds(
    spend,
    at_ms=st.none() | st.integers(0, 9),
    model=st.sampled_from(["", "a", "b"]),
    input=st.integers(0, 9),
    cache_read=st.integers(0, 9),
    cache_write=st.integers(0, 9),
    output=st.integers(0, 9),
    reasoning=st.integers(0, 9),
    cost_usd=st.none() | st.floats(0, 9),
    cache_write_1h=st.integers(0, 9),
    is_nested=st.booleans(),
)


@given(found=st.lists(spends, min_size=1, max_size=4))
@settings(max_examples=examples(40), deadline=None)
def test_a_response_read_in_several_runs_counts_by_its_largest_figures(found: list[SpendRow]) -> None:
    with apsw.Connection(":memory:") as db:
        for migration in migrations():
            db.execute(migration.sql)
        for row in found:
            parts.put_rows(db, captured(facts(), spends=[row], events=[], actions=[]), {0: 1})
        merged = found[0]
        for row in found[1:]:
            merged = merge_spends(merged, row)
        ((_, *stored),) = parts.part_content(db, 1)
        expected = [merged.at_ms, merged.model, merged.input, merged.cache_read, merged.cache_write]
        assert stored == [
            *expected,
            merged.output,
            merged.reasoning,
            merged.cost_usd,
            merged.cache_write_1h,
            merged.is_nested,
        ]


def test_tokens_are_summed_over_parts_and_models_named_once(db: apsw.Connection) -> None:
    one, other = plant(db, "one", "a.jsonl"), plant(db, "one", "b.jsonl")
    more = [spend(key=8, model="model-z"), spend(key=9, model="")]
    parts.put_rows(db, captured(facts(), spends=more), {0: other.part_id})
    tokens = parts.part_tokens(db, [one.part_id, other.part_id])
    assert tokens == (40, 80, 120, 160, 20, '["model-a","model-z"]')
    assert parts.part_tokens(db, []) == (0, 0, 0, 0, 0, "[]")


@pytest.mark.parametrize(("start", "left"), [(0, []), (150, [10]), (151, [10, 150]), (10, [])])
def test_problems_from_an_offset_on_are_replaced(db: apsw.Connection, start: int, left: list[int]) -> None:
    planted = plant(db)
    parts.put_problems(db, planted.file_id, 11, [Problem(10, 1, "odd"), Problem(150, 9, "not a JSON object")])
    parts.put_problems(db, planted.file_id, start, [])
    assert [row[0] for row in db.execute("SELECT offset FROM problems ORDER BY offset")] == left
