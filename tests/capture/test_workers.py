"""Workers are started for much work, and do the next stage's, too."""

import multiprocessing
import os

import pytest

from afterwit.capture.workers import Workers


def process_of(task: int) -> int:
    return os.getpid() + 0 * task


def refusing(task: int) -> int:
    raise LookupError(task)


def processes(workers: Workers, *, is_much: bool) -> set[int]:
    return {process for _, process in workers.spread(range(8), process_of, is_much=is_much)}


@pytest.mark.parametrize(("jobs", "is_much"), [(1, True), (2, False)])
def test_little_work_and_one_job_stay_in_this_process(jobs: int, is_much: bool) -> None:
    with Workers(jobs) as workers:
        assert not workers.are_worth(is_much=is_much)
        assert processes(workers, is_much=is_much) == {os.getpid()}


def test_workers_that_are_there_do_little_work_too_and_end_with_the_run() -> None:
    with Workers(2) as workers:
        started = processes(workers, is_much=True)
        assert os.getpid() not in started
        assert os.getpid() not in processes(workers, is_much=False)
        assert len(started | processes(workers, is_much=True)) <= 2
    assert not {child.pid for child in multiprocessing.active_children()} & started


def test_every_task_has_its_own_answer() -> None:
    with Workers(2) as workers:
        answered = list(workers.spread(range(-9, 9), abs, is_much=True))
    assert sorted(answered) == [(task, abs(task)) for task in range(-9, 9)]


def test_what_a_worker_raises_reaches_who_asked() -> None:
    with pytest.raises(LookupError), Workers(2) as workers:
        list(workers.spread(range(2), refusing, is_much=True))
