"""What reading may take: caps for a run, a day and a month, and what of them is left.

A request counts from the moment when it is asked, as what its text and the longest answer would take; when its answer
is there, as what it took; a call that failed, as what it may have taken. So no cap is passed, whatever is still under
way. Days and months are those of UTC. A model with a known price is held to dollars, one without to tokens; prices are
list prices, without discounts for batches.
"""

import datetime as dt
from typing import NamedTuple

import apsw

from afterwit.model.errors import UsageError
from afterwit.model.prices import Prices
from afterwit.model.readings import Usage
from afterwit.model.settings import ReadingSettings
from afterwit.reader.answers import GivenAnswer
from afterwit.reader.requests import ReadingRequest, tokens
from afterwit.store.decisions import ReadingUsage
from afterwit.store.rows.readings import ReadingRow, SpentSince, last_spend, spent_since


class ReadingSpent(NamedTuple):
    """What was spent, or is reserved, since the day and the month began."""

    day: SpentSince
    month: SpentSince


def spent_by(db: apsw.Connection, now_ms: int) -> ReadingSpent:
    """What was spent by a moment."""
    today = dt.datetime.fromtimestamp(now_ms / 1000, tz=dt.UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return ReadingSpent(*(spent_since(db, int(day.timestamp() * 1000)) for day in (today, today.replace(day=1))))


class ReadingEstimate(NamedTuple):
    """What a request takes at most."""

    tokens_in: int
    tokens_out: int
    cost_usd: float | None  # None: no price is known

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out


class Purse:
    """What one run may still take. Everything that is to be asked is reserved here first."""

    def __init__(self, caps: ReadingSettings, spent: ReadingSpent, budget_usd: float | None = None) -> None:
        left_usd = (caps.usd_per_day - spent.day.cost_usd, caps.usd_per_month - spent.month.cost_usd)
        left_tokens = (
            caps.tokens_per_day - spent.day.unpriced_tokens,
            caps.tokens_per_month - spent.month.unpriced_tokens,
        )
        self.left_usd = max(0.0, min(left_usd if budget_usd is None else (*left_usd, budget_usd)))
        self.left_tokens = max(0, min(left_tokens))
        self._has_budget = budget_usd is not None

    def reserve(self, wanted: ReadingEstimate, model: str) -> bool:
        """Takes what is wanted, as a whole or not at all."""
        if wanted.cost_usd is None:
            if self._has_budget:
                raise UsageError(f"No price is known for {model!r}, so --budget cannot hold. `[prices]` can add one.")
            is_left = wanted.tokens <= self.left_tokens
            self.left_tokens -= wanted.tokens if is_left else 0
            return is_left
        is_left = wanted.cost_usd <= self.left_usd
        self.left_usd -= wanted.cost_usd if is_left else 0.0
        return is_left


def estimate(
    request: ReadingRequest, model: str, prices: Prices, now_ms: int, overhead_tokens: int = 0
) -> ReadingEstimate:
    """What a request takes if its answer is as long as it may be, with what its way adds."""
    tokens_in = request.tokens + overhead_tokens
    tokens_out = request.answer_tokens
    return ReadingEstimate(tokens_in, tokens_out, cost_usd(model, tokens_in, tokens_out, prices, now_ms))


def usage_of(db: apsw.Connection, asked: ReadingRow, answer: GivenAnswer, prices: Prices) -> ReadingUsage:
    """What an answer took; where nobody said it, what was reserved for the question, and the answer's length: for one
    that is none, the longest."""
    before = last_spend(db, asked.id)
    longest = before.tokens_out if answer.fault and before is not None else tokens(answer.text)
    tokens_in = answer.tokens_in if answer.tokens_in is not None else before.tokens_in if before else 0
    tokens_out = answer.tokens_out if answer.tokens_out is not None else longest
    cost = cost_usd(asked.model, tokens_in, tokens_out, prices, asked.asked_ms)
    return ReadingUsage(tokens_in=tokens_in, tokens_out=tokens_out, cost_usd=cost)


def cost_usd(model: str, tokens_in: int, tokens_out: int, prices: Prices, at_ms: int) -> float | None:
    """By the price of the model that `llm` reaches. Agents' command lines mostly run on subscriptions: what they take
    is counted in tokens, unless somebody set a price for the whole name."""
    return prices.cost_usd(model.removeprefix("llm:"), Usage(input=tokens_in, output=tokens_out), at_ms)
