import datetime as dt

from afterwit.measure.collect import ReportDay, as_lines, days_in, with_day


def day(name: str, in_use: int = 1) -> ReportDay:
    return ReportDay(day=name, in_use=in_use, **dict.fromkeys(set(ReportDay.__struct_fields__) - {"day", "in_use"}, 0))


def test_the_last_run_of_a_day_counts_and_days_keep_their_order() -> None:
    days = with_day([day("2026-05-02", 1), day("2026-05-01", 5)], day("2026-05-02", 2))
    assert [(kept.day, kept.in_use) for kept in days] == [("2026-05-01", 5), ("2026-05-02", 2)]


def test_a_clock_that_went_back_loses_no_day() -> None:
    assert [kept.day for kept in with_day([day("2026-05-09")], day("2026-05-02"))] == ["2026-05-02", "2026-05-09"]


def test_the_history_is_bounded() -> None:
    first = dt.date(2020, 1, 1)
    days = [day((first + dt.timedelta(at)).isoformat()) for at in range(1_100)]
    kept = with_day(days, day("2026-05-01"))
    assert (len(kept), kept[0].day, kept[-1].day) == (1_100, "2020-01-02", "2026-05-01")


def test_a_line_that_makes_no_sense_is_passed_over() -> None:
    whole = as_lines([day("2026-05-01"), day("2026-05-02")])
    damaged = b'{"day": 3}\n\xff\n' + whole + b'{"day": "2026-'
    assert [kept.day for kept in days_in(damaged)] == ["2026-05-01", "2026-05-02"]
