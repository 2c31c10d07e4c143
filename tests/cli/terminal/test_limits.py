import signal
from typing import NoReturn

import pytest

from afterwit.cli.terminal.progress import at_most


def work_for_ever() -> NoReturn:
    while True:
        pass


def test_work_that_takes_too_long_is_interrupted() -> None:
    with pytest.raises(KeyboardInterrupt), at_most(0.01):
        work_for_ever()


def test_it_is_interrupted_even_where_ctrl_c_is_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with pytest.raises(KeyboardInterrupt), at_most(0.01):
            work_for_ever()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("seconds", [None, 600.0])
def test_work_that_is_done_in_time_is_left_alone(seconds: float | None) -> None:
    before = signal.getsignal(signal.SIGINT)
    with at_most(seconds):
        pass
    assert signal.getsignal(signal.SIGINT) is before
