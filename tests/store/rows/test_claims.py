import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.store.planted_rows import Planted, plant
from tests.thoroughness import examples

from afterwit.store.database import migrations
from afterwit.store.rows import parts
from afterwit.store.rows.parts import Rival

EDGES = [-(2**63), -(2**53) - 1, -1, 0, 2**53 + 1, 2**63 - 1]


@pytest.fixture
def two(db: apsw.Connection) -> tuple[Planted, Planted]:
    return plant(db, "one", "a.jsonl", "1"), plant(db, "two", "b.jsonl", "2")


def owners(db: apsw.Connection) -> dict[int, int]:
    return dict(db.execute("SELECT key, part_id FROM claims"))


def test_what_is_free_can_be_claimed(db: apsw.Connection, two: tuple[Planted, Planted]) -> None:
    assert parts.claim(db, two[0].part_id, EDGES) == []
    assert owners(db) == dict.fromkeys(EDGES, two[0].part_id)


def test_claiming_again_is_claiming_once(db: apsw.Connection, two: tuple[Planted, Planted]) -> None:
    parts.claim(db, two[0].part_id, EDGES)
    assert parts.claim(db, two[0].part_id, [*EDGES, *EDGES]) == []


def test_a_rival_is_named_with_what_it_owns(db: apsw.Connection, two: tuple[Planted, Planted]) -> None:
    one, other = two
    parts.claim(db, one.part_id, EDGES[:4])
    (rival,) = parts.claim(db, other.part_id, EDGES[2:])
    assert rival == Rival(one.part_id, one.file_id, "1", EDGES[2:4])
    assert owners(db) == {**dict.fromkeys(EDGES[:4], one.part_id), **dict.fromkeys(EDGES[4:], other.part_id)}


def test_a_part_can_take_over_and_release(db: apsw.Connection, two: tuple[Planted, Planted]) -> None:
    one, other = two
    parts.claim(db, one.part_id, [1, 2, 3])
    parts.take_over(db, other.part_id, [2])
    assert owners(db) == {1: one.part_id, 2: other.part_id, 3: one.part_id}
    parts.release(db, one.part_id, [1, 2])
    assert owners(db) == {2: other.part_id, 3: one.part_id}


@given(order=st.permutations([("1", [1, 2, 3]), ("2", [2, 3, 4]), ("3", [3, 4, 5])]))
@settings(max_examples=examples(12), deadline=None)
def test_the_part_that_comes_first_owns_a_record_in_whatever_order_they_are_learned(
    order: list[tuple[str, list[int]]],
) -> None:
    with apsw.Connection(":memory:") as db:
        for migration in migrations():
            db.execute(migration.sql)
        precedences: dict[int, str] = {}
        for precedence, keys in order:
            planted = plant(db, precedence, f"{precedence}.jsonl", precedence)
            precedences[planted.part_id] = precedence
            for rival in parts.claim(db, planted.part_id, keys):
                if rival.precedence > precedence:
                    parts.take_over(db, planted.part_id, rival.keys)
        owned = {key: precedences[part] for key, part in owners(db).items()}
        assert owned == {1: "1", 2: "1", 3: "1", 4: "2", 5: "3"}


def test_copies_are_remembered_by_their_owner(db: apsw.Connection) -> None:
    parts.note_copies(db, 5, {1, 2})
    parts.note_copies(db, 6, {1})
    assert sorted(parts.copiers_of(db, 1)) == [5, 6]
    parts.note_copies(db, 5, {2})
    assert parts.copiers_of(db, 1) == [6]
    assert parts.copiers_of(db, 2) == [5]
