"""What can be asked about a failure before anything slow is loaded: how much of it is looked at, which path it misses.

One place for what learning, recall and hooks must hold alike: a hook that looked further, or spoke sooner, would say
what the backtest never tried. Plain searches in texts and no patterns, so that a hook can ask.
"""

from collections.abc import Sequence

_WRONG = ("no such file", "does not exist", "is a directory", "eisdir", "not a directory")
_BEFORE = ("_", ".", "-")
_AFTER = ("_", ".", "/", "-")
END_CHARS = 60_000  # of either end of an output
LEAST_BELIEF = 0.45  # of what may be said right after a failure


def is_any_call(program: str, words: Sequence[str], signature: str, advice: str) -> bool:
    """Whether a trigger means every call of a program, because it is missing: it can be known before the call. Of the
    failures of a program that is there it knows nothing."""
    return bool(program) and not words and not signature and advice.startswith(f"{program} →")


def ends_of(output: str) -> str:
    """An output without the middle of a huge one."""
    return output if len(output) <= 2 * END_CHARS else f"{output[:END_CHARS]}\n{output[-END_CHARS:]}"


def says_missing(error: str) -> bool:
    """Whether an error speaks of a wrong path at all."""
    lowered = error.lower()
    return any(words in lowered for words in _WRONG)


def names_missing(path: str, error: str) -> bool:
    """Whether an error speaks of this wrong path: by itself, and not as a piece of another."""
    return says_missing(error) and _stands_alone(path, error)


def _stands_alone(path: str, error: str) -> bool:
    at = error.find(path)
    while at >= 0:
        end = at + len(path)
        if _is_free(error[max(0, at - 1) : at], _BEFORE) and _is_free(error[end : end + 1], _AFTER):
            return True
        at = error.find(path, at + 1)
    return False


def _is_free(neighbour: str, taken: tuple[str, ...]) -> bool:
    return not neighbour.isalnum() and neighbour not in taken
