"""Commands and their fixes by the plainest definitions: words of a line, masked; the next alike command that worked.

For the baselines, which must stay as simple as what an outside examiner plays, and for judging whether an advice is
right. The product's own definitions are in `actions`.
"""

import re
import shlex
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from afterwit.model.kinds import CHANGES, ActionKind, Status, Step

_REACH = 8  # actions behind a failure in which a fix is looked for
_ALIKE = 0.5
_RIGHT = 0.7  # share of equal words
_LEADING_CD = re.compile(r"^\s*cd\s+[^&;|]+(?:&&|;)\s*")
_FILTERS = re.compile(r"\s*\|\s*(?:head|tail|cat|less|wc|sort)\b")
_REDIRECTIONS = re.compile(r"\d?>&?\S*")
_ASSIGNMENT = re.compile(r"\w+=")
_MASKS = (
    (re.compile(r"(['\"`]).*?\1"), "<q>"),
    (re.compile(r"(?:[A-Za-z]:)?[~.]?(?:/[\w.@+\-\[\]()]+)+/?"), "<p>"),
    (re.compile(r"\b[0-9a-f]{7,40}\b"), "<h>"),
    (re.compile(r"\d+"), "<n>"),
)
_TELLING = re.compile(
    r"error|fail|not found|no such|cannot|can't|unknown|unrecognized|invalid|fatal|denied|unexpected|undefined|missing"
    r"|usage:|panic|requires|not allowed|unable|no matches",
    re.IGNORECASE,
)
_FRAME = re.compile(r"Chunk ID|Wall time|Process exited|Original token|Output:|Total output|Exit code|\[rerun|\$ ")
_TRANSIENT = re.compile(
    r"rate limit|timed? ?out|ETIMEDOUT|ECONNRESET|\b50[234]\b|\b429\b|temporarily|index\.lock", re.IGNORECASE
)
_ENVIRONMENT = re.compile(
    r"command not found|not installed|No module named|Cannot find module|EACCES|permission denied|not permitted"
    r"|authenticat|ECONNREFUSED|address already in use|resolve host|executable file not found",
    re.IGNORECASE,
)
_USAGE = re.compile(
    r"unknown (?:option|flag|command|shorthand|subcommand|argument|json field|revision)|unrecognized|no matches found"
    r"|usage:|invalid (?:option|argument|flag|value|choice)|unexpected argument|script not found|missing script"
    r"|flag provided",
    re.IGNORECASE,
)


@lru_cache(maxsize=65_536)
def words_of(command: str) -> tuple[str, ...]:
    """The words of a line without a leading folder change, assignments, redirections and trailing filters."""
    line = _REDIRECTIONS.sub(" ", _FILTERS.split(_LEADING_CD.sub("", command))[0])
    try:
        words = shlex.split(line)
    except ValueError:
        words = line.split()
    start = next((at for at, word in enumerate(words) if not _ASSIGNMENT.match(word)), len(words))
    return tuple(words[start:])


def masked(command: str) -> tuple[str, ...]:
    """The words, with paths and numbers masked."""
    words = words_of(command)
    return tuple(mask(word) if "/" in word or any(letter.isdigit() for letter in word) else word for word in words)


def mask(line: str) -> str:
    for form, name in _MASKS:
        line = form.sub(name, line)
    return line.strip()[:140]


def sign_of(step: Step) -> tuple[str, str, str]:
    """What makes two failures the same: kind, the first two words, the masked telling line."""
    is_shell = step.kind is ActionKind.SHELL
    return step.kind, " ".join(words_of(step.target)[:2]) if is_shell else step.tool, mask(_telling(step.error))


def is_usage(step: Step) -> bool:
    """Whether a tool was used wrongly, which is wrong in every repository."""
    line = _telling(step.error)
    return bool(_USAGE.search(line)) and not _TRANSIENT.search(line) and not _ENVIRONMENT.search(line)


def _telling(error: str) -> str:
    stripped = (line.strip() for line in error.splitlines())
    lines = [line for line in stripped if line and not _FRAME.match(line)]
    return next((line for line in lines if _TELLING.search(line)), lines[-1] if lines else "")


def fix_of(steps: Sequence[Step], at: int) -> str:
    """The changed command that worked soon after a failed one, with nothing edited in between; "" if none did."""
    failed = steps[at]
    for step in steps[at + 1 : at + 1 + _REACH]:
        if step.kind in CHANGES:
            return ""
        is_other = step.kind is ActionKind.SHELL and step.target.strip() != failed.target.strip()
        if is_other and step.status in (Status.SUCCEEDED, Status.UNKNOWN) and _alike(failed.target, step.target):
            return step.target
    return ""


def _alike(command: str, other: str) -> bool:
    return alike(words_of(command), words_of(other)) >= _ALIKE


def is_right(advice: str, failed: Step, fix: Step) -> bool:
    """Whether the advised command is much like the fix, is not the failed command, and was not in the error text."""
    if not advice or advice in failed.error or masked(advice) == masked(failed.target):
        return False
    return alike(masked(advice), masked(fix.target)) >= _RIGHT


def alike(words: Sequence[str], others: Sequence[str]) -> float:
    return SequenceMatcher(None, words, others, autojunk=False).ratio()
