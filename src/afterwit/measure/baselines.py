"""Players to compare with: each is what a few lines of code would do.

They follow the definitions of an outside examiner where it has the same player, so that its figures for these can be
compared with its figures for its own: a file counts as changed unless the call failed, five files are named. What they
remember of a repository depends on the sessions, not on their order: one that is told again replaces what was known.
"""

import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from afterwit.measure.replay import Player, Saying, Whereabouts
from afterwit.model.digest import Digest
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
def command_words(command: str) -> tuple[str, ...]:
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
    words = command_words(command)
    return tuple(mask(word) if "/" in word or any(letter.isdigit() for letter in word) else word for word in words)


def mask(line: str) -> str:
    for form, name in _MASKS:
        line = form.sub(name, line)
    return line.strip()[:140]


def sign_of(step: Step) -> tuple[str, str, str]:
    """What makes two failures the same: kind, the first two words, the masked telling line."""
    is_shell = step.kind is ActionKind.SHELL
    return (
        step.kind,
        " ".join(command_words(step.target)[:2]) if is_shell else step.tool,
        mask(_line_that_tells(step.error)),
    )


def is_usage(step: Step) -> bool:
    """Whether a tool was used wrongly, which is wrong in every repository."""
    line = _line_that_tells(step.error)
    return bool(_USAGE.search(line)) and not _TRANSIENT.search(line) and not _ENVIRONMENT.search(line)


def _line_that_tells(error: str) -> str:
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
    return alike(command_words(command), command_words(other)) >= _ALIKE


def is_right(advice: str, failed: Step, fix: Step) -> bool:
    """Whether the advised command is much like the fix, is not the failed command, and was not in the error text."""
    if not advice or advice in failed.error or masked(advice) == masked(failed.target):
        return False
    return alike(masked(advice), masked(fix.target)) >= _RIGHT


def alike(words: Sequence[str], others: Sequence[str]) -> float:
    return SequenceMatcher(None, words, others, autojunk=False).ratio()


_MOST = 5
_MIN_FAILURES = 2


class Frequent(Player):
    """The files changed in most sessions of a repository; among equals the one that was changed first."""

    name = "frequent"

    def __init__(self) -> None:
        self._changed: defaultdict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)  # by repository and session
        self._began: dict[str, tuple[int, str]] = {}  # by session

    def know(self, digest: Digest) -> None:
        steps = (step for step in digest.steps if step.kind in CHANGES and step.status is not Status.FAILED)
        files = tuple(dict.fromkeys(step.files[0] for step in steps if step.files))
        self._changed[digest.repo][digest.native_id] = files
        self._began[digest.native_id] = _place(digest)

    def prompt(self, here: Whereabouts, prompt: str) -> Iterable[Saying]:
        del prompt
        sessions = self._changed[here.repo]
        if sessions:
            in_order = sorted(sessions, key=self._began.__getitem__)
            counts = Counter(path for session in in_order for path in sessions[session])
            files = tuple(path for path, _ in counts.most_common(_MOST))
            yield Saying(text=f"Likely files: {', '.join(files)}", item=self.name, files=files)


def _place(digest: Digest) -> tuple[int, str]:
    return digest.started_ms or 0, digest.native_id


class _Failed(NamedTuple):
    """A failed command of an earlier session."""

    place: tuple[int, str, int]  # in time
    repo: str
    is_usage: bool  # a wrong use of a tool is wrong everywhere
    sign: tuple[str, str, str]
    masked: tuple[str, ...]
    fix: str


class Memoriser(Player):
    """Remembers every failed command and what worked afterwards, and says so before and after it fails again."""

    name = "memoriser"

    def __init__(self) -> None:
        self._sessions: dict[str, list[_Failed]] = {}
        self._by_command: defaultdict[tuple[str, tuple[str, ...]], list[_Failed]] = defaultdict(list)
        self._by_sign: defaultdict[tuple[str, tuple[str, str, str]], list[_Failed]] = defaultdict(list)

    def know(self, digest: Digest) -> None:
        for gone in self._sessions.pop(digest.native_id, ()):
            self._by_command[gone.repo, gone.masked].remove(gone)
            self._by_sign[_where(gone), gone.sign].remove(gone)
        self._sessions[digest.native_id] = list(_find_failures(digest))
        for failed in self._sessions[digest.native_id]:
            self._by_command[failed.repo, failed.masked].append(failed)
            self._by_sign[_where(failed), failed.sign].append(failed)

    def before(self, here: Whereabouts, step: Step) -> Iterable[Saying]:
        if step.kind is not ActionKind.SHELL:
            return
        same = self._by_command.get((here.repo, masked(step.target)), [])
        fix = _latest_fix(same)
        if len(same) >= _MIN_FAILURES and fix:
            yield Saying(text=f"Use: {fix}", item=self.name, advice=fix)

    def after(self, here: Whereabouts, step: Step) -> Iterable[Saying]:
        sign = sign_of(step)
        same = self._by_sign.get(("*", sign)) or self._by_sign.get((here.repo, sign)) or []
        fix = _latest_fix(same)
        if fix:
            yield Saying(text=f"Last time this worked: {fix}", item=self.name, advice=fix)


def _latest_fix(same: Iterable[_Failed]) -> str:
    return max(((failed.place, failed.fix) for failed in same if failed.fix), default=((), ""))[1]


def _where(failed: _Failed) -> str:
    return "*" if failed.is_usage else failed.repo


def _find_failures(digest: Digest) -> Iterator[_Failed]:
    for at, step in enumerate(digest.steps):
        if step.kind is ActionKind.SHELL and step.status is Status.FAILED:
            fix = fix_of(digest.steps, at)
            place = (*_place(digest), at)
            yield _Failed(place, digest.repo, is_usage(step), sign_of(step), masked(step.target), fix)


BASELINES: tuple[type[Player], ...] = (Player, Frequent, Memoriser)
