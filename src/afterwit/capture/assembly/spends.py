"""What one response cost, as a row. Logs tell the same response several times, and in pieces.

Rows of one response merge in any order to the same row. Figures that mean nothing are brought into the range that sums
can hold. Whose the response is, where several files tell of it, is settled elsewhere.
"""

from afterwit.model.captured import SpendRow
from afterwit.model.readings import Spend

_MOST_TOKENS = 10**12  # of one response; the sums of a session must fit a row


def spend_row(part: int, key: int, model: str, spend: Spend) -> SpendRow:
    """The row of a response, under the redacted name of its model."""
    return SpendRow(part, key, spend.at_ms, model, *_figures(spend))


def merged_spend(one: SpendRow, other: SpendRow) -> SpendRow:
    """One response read twice, or in pieces: the largest figures count. Commutative and idempotent."""
    times = [at for at in (one.at_ms, other.at_ms) if at is not None]
    costs = [cost for cost in (one.cost_usd, other.cost_usd) if cost is not None]
    return SpendRow(
        one.part,
        one.key,
        min(times, default=None),
        max(one.model, other.model),
        max(one.input, other.input),
        max(one.cache_read, other.cache_read),
        max(one.cache_write, other.cache_write),
        max(one.output, other.output),
        max(one.reasoning, other.reasoning),
        max(costs, default=None),
    )


def _figures(spend: Spend) -> tuple[int, int, int, int, int, float | None]:
    usage = spend.usage
    counts = (usage.input, usage.cache_read, usage.cache_write, usage.output, usage.reasoning)
    if min(counts) < 0 or max(counts) > _MOST_TOKENS:
        read, cache_read, cache_write, output, reasoning = (min(max(count, 0), _MOST_TOKENS) for count in counts)
        counts = read, cache_read, cache_write, output, reasoning
    return *counts, spend.cost_usd
