"""Whether an advice is right: as good as the command that really worked, and not what was there to read anyway."""

from collections.abc import Sequence
from difflib import SequenceMatcher

from afterwit.measure.plain_commands import masked
from afterwit.model.digest import DigestStep

_RIGHT = 0.7  # share of equal words


def is_right(advice: str, failed: DigestStep, fix: DigestStep) -> bool:
    """Whether the advised command is much like the fix, is not the failed command, and was not in the error text."""
    if not advice or advice in failed.error or masked(advice) == masked(failed.target):
        return False
    return alike(masked(advice), masked(fix.target)) >= _RIGHT


def alike(one: Sequence[str], other: Sequence[str]) -> float:
    return SequenceMatcher(None, one, other, autojunk=False).ratio()
