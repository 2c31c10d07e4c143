"""Transfers run several at once, no more than the target takes, end in order, and stop at the first failure."""

import threading
from functools import partial

import pytest

from afterwit.extras.backup.transfers import Transfers, fetched


@pytest.mark.parametrize("at_once", [1, 4])
def test_what_follows_comes_in_order_and_never_more_are_under_way(at_once: int) -> None:
    lock, running, most = threading.Lock(), 0, 0
    together = threading.Barrier(at_once)

    def transfer() -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        together.wait(30)  # so many have to meet, or it fails
        with lock:
            running -= 1

    ended: list[int] = []
    with Transfers(at_once) as transfers:
        for number in range(8):
            transfers.begin(transfer, partial(ended.append, number))
    assert (ended, most) == (list(range(8)), at_once)


@pytest.mark.parametrize("at_once", [1, 4])
def test_a_failure_is_told_and_nothing_after_it_counts(at_once: int) -> None:
    def transfer(number: int) -> None:
        if number == 2:
            raise OSError("the line is cut")

    ended: list[int] = []

    def send_all() -> None:
        with Transfers(at_once) as transfers:
            for number in range(20):
                transfers.begin(partial(transfer, number), partial(ended.append, number))

    with pytest.raises(OSError, match="the line is cut"):
        send_all()
    assert ended == [0, 1]
    assert not any(thread.name.startswith("backup") for thread in threading.enumerate())


@pytest.mark.parametrize("at_once", [1, 3])
def test_what_is_fetched_comes_in_order(at_once: int) -> None:
    assert list(fetched(lambda number: number * 2, range(7), at_once)) == [(number, number * 2) for number in range(7)]
    with pytest.raises(ZeroDivisionError):
        list(fetched(lambda number: 1 / number, [1, 0, 2], at_once))
