"""How much of a failure is looked at, and how well its answer must be believed.

One place for what learning, recall and hooks must hold alike: a hook that looked further, or spoke sooner, would say
what the backtest never tried. Imports nothing slow, so that a hook can ask.
"""

from collections.abc import Sequence

END_CHARS = 60_000  # of either end of an output
LEAST_BELIEF = 0.45  # of what may be said right after a failure


def is_any_call(program: str, words: Sequence[str], signature: str, advice: str) -> bool:
    """Whether a trigger means every call of a program, because it is missing: it can be known before the call. Of the
    failures of a program that is there it knows nothing."""
    return bool(program) and not words and not signature and advice.startswith(f"{program} →")


def ends_of(output: str) -> str:
    """An output without the middle of a huge one."""
    return output if len(output) <= 2 * END_CHARS else f"{output[:END_CHARS]}\n{output[-END_CHARS:]}"
