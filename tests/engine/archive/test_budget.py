"""Which originals go, by age, caps, value and pins."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterwit.engine.archive.evict import EvictionCandidate, EvictionPlan, Reason, plan_eviction
from afterwit.model.settings import EvictionOrder, RetentionSettings

DAY_MS = 86_400_000
NOW_MS = 1_000 * DAY_MS
FAR = 1 << 40


def planned(
    candidates: list[EvictionCandidate], soft: int = FAR, hard: int | None = FAR, **more: object
) -> EvictionPlan:
    limits = RetentionSettings(raw_soft_cap_bytes=soft, raw_hard_cap_bytes=hard, **more)  # type: ignore[arg-type]
    return plan_eviction(candidates, limits, NOW_MS)


def going(plan: EvictionPlan) -> list[int]:
    return [candidate.id for candidate in plan.candidates]


def analysed(number: int, packed_bytes: int = 10, **more: object) -> EvictionCandidate:
    given: dict[str, object] = {"ended_ms": number * DAY_MS, "is_analysed": True, **more}
    return EvictionCandidate(number, packed_bytes, **given)  # type: ignore[arg-type]


def test_nothing_goes_within_the_caps() -> None:
    plan = planned([analysed(1), analysed(2)], soft=20)
    assert plan == EvictionPlan(20, [], is_over=False)
    assert plan.after_bytes == 20


def test_the_least_value_per_byte_goes_first() -> None:
    candidates = [analysed(1, 10, value=5.0), analysed(2, 100, value=10.0), analysed(3, 1, value=0.3)]
    assert going(planned(candidates, soft=11)) == [2]
    assert going(planned(candidates, soft=9)) == [2, 3, 1]


def test_of_equal_value_the_oldest_goes_first() -> None:
    assert going(planned([analysed(3), analysed(1), analysed(2)], soft=10)) == [1, 2]


def test_the_oldest_go_first_if_so_configured() -> None:
    candidates = [analysed(1, value=9.0), analysed(2, value=0.0), analysed(3, value=1.0)]
    assert going(planned(candidates, soft=20, order=EvictionOrder.OLDEST)) == [1]
    assert going(planned(candidates, soft=20)) == [2]


def test_the_soft_cap_touches_neither_what_is_kept_nor_what_is_not_analysed() -> None:
    candidates = [analysed(1, is_kept=True), analysed(2, is_analysed=False), analysed(3)]
    plan = planned(candidates, soft=1)
    assert going(plan) == [3]
    assert (plan.after_bytes, plan.lost, plan.is_over) == (20, [], False)


def test_above_the_hard_cap_what_is_not_analysed_goes_last_and_is_named() -> None:
    candidates = [analysed(1, is_analysed=False), analysed(2), analysed(3, is_kept=True)]
    plan = planned(candidates, soft=15, hard=15)
    assert [(each.reason, [one.id for one in each.candidates]) for each in plan.passes] == [
        (Reason.SOFT_CAP, [2]),
        (Reason.HARD_CAP, [1]),
    ]
    assert [one.id for one in plan.lost] == [1]
    assert not plan.is_over


def test_what_is_kept_may_exceed_the_hard_cap_and_that_is_said() -> None:
    plan = planned([analysed(1, is_kept=True), analysed(2, is_kept=True, is_analysed=False)], soft=5, hard=5)
    assert (going(plan), plan.after_bytes, plan.is_over) == ([], 20, True)


def test_what_is_older_than_the_limit_goes_if_it_is_analysed() -> None:
    old, new = analysed(899), analysed(901)
    lost = analysed(1, is_analysed=False)
    plan = planned([old, new, lost, analysed(2, is_kept=True)], raw_max_age_days=100)
    assert [(each.reason, each.freed_bytes, each.after_bytes) for each in plan.passes] == [(Reason.AGE, 10, 30)]
    assert going(plan) == [899]


def test_the_hard_cap_is_twice_the_soft_cap_if_it_is_not_given() -> None:
    assert RetentionSettings(raw_soft_cap_bytes=7).hard_cap_bytes == 14
    plan = planned([analysed(number, is_analysed=False) for number in range(3)], soft=10, hard=None)
    assert len(plan.lost) == 1


CANDIDATES = st.lists(
    st.builds(
        EvictionCandidate,
        id=st.integers(0, 10**6),
        packed_bytes=st.integers(1, 1_000),
        ended_ms=st.integers(0, NOW_MS),
        value=st.sampled_from([0.0, 1.0, 2.5]),
        is_analysed=st.booleans(),
        is_kept=st.booleans(),
    ),
    unique_by=lambda one: one.id,
    max_size=12,
)


@given(CANDIDATES, st.integers(1, 4_000), st.integers(0, 4_000), st.integers(0, 900), st.randoms())
def test_the_caps_hold_and_nothing_goes_that_may_stay(
    candidates: list[EvictionCandidate], soft: int, above: int, days: int, order: random.Random
) -> None:
    plan = planned(candidates, soft, soft + above, raw_max_age_days=days)
    gone = {candidate.id for candidate in plan.candidates}
    left = [one for one in candidates if one.id not in gone]
    assert plan.after_bytes == sum(one.packed_bytes for one in left)
    assert not any(one.is_kept for one in candidates if one.id in gone)
    assert plan.after_bytes <= soft or not any(one.is_analysed and not one.is_kept for one in left)
    assert plan.is_over == (plan.after_bytes > soft + above)
    assert not plan.is_over or all(one.is_kept for one in left)
    analysed_left = sum(one.packed_bytes for one in candidates if one.is_kept or not one.is_analysed)
    assert not plan.lost or analysed_left > soft + above
    order.shuffle(candidates)
    assert planned(candidates, soft, soft + above, raw_max_age_days=days) == plan


@pytest.mark.parametrize("hard", [9, 10, 11])
def test_exactly_at_a_cap_is_within_it(hard: int) -> None:
    assert bool(planned([analysed(1, 10, is_analysed=False)], soft=1, hard=hard).lost) == (hard < 10)
