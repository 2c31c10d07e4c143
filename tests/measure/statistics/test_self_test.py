"""The self-test: arms that mean nothing, over sessions that were."""

from tests.measure.statistics.histories import history

from afterwit.measure.statistics import Trial, self_test


def test_arms_that_mean_nothing_hardly_ever_get_a_verdict() -> None:
    verdicts = self_test(history(1, 300), chance=0.9, rounds=100)
    assert verdicts.of == 100
    assert verdicts.hits <= 5


def test_the_arms_that_were_really_drawn_do_not_matter() -> None:
    trials = history(2, 200, chance=0.5)
    bare = [Trial(stratum=trial.stratum, value=trial.value) for trial in trials]
    assert self_test(trials, chance=0.5, rounds=20) == self_test(bare, chance=0.5, rounds=20)


def test_the_same_seed_gives_the_same_answer() -> None:
    trials = history(3, 300, chance=0.5)
    assert self_test(trials, chance=0.5, rounds=50, seed=1, alpha=0.9) == self_test(
        trials, chance=0.5, rounds=50, seed=1, alpha=0.9
    )


def test_a_careless_judgement_is_found_out() -> None:
    assert self_test(history(4, 300), chance=0.5, rounds=50, alpha=0.9).hits > 5


def test_without_sessions_there_is_no_verdict() -> None:
    assert self_test([], chance=0.9, rounds=10) == (0, 10)
