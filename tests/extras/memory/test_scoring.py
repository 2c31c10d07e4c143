"""Scores stay within their bounds, move the right way, and the recommendation never hides that data leave."""

from hypothesis import given
from hypothesis import strategies as st

from afterwit.extras.memory.checks import (
    WEIGHTS,
    Evaluated,
    Query,
    labelled_set,
    latency_part,
    privacy_part,
    recommendation,
    relevance,
    score,
)

shares = st.floats(0, 1)


def test_the_default_weights_are_those_that_are_promised() -> None:
    assert WEIGHTS == {"availability": 20, "functionality": 40, "latency": 20, "privacy": 20}


@given(st.fixed_dictionaries(dict.fromkeys(WEIGHTS, shares)))
def test_a_score_is_between_0_and_100(parts: dict[str, float]) -> None:
    assert -1e-9 <= score(parts) <= 100 + 1e-9


def test_latency_counts_by_factors() -> None:
    assert latency_part([1, 10]) == 1
    assert latency_part([1_000, 9_999]) == 0
    assert abs(latency_part([100]) - 0.5) < 1e-9
    assert latency_part([]) == 0


def test_privacy_is_half_a_matter_of_place() -> None:
    assert privacy_part(leaves_machine=False, is_separate=True, is_deleted=True) == 1
    assert privacy_part(leaves_machine=True, is_separate=True, is_deleted=True) == 0.5


def test_the_recommendation_says_when_data_leave_and_what_to_use_instead() -> None:
    away = Evaluated(backend="honcho", is_configured=True, is_available=True, leaves_machine=True, score=90)
    home = Evaluated(backend="local", is_configured=True, is_available=True, privacy="Stays.", score=80)
    text = recommendation([home, away])
    assert "Use honcho" in text
    assert "data leave this machine" in text
    assert "use local (80 of 100)" in text
    assert "No data leave" in recommendation([home])
    assert "No backend can be used" in recommendation([])


def test_the_labelled_set_is_sound() -> None:
    found = labelled_set()
    assert len(found.entries) >= 40
    assert len(found.queries) >= 35
    assert all(key in found.entries for query in found.queries for key in query.keys)


def test_relevance_counts_answers_among_the_first_five() -> None:
    queries = [Query("a", ("x",)), Query("b", ("y", "z")), Query("c", ("w",), is_hard=True)]
    found = relevance(queries, [["x"], ["q", "y"], []])
    assert found.queries == 3
    assert abs(found.recall_at_5 - 0.5) < 1e-9
    assert abs(found.reciprocal_rank - 0.5) < 1e-9
    assert abs(found.plain_recall_at_5 - 0.75) < 1e-9
