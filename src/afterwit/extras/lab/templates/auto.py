"""Proposes templates: the best sessions of each type of task that have none yet, at most a few.

Best is a session that certainly ended well, whose work was checked after its last change, and in which little failed.
Of one repository comes one for each type; of what people had forgotten comes none. Only the latest sessions are looked
at, so that the work is bounded. What is proposed is written only by `keep`.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from afterwit.config.world import World
from afterwit.digest.door.update import load_digest
from afterwit.extras.lab.templates.create import WantedTemplate, template_id, template_of
from afterwit.extras.lab.templates.verified_path import PathStep
from afterwit.knowledge.door.settle import recorded
from afterwit.model.digest import Digest
from afterwit.model.errors import UsageError
from afterwit.model.kinds import Outcome, Relation, TaskType
from afterwit.model.knowledge import SessionRef
from afterwit.model.templates import DEFAULT_EXAMPLES, Template
from afterwit.sessions.originals import TranscriptSource, source_of
from afterwit.store.decisions import gather_decisions
from afterwit.store.rows.session_list import Selection, SessionRow, first_sessions
from afterwit.store.template_files import put_template, read_templates

DEFAULT_COUNT = 2
_LATEST = 1_000  # sessions that are looked at
_LEAST_CONFIDENCE = 0.8
_MOST_FAILED = 0.1  # as a share of all actions
_LEAST_STEPS = 5
_LEAST_EXAMPLES = 3


class ProposedTemplate(msgspec.Struct, frozen=True, kw_only=True):
    """A template that could be made, and why of this session."""

    template: Template
    confidence: float  # that the session ended well
    reasons: tuple[str, ...]
    failed: int  # actions
    actions: int


class _GoodSession(NamedTuple):
    row: SessionRow
    digest: Digest
    failed: int

    @property
    def order(self) -> tuple[float, float, int]:
        return (-self.digest.verdict.confidence, self.failed / len(self.digest.steps), -(self.row.started_ms or 0))


def propose(
    world: World,
    types: Iterable[TaskType] = TaskType,
    count: int = DEFAULT_COUNT,
    most_examples: int = DEFAULT_EXAMPLES,
) -> list[ProposedTemplate]:
    """At most `count` proposals for each type, the best first."""
    there = {template.id for template in read_templates(world.layout).templates}
    with source_of(world) as source:
        good = sorted(_good_sessions(source, there), key=lambda session: session.order)
        return [
            proposal
            for task_type in types
            for proposal in _of_type(source, good, task_type, count, WantedTemplate(most_examples=most_examples), world)
        ]


def keep(world: World, proposals: Iterable[ProposedTemplate]) -> None:
    for proposal in proposals:
        put_template(world.layout, proposal.template)


def _good_sessions(source: TranscriptSource, there: set[str]) -> Iterator[_GoodSession]:
    selection = Selection(outcomes=frozenset((Outcome.SUCCESS,)))
    forgotten = gather_decisions(recorded(source.store.db)).forgotten
    for row in first_sessions(source.store.db, selection, "start", _LATEST):
        if row.relation == Relation.SUBAGENT or row.is_partial or template_id(row.agent, row.native_id) in there:
            continue
        if forgotten.covers(_reference(row)):
            continue
        digest = load_digest(source.store.db, row)
        if digest is None or len(digest.steps) < _LEAST_STEPS or digest.verdict.confidence < _LEAST_CONFIDENCE:
            continue
        failed = sum(step.has_failed for step in digest.steps)
        if failed <= _MOST_FAILED * len(digest.steps) and _is_checked(digest):
            yield _GoodSession(row, digest, failed)


def _reference(row: SessionRow) -> SessionRef:
    return SessionRef(agent=row.agent, native_id=row.native_id, story=row.native_id, repo=row.repo, user=row.user)


def _is_checked(digest: Digest) -> bool:
    """Whether a check passed after the last change; where nothing was changed, there is nothing to check."""
    changes = [at for at, step in enumerate(digest.steps) if step.has_changed]
    if not changes:
        return digest.task_type is TaskType.RESEARCH
    later = (PathStep(step, "") for step in digest.steps[changes[-1] :])
    return any(step.is_verified and step.is_check for step in later)


def _of_type(
    source: TranscriptSource,
    good: Iterable[_GoodSession],
    task_type: TaskType,
    count: int,
    wanted: WantedTemplate,
    world: World,
) -> Iterator[ProposedTemplate]:
    repos: set[str] = set()
    fitting = (session for session in good if session.digest.task_type is task_type)
    for session in fitting:
        if len(repos) >= count:
            return
        template = None if session.row.repo in repos else _made(source, session.row, wanted, world)
        if template is None:
            continue
        repos.add(session.row.repo)
        yield ProposedTemplate(
            template=template,
            confidence=session.digest.verdict.confidence,
            reasons=session.digest.verdict.reasons,
            failed=session.failed,
            actions=len(session.digest.steps),
        )


def _made(source: TranscriptSource, row: SessionRow, wanted: WantedTemplate, world: World) -> Template | None:
    """The template of a session; None where its original was dropped or too little of it led anywhere."""
    try:
        template = template_of(source, row, world.now_ms, wanted)
    except UsageError:
        return None
    return template if len(template.examples) >= _LEAST_EXAMPLES else None
