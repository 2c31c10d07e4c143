"""The verdict in words: a figure is printed only where it says something."""

import msgspec
import pytest

from afterwit.measure.effect import EffectBrief
from afterwit.measure.statistics import Finding
from afterwit.measure.words import verdict

BRIEF = EffectBrief(
    finding=Finding.NO_EVIDENCE,
    alarms=[],
    sessions=12,
    effect=-1.0,
    change=-0.1,
    low=-0.9,
    high=0.8,
    needed=480,
    chance=0.9,
    is_going_on=True,
    harmful=[],
)


def test_it_says_how_many_sessions_it_takes_where_anybody_could_wait_for_them() -> None:
    assert verdict(BRIEF) == (
        "No evidence yet: 12 of about 490 sessions that it takes to see a change of 10%."
        " With half of the sessions skipped it takes about 170."
    )


@pytest.mark.parametrize("needed", [3_000, 69_000])
def test_a_number_that_nobody_can_wait_for_is_not_printed(needed: int) -> None:
    said = verdict(msgspec.structs.replace(BRIEF, needed=needed))
    assert said == "No evidence yet: 12 sessions are too few to tell."
