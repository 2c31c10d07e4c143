import random

from afterwit.measure.backtest import compared


def test_a_player_that_finds_more_in_every_session_is_better_and_the_other_worse() -> None:
    ours = {str(number): 0.8 for number in range(40)}
    theirs = {str(number): 0.2 + number % 3 * 0.1 for number in range(40)}
    found = compared("simple", ours, theirs, random.Random(1))
    assert found is not None
    assert found.verdict == "better"
    assert found.sessions == 40
    assert found.interval[0] <= found.recall_difference <= found.interval[1]
    other_way = compared("simple", theirs, ours, random.Random(1))
    assert other_way is not None
    assert other_way.verdict == "worse"


def test_one_lucky_session_is_no_proof() -> None:
    ours = {str(number): float(number == 0) for number in range(20)}
    theirs = dict.fromkeys(ours, 0.0)
    found = compared("simple", ours, theirs, random.Random(1))
    assert found is not None
    assert found.verdict == "not clearly better or worse"


def test_only_sessions_that_both_were_scored_on_count() -> None:
    found = compared("simple", {"a": 1.0, "b": 1.0}, {"b": 0.0, "c": 1.0}, random.Random(1))
    assert found is not None
    assert (found.sessions, found.recall_difference) == (1, 1.0)


def test_without_a_session_there_is_no_comparison() -> None:
    assert compared("simple", {"a": 1.0}, {}, random.Random(1)) is None


def test_the_same_seed_gives_the_same_interval() -> None:
    ours = {str(number): number / 30 for number in range(30)}
    theirs = {str(number): (number * 7 % 30) / 30 for number in range(30)}
    assert compared("x", ours, theirs, random.Random(3)) == compared("x", ours, theirs, random.Random(3))
