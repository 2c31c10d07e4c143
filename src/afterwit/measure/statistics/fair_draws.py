"""Whether sessions were told as often as their recorded chances say: the alarm for a broken draw.

If a hook fails more often in told sessions, or logs of one side are lost, then the sides cannot be compared. Bets are
made against the recorded chances: that the odds of being told are really some factor of what was recorded. With true
chances nobody can win such bets in the long run: that their capital ever grows a thousandfold has a probability of one
in a thousand, exactly, however many sessions there are and however often one looks.
"""

from collections.abc import Iterable
from math import exp, log

import msgspec

from afterwit.measure.statistics.trials import Draw

ALARM = 1000.0
_ODDS = (1 / 16, 1 / 4, 1 / 2, 1 / 1.25, 1.25, 2.0, 4.0, 16.0)  # the factors that are bet on


class DrawCheck(msgspec.Struct, frozen=True, kw_only=True):
    """How the draws came out, and what was won with bets against their chances."""

    draws: int
    told: int
    expected_told: float
    capital: float  # of 1 at the start, at its highest
    is_alarming: bool


def check_draws(draws: Iterable[Draw]) -> DrawCheck:
    """Looks after every draw. Draws that could come out in one way only are no draws."""
    logs = [0.0] * len(_ODDS)
    count = told = 0
    expected = highest = 0.0
    for draw in draws:
        chance = draw.chance
        if not 0.0 < chance < 1.0:
            continue
        count += 1
        told += draw.is_told
        expected += chance
        for bet, odds in enumerate(_ODDS):
            logs[bet] += (log(odds) if draw.is_told else 0.0) - log(1 - chance + odds * chance)
        highest = max(highest, _log_mean(logs))
    capital = exp(min(highest, 700.0))
    return DrawCheck(draws=count, told=told, expected_told=expected, capital=capital, is_alarming=capital >= ALARM)


def _log_mean(logs: list[float]) -> float:
    """The logarithm of the mean of what the bets hold."""
    top = max(logs)
    return top + log(sum(exp(value - top) for value in logs) / len(logs))
