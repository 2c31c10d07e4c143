from math import asin, comb, pi, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.every import for_every
from tests.knowledge.drafting import NOW_MS, piece, pieces
from tests.thoroughness import examples

from afterwit.knowledge.belief import (
    HALF_LIFE_DAYS,
    authority_of,
    backing,
    belief_by,
    cumulative,
    lower,
    prior_of,
    quorum,
    weights,
)
from afterwit.model.knowledge import Authority, Belief, Category, Channel, Evidence, SessionRef

_MECHANICAL = prior_of("corrections", Channel.OUTCOME)


def _mean(
    *evidence: Evidence,
    prior: Belief = _MECHANICAL,
    half_life_days: float | None = None,
    echoes: frozenset[str] = frozenset(),
) -> float:
    return belief_by(prior, evidence, now_ms=NOW_MS, half_life_days=half_life_days, echoes=echoes).mean


@pytest.mark.parametrize(("stories", "mean"), [(0, 0.43), (1, 0.61), (2, 0.70), (3, 0.75), (10, 0.89), (30, 0.96)])
def test_mechanical_stories_give_the_scale_of_confidence(stories: int, mean: float) -> None:
    assert _mean(*pieces(stories)) == pytest.approx(mean, abs=0.006)


@pytest.mark.parametrize(
    ("channel", "once", "thrice"),
    [
        (Channel.USER, 0.69, 0.81),
        (Channel.TOOL, 0.56, 0.71),
        (Channel.ASSISTANT, 0.50, 0.67),
        (Channel.WEB, 0.40, 0.57),
    ],
)
def test_words_start_from_what_their_channel_deserves(channel: Channel, once: float, thrice: float) -> None:
    prior = prior_of("any", channel)
    assert _mean(*pieces(1, channel=channel), prior=prior) == pytest.approx(once, abs=0.006)
    assert _mean(*pieces(3, channel=channel), prior=prior) == pytest.approx(thrice, abs=0.006)


def test_pieces_of_one_story_count_one_then_half_then_a_quarter() -> None:
    same = [piece("story", at=at) for at in range(3)]
    assert [weight for _, weight in weights(same, now_ms=NOW_MS, half_life_days=None)] == [1.0, 0.5, 0.25]


def test_one_page_read_in_ten_stories_counts_less_than_two_stories() -> None:
    page = pieces(10, source="https://pears.example/guide")
    assert _mean(*page) < _mean(*pieces(2))


def test_ten_pages_read_in_one_story_count_less_than_two_stories() -> None:
    pages = [piece("story", at=at, source=f"page {at}") for at in range(10)]
    assert _mean(*pages) < _mean(*pieces(2))


def test_a_strong_contradiction_pulls_down() -> None:
    against = [piece(f"later {at}", is_against=True) for at in range(6)]
    assert _mean(*pieces(3)) > 0.7
    assert _mean(*pieces(3), *against) < 0.4


def test_stories_that_were_shown_the_item_count_nothing() -> None:
    assert _mean(*pieces(3), echoes=frozenset(("story 1", "story 2"))) == _mean(*pieces(1))


def test_certainty_halves_with_each_half_life_and_ends_at_the_prior() -> None:
    def after(days: float) -> Belief:
        old = pieces(4, days_ago=days)
        return belief_by(_MECHANICAL, old, now_ms=NOW_MS, half_life_days=100)

    assert after(0) == pytest.approx((5.0, 1.3))
    assert after(100) == pytest.approx((3.0, 1.3))
    assert after(200) == pytest.approx((2.0, 1.3))
    assert after(5000).mean == pytest.approx(_MECHANICAL.mean, abs=1e-6)


def test_what_speaks_against_fades_as_well() -> None:
    old = pieces(4, days_ago=3000, is_against=True)
    assert _mean(*old, half_life_days=100) == pytest.approx(_MECHANICAL.mean, abs=1e-6)


def test_a_new_contradiction_outweighs_old_confirmations() -> None:
    evidence = (*pieces(4, days_ago=400), piece("new one", is_against=True), piece("new two", is_against=True))
    assert _mean(*evidence, half_life_days=100) < 0.4


def test_evidence_without_a_date_counts_half() -> None:
    undated = Evidence(session=SessionRef(agent="codex", native_id="one", story="one"), channel=Channel.OUTCOME)
    assert weights([undated], now_ms=NOW_MS, half_life_days=100) == [(undated, 0.5)]


@given(order=st.permutations([*pieces(3), piece("story 1", at=7), piece("story 2", at=9, is_against=True)]))
@settings(max_examples=examples(30))
def test_the_order_of_evidence_does_not_matter(order: list[Evidence]) -> None:
    assert _mean(*order, half_life_days=50) == pytest.approx(_mean(*sorted(order, key=repr), half_life_days=50), abs=0)


def _binomial(a: int, b: int, x: float) -> float:
    """The same function for whole numbers, by its sum."""
    n = a + b - 1
    return sum(comb(n, k) * x**k * (1 - x) ** (n - k) for k in range(a, n + 1))


@given(a=st.integers(1, 40), b=st.integers(1, 40), x=st.floats(0.001, 0.999))
@settings(max_examples=examples(100))
def test_the_distribution_equals_its_sum_for_whole_numbers(a: int, b: int, x: float) -> None:
    assert cumulative(Belief(a, b), x) == pytest.approx(_binomial(a, b, x), abs=1e-10)


@pytest.mark.parametrize("x", [0.01, 0.2, 0.5, 0.77, 0.99])
def test_the_distribution_has_known_values_for_fractions(x: float) -> None:
    assert cumulative(Belief(0.5, 0.5), x) == pytest.approx(2 / pi * asin(sqrt(x)), abs=1e-12)
    assert cumulative(Belief(1.0, 1.3), x) == pytest.approx(1 - (1 - x) ** 1.3, abs=1e-12)


def test_quantiles_have_known_values() -> None:
    assert lower(Belief(1, 1), 0.1) == pytest.approx(0.1)
    assert lower(Belief(2, 1), 0.1) == pytest.approx(sqrt(0.1))
    assert lower(Belief(1, 3), 0.5) == pytest.approx(1 - 0.5 ** (1 / 3))
    assert lower(Belief(2, 2), 0.5) == pytest.approx(0.5)
    assert lower(Belief(3000, 1000), 0.5) == pytest.approx(0.75, abs=1e-3)


@given(a=st.floats(0.5, 60), b=st.floats(0.5, 60), share=st.floats(0.02, 0.98))
@settings(max_examples=examples(60))
def test_a_quantile_is_where_the_distribution_reaches_the_share(a: float, b: float, share: float) -> None:
    assert cumulative(Belief(a, b), lower(Belief(a, b), share)) == pytest.approx(share, abs=1e-8)


def test_little_evidence_ranks_below_much_of_the_same_mean() -> None:
    assert lower(Belief(3, 1)) < lower(Belief(30, 10))


def test_a_fix_that_worked_where_it_was_told_counts_half() -> None:
    told = frozenset(("story 1", "story 2"))
    found = belief_by(_MECHANICAL, pieces(3), now_ms=NOW_MS, half_life_days=None, echoes=told, is_tested=True)
    assert found == pytest.approx((3.0, 1.3))


def test_words_that_were_told_count_nothing_though_the_item_is_tested() -> None:
    said = pieces(3, channel=Channel.ASSISTANT)
    told = frozenset(("story 1", "story 2"))
    found = belief_by(_MECHANICAL, said, now_ms=NOW_MS, half_life_days=None, echoes=told, is_tested=True)
    assert found == pytest.approx((2.0, 1.3))


def test_what_should_fail_and_worked_counts_half_against_a_fix_that_was_told() -> None:
    against = pieces(2, is_against=True, at=None)
    told = frozenset(("story 0", "story 1"))
    found = belief_by(_MECHANICAL, against, now_ms=NOW_MS, half_life_days=None, echoes=told, is_tested=True)
    assert found == pytest.approx((1.0, 2.3))


def test_every_category_has_a_half_life() -> None:
    assert set(HALF_LIFE_DAYS) == set(Category)


_FOREIGN = [
    Channel.ASSISTANT,
    Channel.TOOL,
    Channel.FILE,
    Channel.WEB,
    Channel.MCP,
    Channel.IMPORTED,
    Channel.HOST,
]


@pytest.mark.parametrize("channel", _FOREIGN)
def test_foreign_words_never_become_guidance_by_repetition(channel: Channel) -> None:
    assert authority_of(channel, pieces(50, channel=channel)) is Authority.OBSERVATION


@pytest.mark.parametrize("channel", _FOREIGN)
def test_foreign_words_gain_nothing_from_trusted_evidence(channel: Channel) -> None:
    evidence = (*pieces(3), *pieces(3, channel=Channel.USER), *pieces(3, channel=channel))
    assert authority_of(channel, evidence) is Authority.OBSERVATION


def test_words_of_a_user_are_guidance() -> None:
    assert authority_of(Channel.USER, pieces(1, channel=Channel.USER)) is Authority.GUIDANCE


def test_words_said_to_be_a_users_need_a_user_who_said_them() -> None:
    assert authority_of(Channel.USER, pieces(5, channel=Channel.ASSISTANT)) is Authority.OBSERVATION


def test_a_verified_outcome_is_guidance_from_its_second_origin_on() -> None:
    assert authority_of(Channel.OUTCOME, pieces(1)) is Authority.OBSERVATION
    assert authority_of(Channel.OUTCOME, pieces(2)) is Authority.GUIDANCE


def test_an_outcome_is_not_repeated_by_what_an_agent_says() -> None:
    evidence = (*pieces(1), *pieces(9, channel=Channel.ASSISTANT))
    assert authority_of(Channel.OUTCOME, evidence) is Authority.OBSERVATION


def test_an_outcome_seen_only_after_it_was_shown_is_not_repeated() -> None:
    assert authority_of(Channel.OUTCOME, pieces(2), echoes={"story 1"}) is Authority.OBSERVATION


def test_a_decision_of_a_person_makes_guidance() -> None:
    assert authority_of(Channel.WEB, (), is_decided=True) is Authority.GUIDANCE


def test_a_page_read_in_five_stories_is_one_origin() -> None:
    assert quorum(pieces(5, channel=Channel.WEB, source="https://pears.example")) == 1


def test_five_pages_read_in_one_story_are_one_origin() -> None:
    assert quorum([piece("story", at=at, source=f"page {at}") for at in range(5)]) == 1


def test_what_speaks_against_is_not_part_of_the_quorum() -> None:
    assert quorum((*pieces(2), piece("other", is_against=True))) == 2


def test_only_evidence_as_trusted_as_the_words_backs_them() -> None:
    mixed = [piece(channel, channel=channel) for channel in Channel]
    assert {one.channel for one in backing(Channel.USER, mixed)} == {Channel.USER, Channel.OUTCOME}
    assert Channel.ASSISTANT not in {one.channel for one in backing(Channel.TOOL, mixed)}


def test_two_sessions_that_were_told_a_fix_and_saw_it_work_stand_for_one_that_found_it() -> None:
    told = {"story 1", "story 2"}
    assert quorum(pieces(3), echoes=told, is_tested=True) == 2
    assert quorum(pieces(3), echoes=told) == 1
    assert authority_of(Channel.OUTCOME, pieces(3), echoes=told, is_tested=True) is Authority.GUIDANCE


def test_told_sessions_alone_are_no_origin() -> None:
    assert quorum(pieces(9), echoes={f"story {at}" for at in range(9)}, is_tested=True) == 0


def test_a_page_that_told_sessions_read_stays_one_origin() -> None:
    read = pieces(9, channel=Channel.WEB, source="https://pears.example")
    assert quorum(read, echoes={f"story {at}" for at in range(1, 9)}, is_tested=True) == 1
    copied = pieces(9, source="https://pears.example")
    assert quorum(copied, echoes={f"story {at}" for at in range(1, 9)}, is_tested=True) == 1


@for_every(
    "channel, stated, mean",
    [
        (Channel.USER, 1.0, 0.9),
        (Channel.USER, 0.7, 0.7),
        (Channel.OUTCOME, 0.9, 0.8),
        (Channel.ASSISTANT, 0.9, 0.65),
        (Channel.ASSISTANT, 0.55, 0.55),
        (Channel.TOOL, 0.9, 0.65),
        (Channel.FILE, 0.9, 0.65),
        (Channel.WEB, 1.0, 0.5),
    ],
)
def test_what_a_model_read_is_believed_as_it_says_and_as_far_as_the_speaker_allows(
    channel: Channel, stated: float, mean: float
) -> None:
    prior = prior_of("read", channel, stated)
    assert prior.a + prior.b == pytest.approx(2.0)
    belief = belief_by(prior, [piece("s1", channel=channel)], now_ms=NOW_MS, half_life_days=None)
    assert belief.mean == pytest.approx(mean)
