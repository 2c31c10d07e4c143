from tests.measure.metrics.noting import day_ms

from afterwit.measure.standing_figures import ModelSpend, Occasion, cost_of_memory, memory_costs
from afterwit.measure.told_notes import SessionKey

FIRST, SECOND, SKIPPED = (SessionKey("codex", name) for name in ("s1", "s2", "s3"))
CALLS = [
    Occasion(day_ms(1), FIRST, "start", 100, is_skipped=False, took_ms=12),
    Occasion(day_ms(1), FIRST, "after", 20, is_skipped=False, took_ms=18),
    Occasion(day_ms(1), FIRST._replace(is_subagent=True), "after", 30, is_skipped=False, took_ms=None),
    Occasion(day_ms(2), SECOND, "start", 50, is_skipped=False, took_ms=30),
    Occasion(day_ms(2), SECOND, "after", 0, is_skipped=True, took_ms=None),
    Occasion(day_ms(3), SKIPPED, "start", 0, is_skipped=True, took_ms=10),
]


def test_a_session_pays_for_all_it_was_told_and_for_its_subagents() -> None:
    first, second, skipped = memory_costs(CALLS)
    assert (first.session, first.times, first.tokens, first.hook_ms) == ("s1", 3, 150, 30)
    assert (second.times, second.tokens, second.is_skipped) == (1, 50, False)
    assert (skipped.times, skipped.tokens, skipped.is_skipped) == (0, 0, True)


def test_told_sessions_stand_beside_those_that_were_skipped() -> None:
    figure = cost_of_memory(memory_costs(CALLS), CALLS, ModelSpend())
    assert (figure.sessions, figure.told_sessions, figure.skipped_sessions) == (3, 2, 1)
    assert (figure.tokens, figure.tokens_per_session, figure.most_tokens) == (200, 100, 150)
    assert figure.tokens_by_moment == {"after": 50, "start": 150}
    assert (figure.hook_calls, figure.hook_ms_median, figure.hook_ms_most) == (4, 15, 30)


def test_nothing_told_costs_nothing() -> None:
    figure = cost_of_memory([], [], ModelSpend())
    assert (figure.sessions, figure.tokens_per_session, figure.hook_ms_median) == (0, None, None)
    assert figure.model.requests == 0
