"""What follows a use of a skill, and what follows ordinary actions, in one session. Pure, linear in the steps.

A *moment* is what follows an action: at most ten actions within five minutes. Its *value* is the share of them that
change files or publish something, less the share that fail; its *level* is the value of the rest of the session: how
easy that was. Moments of skills follow their uses. Ordinary moments follow other actions and reach into no moment of a
skill; they are what uses elsewhere are compared with. Moments are comparable in the same *phase*: what stands right
before them, and how far the session has come. Values and levels are kept in units of 1/`SCALE`, which pack well.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

import msgspec

from afterwit.harvest.skills.invocations import Invocation, invocations, positions
from afterwit.model.digest import Digest
from afterwit.model.kinds import FailureClass
from afterwit.model.knowledge import Seen

ACTIONS = 10
SECONDS = 300
SCALE = 10_000
_RECENT = 3  # actions
_LEAST_REST = 5  # actions besides a moment, that tell how easy a session was
_DENSE = 8  # ordinary moments follow each of so many first actions, …
_STRIDE = 4  # … and then every fourth
_FARTHEST = 7  # phases by the distance from the start, which doubles from one to the next
_NO_FAILURES = (FailureClass.DENIED, FailureClass.CANCELLED, FailureClass.ANSWER)
_JUST_FAILED, _FAILED, _PROMPTED, _UNCHANGED, _CHANGED = range(5)
_STATES = 5


class SkillUse(msgspec.Struct, frozen=True, array_like=True):
    """One use of a skill, and what followed within ten actions and five minutes."""

    name: str
    version: str
    at: int  # the step
    at_s: int | None
    phase: int
    actions: int
    edits: int  # that changed files, or published something
    failures: int
    is_again: bool  # the same skill was used again
    level: int | None = None  # None where nothing follows, or too little is left of the session to compare with

    @property
    def value(self) -> float:
        return (self.edits - self.failures) / self.actions if self.actions else 0.0


class PhaseMoments(msgspec.Struct, frozen=True, array_like=True):
    """The ordinary moments of one phase of a session, on average."""

    phase: int
    value: int
    level: int
    noise: int  # the variance of the level, by how few actions it was counted from


class SkillSession(Seen, frozen=True, kw_only=True, omit_defaults=True):
    """What one session shows of skills: its uses, and its ordinary moments to compare others with."""

    task_type: str
    outcome: str
    uses: tuple[SkillUse, ...] = ()
    phases: tuple[PhaseMoments, ...] = ()

    @property
    def is_telling(self) -> bool:
        return bool(self.uses)


class _Stretch(NamedTuple):
    begin: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.begin


class _Tally(NamedTuple):
    """Actions, those that were productive, and those that failed."""

    actions: int
    edits: int
    failures: int

    def without(self, other: "_Tally") -> "_Tally":
        return _Tally(self.actions - other.actions, self.edits - other.edits, self.failures - other.failures)

    @property
    def value(self) -> float:
        return (self.edits - self.failures) / self.actions if self.actions else 0.0

    @property
    def noise(self) -> float:
        """The variance of the value, if actions came out independently of each other."""
        return ((self.edits + self.failures) / self.actions - self.value**2) / self.actions


class _Course:
    """The steps of a session as sums, so that any stretch costs the same."""

    def __init__(self, digest: Digest, calls: Sequence[Invocation]) -> None:
        self.times = [step.at_s for step in digest.steps]
        self.size = len(self.times)
        self._clock = list(accumulate((at_s or 0 for at_s in self.times), max))
        published = {publication.at for publication in digest.publications}
        failed = {failure.at for failure in digest.failures if failure.failure not in _NO_FAILURES}
        edits = (step.has_changed or at in published for at, step in enumerate(digest.steps))
        self._edits = list(accumulate(edits, initial=0))
        self._failures = list(accumulate((at in failed for at in range(self.size)), initial=0))
        self._prompts = list(accumulate(self._after_prompts(digest), initial=0))
        self.moments = [self.following(call.at, call.next_step) for call in calls]
        covered = bytearray(self.size)
        for call, moment in zip(calls, self.moments, strict=True):
            covered[call.at : moment.end] = b"\1" * (moment.end - call.at)
        self.covered = list(accumulate(covered, initial=0))

    def _after_prompts(self, digest: Digest) -> Iterator[bool]:
        prompted = {0, *positions(digest, digest.prompts), *positions(digest, digest.called)}
        return (at in prompted for at in range(self.size))

    def tally(self, stretch: _Stretch) -> _Tally:
        begin, end = stretch
        edits = self._edits[end] - self._edits[begin]
        return _Tally(end - begin, edits, self._failures[end] - self._failures[begin])

    def ordinary(self) -> _Tally:
        """All actions outside of what follows skills."""
        whole = self.tally(_Stretch(0, self.size))
        begin = 0
        for moment in self.moments:  # in order; they may overlap
            if moment.end > begin:
                whole = whole.without(self.tally(_Stretch(max(begin, moment.begin), moment.end)))
                begin = moment.end
        return whole

    def phase(self, at: int) -> int:
        """What stands before an action, and how far it is into the session."""
        return min(at.bit_length(), _FARTHEST) * _STATES + self._state(at)

    def _state(self, at: int) -> int:
        if self._failures[at] > self._failures[max(0, at - _RECENT)]:
            return _JUST_FAILED if self._failures[at] > self._failures[at - 1] else _FAILED
        until = min(at + 1, self.size)
        if self._prompts[until] > self._prompts[max(0, until - _RECENT)]:
            return _PROMPTED
        return _CHANGED if self._edits[at] else _UNCHANGED

    def following(self, at: int, begin: int) -> _Stretch:
        """The moment that follows the action there and begins with this one. What has no time is in time."""
        if at >= self.size:
            return _Stretch(self.size, self.size)
        last = min(begin + ACTIONS, self.size)
        return _Stretch(begin, bisect_right(self._clock, self._clock[at] + SECONDS, begin, last))


def skill_session(digest: Digest) -> SkillSession | None:
    """What a session shows; None where nothing was done in it."""
    if not digest.steps:
        return None
    calls = invocations(digest)
    course = _Course(digest, calls)
    rest = course.ordinary()
    return SkillSession(
        task_type=digest.task_type,
        outcome=digest.verdict.outcome,
        uses=tuple(_uses(course, calls, rest)),
        phases=tuple(_phases(course, rest)),
    )


def session_value(digest: Digest) -> float | None:
    """The value of a whole session; None where nothing was done in it."""
    course = _Course(digest, ())
    return course.tally(_Stretch(0, course.size)).value if course.size else None


def _uses(course: _Course, calls: Sequence[Invocation], rest: _Tally) -> Iterator[SkillUse]:
    for call, next_at, moment in zip(calls, _next_uses(calls), course.moments, strict=True):
        tally = course.tally(moment)
        yield SkillUse(
            name=call.name,
            version=call.version,
            at=call.at,
            at_s=course.times[call.at] if call.at < course.size else None,
            phase=course.phase(call.at),
            actions=tally.actions,
            edits=tally.edits,
            failures=tally.failures,
            is_again=next_at is not None and next_at < moment.end,
            level=_scaled(rest.value) if tally.actions and rest.actions >= _LEAST_REST else None,
        )


def _next_uses(calls: Sequence[Invocation]) -> list[int | None]:
    """For each use, the step of the next one of the same skill."""
    later: dict[str, int] = {}
    steps: list[int | None] = []
    for call in reversed(calls):
        steps.append(later.get(call.name))
        later[call.name] = call.at
    return steps[::-1]


def _phases(course: _Course, rest: _Tally) -> Iterator[PhaseMoments]:
    moments: dict[int, list[tuple[float, float, float]]] = {}
    for at in (*range(min(_DENSE, course.size)), *range(_DENSE, course.size, _STRIDE)):
        stretch = course.following(at, at + 1)
        if not stretch.size or course.covered[stretch.end] > course.covered[at]:
            continue
        tally = course.tally(stretch)
        others = rest.without(tally)
        if others.actions >= _LEAST_REST:
            moments.setdefault(course.phase(at), []).append((tally.value, others.value, others.noise))
    for phase, values in sorted(moments.items()):
        yield PhaseMoments(phase, *(_scaled(sum(column) / len(values)) for column in zip(*values, strict=True)))


def _scaled(value: float) -> int:
    return round(value * SCALE)
