"""How sessions go: whether the task was completed, and whether the work passed its first check; in all and by week.

A session is *completed* where it ended well as far as the log shows (`digest.outcome`); one of which nobody can tell is
not counted. *First try*: the first run of tests, linters or a build after the first change passed. Sessions that
changed or checked nothing have none. Subagents, and sessions of which only the prompts are known, are left out.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from afterwit.measure.outcomes import first_check_passed
from afterwit.model.digest import Digest
from afterwit.model.figures import Proportion
from afterwit.model.kinds import Outcome, Relation


class JudgedSession(NamedTuple):
    """How a session went."""

    at_ms: int
    session: str
    agent: str
    task_type: str
    outcome: str
    first_try: bool | None  # None: it has no first check


class CourseShare(msgspec.Struct, frozen=True, kw_only=True):
    """Of a group of sessions: so many of so many, with the interval."""

    group: str  # a week, or "all"
    sessions: int
    completed: int
    judged: int  # of which somebody can tell how they ended
    completed_share: float | None
    completed_interval: tuple[float, float]
    first_try: int
    checked: int  # that have a first check
    first_try_share: float | None
    first_try_interval: tuple[float, float]


class CourseFigures(msgspec.Struct, frozen=True, kw_only=True):
    whole: CourseShare
    weeks: list[CourseShare]


def judged_session(digest: Digest) -> JudgedSession | None:
    """None where it does not count."""
    if digest.relation == Relation.SUBAGENT or digest.is_partial or digest.started_ms is None:
        return None
    about = (digest.started_ms, digest.native_id, digest.agent, digest.task_type.value)
    return JudgedSession(*about, digest.verdict.outcome.value, first_check_passed(digest.steps))


def course(rows: Sequence[JudgedSession], week_of: Callable[[int], str]) -> CourseFigures:
    """`week_of` names the week of a moment; names sort in order of time."""
    weeks: defaultdict[str, list[JudgedSession]] = defaultdict(list)
    for row in rows:
        weeks[week_of(row.at_ms)].append(row)
    return CourseFigures(whole=_share("all", rows), weeks=[_share(*week) for week in sorted(weeks.items())])


def _share(group: str, rows: Sequence[JudgedSession]) -> CourseShare:
    judged = [row.outcome == Outcome.SUCCESS for row in rows if row.outcome != Outcome.UNKNOWN]
    checked = [row.first_try for row in rows if row.first_try is not None]
    completed, passed = Proportion(sum(judged), len(judged)), Proportion(sum(checked), len(checked))
    return CourseShare(
        group=group,
        sessions=len(rows),
        completed=completed.hits,
        judged=completed.of,
        completed_share=completed.share,
        completed_interval=completed.interval,
        first_try=passed.hits,
        checked=passed.of,
        first_try_share=passed.share,
        first_try_interval=passed.interval,
    )
