"""What is known of a fix's guard: the verdicts of `guards check`, as the journal and the store keep them.

All texts are redacted and clean. What a commit changed is read from git when it is asked for, and not kept.
"""

from enum import StrEnum
from typing import NamedTuple

import msgspec


class GuardState(StrEnum):
    """Whether anything would notice if a fix were undone."""

    GUARDED = "guarded"
    GREEN = "accidentally-green"
    UNGUARDED = "unguarded"
    CANNOT = "cannot-be-run"
    UNCHECKED = "not-checked"

    @property
    def in_words(self) -> str:
        """As people read it."""
        return self.value.replace("-", " ") if self is not GuardState.CANNOT else "cannot be run"

    @property
    def meaning(self) -> str:
        """What it says, in one sentence."""
        return _MEANINGS[self.value]


_MEANINGS = {
    "guarded": "The tests that came with the fix fail without it.",
    "accidentally-green": "The tests that came with the fix pass without it.",
    "unguarded": "No test came with the fix.",
    "cannot-be-run": "Its tests cannot be run here.",
    "not-checked": "Tests came with the fix; nobody has run them without it.",
}


class GuardVerdict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How one fix was judged. Of several verdicts on a commit the last counts."""

    commit: str
    repo: str
    state: GuardState
    reason: str = ""
    subject: str = ""
    at_ms: int = 0  # of the commit
    files: tuple[str, ...] = ()  # of code that the fix changed
    tests: tuple[str, ...] = ()  # test files that came with it
    failing: tuple[str, ...] = ()  # tests that fail without the fix
    runs: tuple[str, ...] = ()  # command lines
    lines: dict[str, tuple[str, ...]] = {}  # by file: lines that the fix brought, where it is guarded


class CheckedFix(NamedTuple):
    """A verdict, and when it was made."""

    verdict: GuardVerdict
    checked_ms: int
