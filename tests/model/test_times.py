import datetime as dt
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.every import for_every

from afterwit.model.times import iso_from_ms, ms_from_any

MAY_DAY = 1_777_629_600_000  # 2026-05-01T10:00:00Z
YEAR_2000 = 946_684_800_000
LAST = 253_402_300_799_999


@for_every(
    "value",
    [
        "2026-05-01T10:00:00Z",
        "2026-05-01t10:00:00z",
        "2026-05-01T10:00:00.000Z",
        "2026-05-01T10:00:00.000000000Z",
        "2026-05-01T12:00:00+02:00",
        "2026-05-01T12:00:00+0200",
        "2026-05-01 10:00:00",
        "20260501T100000Z",
        " 2026-05-01T10:00:00Z\n",
        MAY_DAY,
        MAY_DAY / 1000,
        MAY_DAY // 1000,
        float(MAY_DAY),
        str(MAY_DAY),
        str(MAY_DAY // 1000),
        f"{MAY_DAY / 1000:.3f}",
    ],
)
def test_every_way_to_write_a_moment_is_understood(value: Any) -> None:
    assert ms_from_any(value) == MAY_DAY


@for_every(
    "value",
    [
        None,
        True,
        False,
        "",
        "yesterday",
        "2026-13-01T00:00:00Z",
        [],
        {},
        b"2026-05-01",
        0,
        -1,
        -MAY_DAY,
        math.nan,
        math.inf,
        -math.inf,
        "nan",
        "1e999",
        10**400,
        "9" * 5000,
        LAST + 1,
    ],
)
def test_what_names_no_moment_is_none(value: Any) -> None:
    assert ms_from_any(value) is None


@pytest.mark.parametrize("value", [3, 12.5, "0001-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00", "1970-01-01"])
def test_counters_durations_and_placeholders_are_no_moments(value: Any) -> None:
    assert ms_from_any(value) is None


def test_digits_that_also_parse_as_an_iso_date_are_milliseconds() -> None:
    text = "1712121500123"
    assert dt.datetime.fromisoformat(text).year == 1712
    assert ms_from_any(text) == 1_712_121_500_123


def test_eight_digits_are_a_date() -> None:
    assert ms_from_any("20260501") == ms_from_any("2026-05-01")


def test_fractions_are_rounded_not_cut() -> None:
    assert ms_from_any(1_777_629_600.123) == 1_777_629_600_123
    assert ms_from_any(1_777_629_600.0019999) == 1_777_629_600_002
    assert ms_from_any("2026-05-01T10:00:00.9996Z") == MAY_DAY + 1000


@given(st.integers(YEAR_2000, LAST))
def test_iso_text_and_milliseconds_are_the_same_moment(ms: int) -> None:
    text = iso_from_ms(ms)
    assert ms_from_any(text) == ms
    assert text.endswith("Z")
    assert len(text) == len("2026-05-01T10:00:00.123Z")


@given(st.integers(YEAR_2000, 4_102_444_800_000))
def test_seconds_and_milliseconds_are_the_same_moment(ms: int) -> None:
    assert ms_from_any(ms) == ms_from_any(ms / 1000) == ms_from_any(str(ms)) == ms


@given(st.one_of(st.text(), st.floats(), st.integers(), st.binary(), st.none(), st.lists(st.integers())))
def test_nothing_raises_and_every_answer_is_sane(value: Any) -> None:
    ms = ms_from_any(value)
    assert ms is None or YEAR_2000 <= ms <= LAST
