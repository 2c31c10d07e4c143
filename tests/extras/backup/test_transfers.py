"""Transfers run several at once, no more than the target takes, end in order, and stop at the first failure."""

import threading
from collections.abc import Iterator

import pytest

from afterwit.extras.backup.vault import several_at_once


@pytest.mark.parametrize("at_once", [1, 4])
def test_what_follows_comes_in_order_and_never_more_are_under_way(at_once: int) -> None:
    lock, running, most = threading.Lock(), 0, 0
    together = threading.Barrier(at_once)

    def transfer(number: int) -> int:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        together.wait(30)  # so many have to meet, or it fails
        with lock:
            running -= 1
        return number * 2

    assert list(several_at_once(transfer, range(8), at_once)) == [(number, number * 2) for number in range(8)]
    assert most == at_once


@pytest.mark.parametrize("at_once", [1, 4])
def test_a_failure_is_told_and_nothing_after_it_counts(at_once: int) -> None:
    taken: list[int] = []
    ended: list[int] = []

    def wanted() -> Iterator[int]:
        for number in range(20):
            taken.append(number)
            yield number

    def transfer(number: int) -> None:
        if number == 2:
            raise OSError("the line is cut")

    with pytest.raises(OSError, match="the line is cut"):
        ended.extend(number for number, _ in several_at_once(transfer, wanted(), at_once))
    assert (ended, len(taken) <= 3 + at_once) == ([0, 1], True)
    assert not any(thread.name.startswith("backup") for thread in threading.enumerate())
