"""Scores of a backtest by the product's own definitions: what there was to win, and what a player's notes won of it.

Three pools: *files* that earlier sessions of the repository had changed and this one changes again; *commands* that
failed in a way known from an earlier session; *rules* that two earlier sessions had met. Earlier is what began
earlier, whether it was scored or not. Against the pools stands the noise. Saved actions are an estimate: searches
before a file that was named, and actions between a failure and the fix that was advised. Fed session by session.
"""

import random
import shlex
from collections import defaultdict
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any

import msgspec

from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.programs import Weight
from afterwit.digest.digester import files_printed
from afterwit.measure.replay import NoteMoment, PlayerNote
from afterwit.model.digest import Digest, Failure
from afterwit.model.kinds import CHANGES, ActionKind, FailureClass, ResolutionKind, Status, Step
from afterwit.model.text import regex
from afterwit.redaction.markers import CLOSING, OPENING


class HelpfulMoment(msgspec.Struct, frozen=True, kw_only=True):
    """A note that would have spared something."""

    at_ms: int | None
    session: str
    agent: str
    repo: str
    prompt: str = ""  # the session's task, where files were named
    command: str = ""  # that failed, where a fix was named
    error: str = ""
    said: str
    item: str  # what stands behind the note
    until: str  # the file or the command that the session came to by itself
    spared_actions: int
    spared_seconds: int | None = None

    @property
    def is_failure(self) -> bool:
        """Whether a fix was named; else files were."""
        return not self.prompt


def moment_of_files(digest: Digest, note: PlayerNote, path: str, touch: int, searches: int) -> HelpfulMoment | None:
    """The file of the task was named before the session looked for it. Those that were named first cost a look each.
    None where it would not have helped: the prompt names the file itself, or the work on it was only asked for later.
    """
    spared = searches - note.files.index(path)
    if spared <= 0 or path.rpartition("/")[2].lower() in digest.task.lower() or _is_asked_later(digest, touch):
        return None
    said = _line_about(note.text, path)
    return _moment(digest, note, prompt=digest.task, said=said, until=path, spared_actions=spared)


def _is_asked_later(digest: Digest, touch: int) -> bool:
    """Whether another prompt came before this action."""
    at_s = digest.steps[touch].at_s if touch < len(digest.steps) else None
    times = [said.at_ms for said in digest.prompts[1:] if said.at_ms is not None]
    if at_s is None or digest.started_ms is None:
        return bool(digest.prompts[1:])
    return any(at_ms <= digest.started_ms + at_s * 1000 for at_ms in times)


def moment_of_failure(digest: Digest, note: PlayerNote, failure: Failure, fix: int, spared: int) -> HelpfulMoment:
    """The fix of a failure was named before the session found it."""
    failed, fixed = digest.steps[failure.at], digest.steps[fix]
    seconds = None if failed.at_s is None or fixed.at_s is None else fixed.at_s - failed.at_s
    moment = _moment(digest, note, said=_plain(note.text), until=fixed.target, spared_actions=spared)
    at_ms = None if digest.started_ms is None else digest.started_ms + 1000 * (failed.at_s or 0)
    return msgspec.structs.replace(
        moment, at_ms=at_ms, command=failed.target, error=failed.error, spared_seconds=seconds
    )


def _moment(digest: Digest, note: PlayerNote, **about: Any) -> HelpfulMoment:
    return HelpfulMoment(
        at_ms=digest.started_ms,
        session=digest.native_id,
        agent=digest.agent,
        repo=digest.repo,
        item=note.item,
        **about,
    )


def best_moments(moments: Iterable[HelpfulMoment], most: int) -> list[HelpfulMoment]:
    """Those that spare most: of each session only the best, and the same matter again only if there are no others."""
    by_session: dict[str, HelpfulMoment] = {}
    for moment in sorted(moments, key=_rank):
        by_session.setdefault(moment.session, moment)
    by_matter: dict[str, HelpfulMoment] = {}
    for moment in by_session.values():
        by_matter.setdefault(moment.item if moment.command else f"{moment.repo} {moment.until}", moment)
    again = [moment for moment in by_session.values() if moment not in by_matter.values()]
    return sorted([*by_matter.values(), *again][:most], key=_rank)


def _rank(moment: HelpfulMoment) -> tuple[int, int, int, str]:
    return -moment.spared_actions, -(moment.spared_seconds or 0), -(moment.at_ms or 0), moment.session


def _plain(text: str) -> str:
    """What was said, without what marks it for agents and logs."""
    lines = (line.removeprefix("- ") for line in text.splitlines() if line not in (OPENING, CLOSING))
    return "\n".join(lines)


def _line_about(text: str, path: str) -> str:
    """The line that names the file, behind its heading."""
    heading = ""
    for line in text.splitlines():
        if path in line:
            return f"{heading} {line.removeprefix('- ')}".strip()
        heading = heading if line.startswith("- ") else line.strip()
    return text


TOP = 5
_KNOWN_FILES = 20  # fewer known files in a repository are no pool
_RULE_SESSIONS = 2
_ROUNDS = 1000
_COUNTED = (FailureClass.INVOCATION, FailureClass.ENVIRONMENT)


_SHARES = {  # of a score: a part of a tally, and of what it is one
    "recall_at_5": ("recall", "file_sessions"),
    "precision_at_5": ("named_right", "named"),
    "searches_spared": ("searches_spared", "searches"),
    "covered": ("covered", "repeats"),
    "right": ("fixed", "fixable"),
    "rules_reminded": ("rules_reminded", "rules"),
    "false_alarms": ("false_alarms", "before"),
}


class ScoreTally(msgspec.Struct):
    """Counts of one group of sessions: all, one repository, one agent."""

    sessions: int = 0
    actions: int = 0
    file_sessions: int = 0
    recall: float = 0.0  # sum over sessions
    named: int = 0  # files named in those sessions, at most five each
    named_right: int = 0
    searches: int = 0
    searches_spared: int = 0
    repeats: int = 0  # failures known from before
    covered: int = 0
    fixable: int = 0
    fixed: int = 0
    rules: int = 0
    rules_reminded: int = 0
    before: int = 0
    false_alarms: int = 0
    spoken: int = 0  # notes before and after actions
    saved: int = 0
    spent_tokens: float = 0.0

    def join(self, other: "ScoreTally") -> None:
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one player on one group of sessions. None: there was nothing to win."""

    sessions: int
    actions: int
    recall_at_5: float | None
    precision_at_5: float | None
    searches: int
    searches_spared: float | None
    repeats: int
    covered: float | None
    right: float | None
    rules: int
    rules_reminded: float | None
    false_alarms: float | None
    notes_per_100_actions: float
    saved_per_1000: float
    tokens_per_session: float


class PlayerReport(msgspec.Struct, frozen=True, kw_only=True):
    """One player's scores: as a whole, with an interval, and by repository and agent."""

    player: str
    whole: Score
    interval: tuple[float, float]  # of the saved actions per 1000, 95 %, drawn by session
    start_tokens_median: float
    start_tokens_p95: float
    by_repo: dict[str, Score]
    by_agent: dict[str, Score]


class Scorer:
    """The scores of one player, gathered over the sessions in order."""

    def __init__(self, player: str) -> None:
        self.player = player
        self._whole: list[ScoreTally] = []
        self._by_repo: defaultdict[str, ScoreTally] = defaultdict(ScoreTally)
        self._by_agent: defaultdict[str, ScoreTally] = defaultdict(ScoreTally)
        self._start_tokens: list[float] = []
        self.moments: list[HelpfulMoment] = []  # in which something would have been spared
        self._files: defaultdict[str, set[str]] = defaultdict(set)
        self._signs: set[tuple[str, str]] = set()
        self._rules: defaultdict[tuple[str, str], set[str]] = defaultdict(set)

    def take(self, digest: Digest, calls: Sequence[str], notes: Sequence[PlayerNote]) -> None:
        """One session, with what was said in it."""
        tally = ScoreTally(sessions=1, actions=len(digest.steps))
        self._score_files(tally, digest, notes)
        self._score_failures(tally, digest, calls, notes)
        self._score_rules(tally, digest, notes)
        self._score_noise(tally, digest, calls, notes)
        self._whole.append(tally)
        self._by_repo[digest.repo].join(tally)
        self._by_agent[digest.agent].join(tally)
        self.remember(digest)

    def report(self, rng: random.Random) -> PlayerReport:
        from statistics import median

        whole = ScoreTally()
        for tally in self._whole:
            whole.join(tally)
        tokens = sorted(self._start_tokens) or [0.0]
        return PlayerReport(
            player=self.player,
            whole=_score(whole),
            interval=_interval(self._whole, rng),
            start_tokens_median=median(tokens),
            start_tokens_p95=tokens[int(len(tokens) * 0.95)],
            by_repo={name: _score(tally) for name, tally in sorted(self._by_repo.items())},
            by_agent={name: _score(tally) for name, tally in sorted(self._by_agent.items())},
        )

    def _score_files(self, tally: ScoreTally, digest: Digest, notes: Sequence[PlayerNote]) -> None:
        earlier = self._files[digest.repo]
        old = [path for path in changed_files(digest) if path in earlier]
        if not old or not digest.task or len(earlier) < _KNOWN_FILES:
            return
        spoken = (path for note in notes if note.moment in (NoteMoment.START, NoteMoment.PROMPT) for path in note.files)
        top = list(dict.fromkeys(spoken))[:TOP]
        right = [path for path in old if path in top]
        searches = searches_before(digest, old[0])
        tally.file_sessions = 1
        tally.recall = len(right) / min(TOP, len(old))
        tally.named, tally.named_right = len(top), len(right)
        tally.searches = searches
        tally.searches_spared = searches if old[0] in top else 0
        tally.saved += tally.searches_spared
        if tally.searches_spared:
            named = next(note for note in notes if old[0] in note.files)
            moment = moment_of_files(digest, named, old[0], first_touch(digest, old[0]), searches)
            self.moments.extend([moment] if moment else [])

    def _score_failures(
        self, tally: ScoreTally, digest: Digest, calls: Sequence[str], notes: Sequence[PlayerNote]
    ) -> None:
        at = _by_call(notes)
        seen: set[str] = set()
        for failure in digest.failures:
            if failure.failure not in _COUNTED or failure.signature in seen:
                continue
            seen.add(failure.signature)
            if self._is_known(digest, failure):
                self._score_failure(tally, digest, failure, at.get(calls[failure.at], []))

    def _score_failure(self, tally: ScoreTally, digest: Digest, failure: Failure, notes: Sequence[PlayerNote]) -> None:
        tally.repeats += 1
        tally.covered += bool(notes)
        if failure.resolution is not ResolutionKind.CHANGED or failure.by is None or not notes:
            return
        fix = digest.steps[failure.by]
        tally.fixable += 1
        right = [note for note in notes if is_right(note.advice, digest.steps[failure.at], fix)]
        tally.fixed += bool(right)
        for note in right[:1]:
            spared = failure.by - failure.at - 1
            tally.saved += spared
            if spared > 0:
                self.moments.append(moment_of_failure(digest, note, failure, failure.by, spared))

    def _is_known(self, digest: Digest, failure: Failure) -> bool:
        return (digest.repo, failure.signature) in self._signs or ("*", failure.signature) in self._signs

    def _score_rules(self, tally: ScoreTally, digest: Digest, notes: Sequence[PlayerNote]) -> None:
        text = "\n".join(note.text for note in notes)
        for rule in dict.fromkeys(rule.id for rule in digest.rules):
            if len(self._rules[digest.repo, rule]) >= _RULE_SESSIONS:
                tally.rules += 1
                tally.rules_reminded += rule in text

    def _score_noise(
        self, tally: ScoreTally, digest: Digest, calls: Sequence[str], notes: Sequence[PlayerNote]
    ) -> None:
        failed = {call for call, step in zip(calls, digest.steps, strict=True) if step.status is Status.FAILED}
        for note in notes:
            tally.spent_tokens += note.tokens
            tally.spoken += note.moment in (NoteMoment.BEFORE, NoteMoment.AFTER)
            if note.moment is NoteMoment.BEFORE:
                tally.before += 1
                tally.false_alarms += note.action not in failed
        tally.saved -= tally.false_alarms
        self._start_tokens.append(sum(note.tokens for note in notes if note.moment is NoteMoment.START))

    def remember(self, digest: Digest) -> None:
        """A session that later ones can be measured against."""
        self._files[digest.repo].update(changed_files(digest))
        for failure in digest.failures:
            place = "*" if failure.failure is FailureClass.INVOCATION else digest.repo
            self._signs.add((place, failure.signature))
        for rule in digest.rules:
            self._rules[digest.repo, rule.id].add(digest.native_id)


def changed_files(digest: Digest) -> list[str]:
    """The files that a session changed, in the order of the first change."""
    steps = (step for step in digest.steps if step.kind in CHANGES and step.status is not Status.FAILED)
    return list(dict.fromkeys(path for step in steps for path in step.files))


def searches_before(digest: Digest, path: str) -> int:
    """How many actions looked around before this file was first touched."""
    return sum(map(is_search, digest.steps[: first_touch(digest, path)]))


def first_touch(digest: Digest, path: str) -> int:
    """The position of the first action that shows or changes this file."""
    touches = (at for at, step in enumerate(digest.steps) if path in step.files or _shows(step, path))
    return next(touches, len(digest.steps))


def _shows(step: Step, path: str) -> bool:
    if step.kind is ActionKind.READ:
        return _is_end(path, step.target)
    return step.kind is ActionKind.SHELL and any(_is_end(shown, path) for shown in files_printed(step.target))


def _is_end(short: str, path: str) -> bool:
    """Whether a path is another one, or its last parts."""
    return path == short or path.endswith(f"/{short.removeprefix('./')}")


def is_search(step: Step) -> bool:
    """Whether an action only looks for something."""
    if step.kind is not ActionKind.SHELL:
        return step.kind is ActionKind.SEARCH
    main = parsed(step.target).main
    return main is not None and main.weight is Weight.LOOKS


def _by_call(notes: Iterable[PlayerNote]) -> dict[str, list[PlayerNote]]:
    """What was said about each action; a prompt and an activity that happen to follow it are not about it."""
    by_call: dict[str, list[PlayerNote]] = {}
    for note in notes:
        if note.action is not None and not note.occasion:
            by_call.setdefault(note.action, []).append(note)
    return by_call


def _share(part: float, whole: float) -> float | None:
    return round(part / whole, 3) if whole else None


def _score(tally: ScoreTally) -> Score:
    shares = {name: _share(getattr(tally, part), getattr(tally, whole)) for name, (part, whole) in _SHARES.items()}
    return Score(
        sessions=tally.sessions,
        actions=tally.actions,
        searches=tally.searches,
        repeats=tally.repeats,
        rules=tally.rules,
        notes_per_100_actions=_share(100 * tally.spoken, tally.actions) or 0.0,
        saved_per_1000=_share(1000 * tally.saved, tally.actions) or 0.0,
        tokens_per_session=_share(tally.spent_tokens, tally.sessions) or 0.0,
        **shares,
    )


def _interval(tallies: Sequence[ScoreTally], rng: random.Random) -> tuple[float, float]:
    """95 % bootstrap interval of the saved actions per 1000, drawn by session."""
    if not tallies:
        return 0.0, 0.0
    pairs = [(tally.saved, tally.actions) for tally in tallies]
    draws = sorted(_rate(rng.choices(pairs, k=len(pairs))) for _ in range(_ROUNDS))
    return round(draws[int(_ROUNDS * 0.025)], 2), round(draws[int(_ROUNDS * 0.975)], 2)


def _rate(pairs: Sequence[tuple[int, int]]) -> float:
    return 1000 * sum(saved for saved, _ in pairs) / max(1, sum(actions for _, actions in pairs))


_RIGHT = 0.7  # share of equal words
_LEADING_CD = regex(r"^\s*cd\s+[^&;|]+(?:&&|;)\s*")
_FILTERS = regex(r"\s*\|\s*(?:head|tail|cat|less|wc|sort)\b")
_REDIRECTIONS = regex(r"\d?>&?\S*")
_ASSIGNMENT = regex(r"\w+=")
_MASKS = (
    (regex(r"(['\"`]).*?\1"), "<q>"),
    (regex(r"(?:[A-Za-z]:)?[~.]?(?:/[\w.@+\-\[\]()]+)+/?"), "<p>"),
    (regex(r"\b[0-9a-f]{7,40}\b"), "<h>"),
    (regex(r"\d+"), "<n>"),
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


def is_right(advice: str, failed: Step, fix: Step) -> bool:
    """Whether the advised command is much like the fix, is not the failed command, and was not in the error text."""
    if not advice or advice in failed.error or masked(advice) == masked(failed.target):
        return False
    return SequenceMatcher(None, masked(advice), masked(fix.target), autojunk=False).ratio() >= _RIGHT
