"""How worthwhile a session is, by two schemes. Pure and deterministic; the how-to page on sampling describes both.

`value`: how much new knowledge a harvest of it promises. Each *finding* (a failure and how it was made good, a
correction, a decision, a place in the code) has a weight, which halves with every other session that holds the same
one. Weights are plain guesses, and multiples of 1/16, so that sums are exact in any order. `points`: plain counts of
the whole session, each worth a few points, so that any full parse of the same logs comes to the same score.

`RepoNames` tells how much of a session was about a repository, wherever it ran.
"""

import heapq
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from enum import StrEnum
from typing import NamedTuple, TypeVar

from afterwit.model.digest import Digest, Failure
from afterwit.model.kinds import ActionKind, FailureClass, ResolutionKind, Step
from afterwit.repos.folders import PARTS_OF_A_REPOSITORY, place_of_file, places_of_command
from afterwit.repos.remotes import last_part, name_key

Key = TypeVar("Key", bound=Hashable)

_MOST_KNOWN = 8  # sightings after which one more is worth nothing
_MOST_PLACES = 10.0  # what all places of one session are worth at most
_VANISHING = 0.25  # of its findings, if the agent is about to delete the original


_SHARES: Mapping[FailureClass, float] = {
    FailureClass.INVOCATION: 1.0,
    FailureClass.ENVIRONMENT: 1.0,
    FailureClass.UNCLEAR: 0.5,
    FailureClass.WORK: 0.25,
    FailureClass.TOOL_CONTRACT: 0.25,
}
_TEACHING = frozenset(
    {ResolutionKind.CHANGED, ResolutionKind.PREPARED, ResolutionKind.REPLACED, ResolutionKind.EDITED}
)  # the same call again, which then worked, teaches nothing


class Aspect(StrEnum):
    """What kind of knowledge a finding promises."""

    RESOLVED = "resolved"  # a failure, and what made it good
    UNRESOLVED = "unresolved"  # a failure still open at the end
    CORRECTIONS = "corrections"  # a person put the agent right, or said no
    DECISIONS = "decisions"  # a sentence that states a rule or a decision
    SIGNATURES = "signatures"  # that something fails in this way, and rules of linters and compilers
    PLACES = "places"  # where in a repository the work was


class ExpectedFinding(NamedTuple):
    aspect: Aspect
    key: str  # equal for the same thing in another session
    weight: float


class Value(NamedTuple):
    """The value of one session, aspect by aspect. `vanishing` is what it gains because its original will be gone."""

    by_aspect: Mapping[Aspect, float]
    vanishing: float

    @property
    def total(self) -> float:
        return sum(self.by_aspect.values()) + self.vanishing


def findings_of(digest: Digest) -> tuple[ExpectedFinding, ...]:
    """What a harvest could find in a session, each thing once."""
    findings: dict[str, ExpectedFinding] = {}
    for finding in (*_failure_findings(digest), *_statement_findings(digest), *_place_findings(digest)):
        before = findings.get(finding.key)
        if before is None or finding.weight > before.weight:
            findings[finding.key] = finding
    return tuple(findings.values())


def value_of(findings: Iterable[ExpectedFinding], covered: Mapping[str, int], *, is_vanishing: bool = False) -> Value:
    """What the findings are worth where `covered` counts the other sessions that are known to hold each."""
    sums = dict.fromkeys(Aspect, 0.0)
    for aspect, key, weight in findings:
        others = covered.get(key, 0)
        if others < _MOST_KNOWN:
            sums[aspect] += weight / (1 << others)
    sums[Aspect.PLACES] = min(sums[Aspect.PLACES], _MOST_PLACES)
    return Value(sums, sum(sums.values()) * _VANISHING if is_vanishing else 0.0)


def values(sessions: Mapping[Key, tuple[ExpectedFinding, ...]]) -> dict[Key, float]:
    """The value of each session where all the others are known: what would be lost with it alone."""
    covered = Counter(finding.key for findings in sessions.values() for finding in findings)
    alone = {key: count - 1 for key, count in covered.items()}
    return {name: value_of(findings, alone).total for name, findings in sessions.items()}


class SampleCandidate(NamedTuple):
    """A session to choose or not. Of two with the same value, the one with the smaller `order` goes first."""

    order: tuple[int, str, str]
    findings: tuple[ExpectedFinding, ...]
    is_vanishing: bool = False


class ChosenCandidate(NamedTuple):
    candidate: SampleCandidate
    value: Value


def choose(candidates: Iterable[SampleCandidate]) -> Iterator[ChosenCandidate]:
    """The candidates, the most valuable first, where each counts only what those before it leave to be found.

    The value of a candidate can but fall while others are chosen. So the one on top is valued anew, and if it stays on
    top it is the best of all, whatever the others would come to.
    """
    covered: Counter[str] = Counter()
    waiting = [_entry(candidate, covered) for candidate in candidates]
    heapq.heapify(waiting)
    while waiting:
        _, _, candidate = heapq.heappop(waiting)
        entry = _entry(candidate, covered)
        if waiting and entry[:2] > waiting[0][:2]:
            heapq.heappush(waiting, entry)
            continue
        value = value_of(candidate.findings, covered, is_vanishing=candidate.is_vanishing)
        covered.update({finding.key for finding in candidate.findings})
        yield ChosenCandidate(candidate, value)


def _entry(
    candidate: SampleCandidate, covered: Mapping[str, int]
) -> tuple[float, tuple[int, str, str], SampleCandidate]:
    value = value_of(candidate.findings, covered, is_vanishing=candidate.is_vanishing)
    return -value.total, candidate.order, candidate


def _failure_findings(digest: Digest) -> Iterator[ExpectedFinding]:
    for failure in digest.failures:
        share = _SHARES.get(failure.failure, 0.0)
        if share:
            yield ExpectedFinding(Aspect.SIGNATURES, f"signature {failure.signature}", share)
            yield from _ending_findings(failure, share)
    for rule in digest.rules:
        yield ExpectedFinding(Aspect.SIGNATURES, f"rule {digest.repo} {rule.id}", 1.0)


def _ending_findings(failure: Failure, share: float) -> Iterator[ExpectedFinding]:
    if failure.resolution in _TEACHING:
        yield ExpectedFinding(Aspect.RESOLVED, f"resolved {failure.signature}", 4 * share)
    elif failure.resolution is ResolutionKind.UNRESOLVED:
        yield ExpectedFinding(Aspect.UNRESOLVED, f"unresolved {failure.signature}", 2 * share)


def _statement_findings(digest: Digest) -> Iterator[ExpectedFinding]:
    for place in digest.corrections:
        yield ExpectedFinding(Aspect.CORRECTIONS, f"correction {_plain(digest.prompts[place].text)}", 3.0)
    for place in digest.denials:
        step = digest.steps[place]
        yield ExpectedFinding(Aspect.CORRECTIONS, f"denial {step.tool} {step.target}", 1.0)
    for sentence in digest.stated:
        yield ExpectedFinding(Aspect.DECISIONS, f"stated {_plain(sentence.text)}", 2.0 if sentence.is_person else 0.5)
    for summary in digest.summaries:
        yield ExpectedFinding(Aspect.DECISIONS, f"summary {_plain(summary)}", 1.0)
    for publication in digest.publications:
        yield ExpectedFinding(Aspect.DECISIONS, f"published {_plain(publication.text)}", 0.5)


def _place_findings(digest: Digest) -> Iterator[ExpectedFinding]:
    """Files of the repository. What lies elsewhere on the machine is nobody else's place."""
    for file in digest.files:
        if not file.path.startswith("/"):
            yield ExpectedFinding(Aspect.PLACES, f"place {digest.repo} {file.path}", 0.5 if file.changes else 0.125)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


_DAY_MS = 86_400_000
_UNKNOWN = 1
_OUTCOMES: Mapping[str, int] = {"failure": 3, "success": 2, "partial": 2, "abandoned": 1}
_NO_TIME = 1 << 62


class Name(NamedTuple):
    """What tells a session from all others."""

    agent: str
    native_id: str


class PointFacts(NamedTuple):
    """What the scheme looks at in one session."""

    agent: str
    native_id: str
    repo: str  # "": none
    started_ms: int | None
    ended_ms: int | None
    messages: int
    calls: int
    outcome: str  # "": not known

    @property
    def name(self) -> "Name":
        return Name(self.agent, self.native_id)


class Points(NamedTuple):
    """The score of one session, item by item."""

    recency: int
    messages: int
    repo: int
    outcome: int
    calls: int

    @property
    def total(self) -> int:
        return sum(self)


def points_of(facts: PointFacts, *, is_first: bool, now_ms: int) -> Points:
    """The points of one session. `is_first`: no session of its repository began before it."""
    return Points(
        recency=_recency(facts, now_ms),
        messages=3 if facts.messages > 50 else 2 if facts.messages > 20 else 1,
        repo=0 if not facts.repo else 5 if is_first else 1,
        outcome=_OUTCOMES.get(facts.outcome, _UNKNOWN),
        calls=2 if facts.calls > 10 else 0,
    )


def firsts(sessions: Iterable[PointFacts]) -> frozenset[Name]:
    """The session of each repository that began first. One without a time comes after those with one; of two that
    began in the same instant the one with the smaller id is first."""
    first: dict[str, PointFacts] = {}
    for facts in sessions:
        before = first.get(facts.repo)
        if facts.repo and (before is None or _order(facts) < _order(before)):
            first[facts.repo] = facts
    return frozenset(facts.name for facts in first.values())


def _order(facts: PointFacts) -> tuple[int, str, str]:
    return _NO_TIME if facts.started_ms is None else facts.started_ms, facts.native_id, facts.agent


def _recency(facts: PointFacts, now_ms: int) -> int:
    """By the last thing that happened in it. A session without any time counts as old."""
    last = facts.started_ms if facts.ended_ms is None else facts.ended_ms
    if last is None:
        return 1
    age_ms = now_ms - last
    return 3 if age_ms <= 7 * _DAY_MS else 2 if age_ms <= 30 * _DAY_MS else 1


_SHORTEST_NAME = 4
_FILES = (ActionKind.READ, ActionKind.EDIT, ActionKind.WRITE)


class RepoNames:
    """Names that a repository goes by, to be looked for in folders, remotes and texts. Names that any repository may
    have a folder of (`docs`, `api`), and very short ones, count only as a place."""

    def __init__(self, names: Iterable[str]) -> None:
        short = {last_part(name) for name in names if name}
        self._keys = frozenset(map(name_key, short))
        told = sorted(
            name for name in short if len(name) >= _SHORTEST_NAME and name.casefold() not in PARTS_OF_A_REPOSITORY
        )
        words = "|".join(map(re.escape, told))
        self._mention = re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE) if words else None

    def share_of(self, digest: Digest, *, is_own: bool, folder: str = "") -> float:
        """The share of a session's actions, or else of its prompts, that is about it: one prompt may start many actions
        that name nothing. `is_own`: it is the session's repository, in a folder of this name."""
        keys = self._keys | ({name_key(folder)} if folder else set())
        steps = [self._is_there(step, keys, is_own=is_own) for step in digest.steps]
        if is_own:
            return _share(steps) if steps else 1.0
        prompts = [self._is_named(said.text) for said in digest.prompts if said.is_person]
        return max(_share(steps), _share(prompts))

    def _is_there(self, step: Step, keys: Set[str], *, is_own: bool) -> bool:
        places = _places_of(step)
        if any(name_key(part) in keys for place in places for part in place.split("/") if part):
            return True
        return not places and (is_own or self._is_named(step.target))

    def _is_named(self, text: str) -> bool:
        return self._mention is not None and self._mention.search(text) is not None


def _places_of(step: Step) -> set[str]:
    """The folders and remotes that a step names, and its files elsewhere: the digest has those of the session's own
    repository by their path below it."""
    if step.kind is ActionKind.SHELL:
        return places_of_command(step.target)
    paths = [*step.files, step.target] if step.kind in _FILES else []
    return {path for path in paths if place_of_file(path)}


def _share(flags: Sequence[bool]) -> float:
    return round(sum(flags) / len(flags), 3) if flags else 0.0
