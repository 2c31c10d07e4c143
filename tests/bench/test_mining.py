"""The table of mining: both miners see the same skills, and ratios are of what was measured."""

import pytest
from bench.mining import _SKILLS, mined, mined_naively, sessions_of, table


def test_both_miners_find_the_same_skills() -> None:
    sessions = sessions_of(2_000)
    naive = mined_naively(sessions)
    assert set(naive) - {""} <= set(_SKILLS)
    assert mined(sessions) >= len(naive) - 1


@pytest.mark.slow
def test_the_table_holds_ratios_of_its_own_figures() -> None:
    figures = table(500, 1_000, rounds=1)
    assert figures.mining_growth == figures.mining_100k_s / figures.mining_10k_s
    assert figures.mining_of_quadratic == figures.mining_10k_s / figures.quadratic_10k_s
    assert figures.detect_growth == figures.detect_100k_s / figures.detect_10k_s
