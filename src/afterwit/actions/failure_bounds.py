"""How much of a failure is looked at, and how well its answer must be believed.

One place for what learning, recall and hooks must hold alike: a hook that looked further, or spoke sooner, would say
what the backtest never tried. Imports nothing, so that a hook can ask.
"""

END_CHARS = 60_000  # of either end of an output
LEAST_BELIEF = 0.45  # of what may be said right after a failure


def ends_of(output: str) -> str:
    """An output without the middle of a huge one."""
    return output if len(output) <= 2 * END_CHARS else f"{output[:END_CHARS]}\n{output[-END_CHARS:]}"
