"""The scheme `points`, at each of its thresholds."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.thoroughness import examples

from afterwit.digest.value import Name, PointFacts, Points, firsts, points_of

DAY_MS = 86_400_000
NOW_MS = 1_780_000_000_000


def facts(**fields: object) -> PointFacts:
    given: dict[str, object] = {
        "agent": "codex",
        "native_id": "one",
        "repo": "orchard",
        "started_ms": NOW_MS - 90 * DAY_MS,
        "ended_ms": NOW_MS - 90 * DAY_MS,
        "messages": 0,
        "calls": 0,
        "outcome": "",
    }
    return PointFacts(**{**given, **fields})  # type: ignore[arg-type]


def scored(**fields: object) -> Points:
    return points_of(facts(**fields), is_first=False, now_ms=NOW_MS)


def test_the_least_a_session_can_have_and_the_most() -> None:
    assert scored(repo="").total == 3
    most = facts(ended_ms=NOW_MS, messages=51, calls=11, outcome="failure")
    assert points_of(most, is_first=True, now_ms=NOW_MS) == Points(3, 3, 5, 3, 2)
    assert points_of(most, is_first=True, now_ms=NOW_MS).total == 16


@pytest.mark.parametrize(
    ("age_ms", "expected"),
    [
        (0, 3),
        (7 * DAY_MS, 3),
        (7 * DAY_MS + 1, 2),
        (30 * DAY_MS, 2),
        (30 * DAY_MS + 1, 1),
        (-DAY_MS, 3),
    ],
)
def test_recency_goes_by_the_end_of_the_session(age_ms: int, expected: int) -> None:
    assert scored(ended_ms=NOW_MS - age_ms).recency == expected
    assert scored(started_ms=NOW_MS - age_ms, ended_ms=None).recency == expected


def test_a_session_without_any_time_counts_as_old() -> None:
    assert scored(started_ms=None, ended_ms=None).recency == 1


@pytest.mark.parametrize(("messages", "expected"), [(0, 1), (20, 1), (21, 2), (50, 2), (51, 3)])
def test_messages_count_in_three_steps(messages: int, expected: int) -> None:
    assert scored(messages=messages).messages == expected


@pytest.mark.parametrize(("calls", "expected"), [(0, 0), (10, 0), (11, 2)])
def test_more_than_ten_calls_count(calls: int, expected: int) -> None:
    assert scored(calls=calls).calls == expected


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [("failure", 3), ("success", 2), ("partial", 2), ("abandoned", 1), ("unknown", 1), ("", 1)],
)
def test_a_failure_counts_most_and_what_is_not_known_least(outcome: str, expected: int) -> None:
    assert scored(outcome=outcome).outcome == expected


def test_the_first_session_of_a_repository_counts_more_and_one_without_nothing() -> None:
    assert [points_of(facts(), is_first=first, now_ms=NOW_MS).repo for first in (True, False)] == [5, 1]
    assert points_of(facts(repo=""), is_first=True, now_ms=NOW_MS).repo == 0


def test_of_two_that_began_together_the_smaller_id_is_first() -> None:
    found = firsts([facts(native_id="b", started_ms=5), facts(native_id="a", started_ms=5), facts(started_ms=9)])
    assert found == {Name("codex", "a")}


def test_a_session_without_a_time_is_first_only_where_none_has_one() -> None:
    timeless = facts(native_id="a", started_ms=None)
    assert firsts([timeless, facts(native_id="b", started_ms=5)]) == {Name("codex", "b")}
    assert firsts([timeless]) == {Name("codex", "a")}
    assert firsts([facts(repo="")]) == frozenset()


@settings(max_examples=examples(50))
@given(
    st.lists(
        st.builds(
            facts,
            native_id=st.sampled_from("abcdef"),
            agent=st.sampled_from(["codex", "gemini"]),
            repo=st.sampled_from(["", "orchard", "harbour"]),
            started_ms=st.none() | st.integers(0, 3),
        ),
        unique_by=lambda one: one.name,
    ),
    st.randoms(use_true_random=False),
)
def test_every_repository_has_one_first_whatever_the_order(sessions: list[PointFacts], random: object) -> None:
    shuffled = list(sessions)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    found = firsts(shuffled)
    assert found == firsts(sessions)
    assert len(found) == len({one.repo for one in sessions if one.repo})
