"""Makes a template of a session: its verified path, from the archive, redacted and shortened.

The arguments and results of calls are only in the originals, so a session whose original was dropped gives none. The id
of a template follows from its session: made again, it is the next version of the same one.
"""

import datetime as dt
import hashlib
from collections.abc import Iterator, Sequence

import msgspec

from afterwit.config.world import World
from afterwit.digest.digester import below
from afterwit.digest.door.update import load_digest
from afterwit.extras.lab.templates.shortening import TemplateCleaner
from afterwit.extras.lab.templates.verified_path import PathStep, verified_path
from afterwit.model.digest import Digest, DigestStep
from afterwit.model.errors import UsageError
from afterwit.model.kinds import ActionKind, EventKind, TaskType
from afterwit.model.templates import (
    DEFAULT_EXAMPLES,
    LEAST_EXAMPLES,
    Template,
    TemplateSource,
    ToolExample,
)
from afterwit.model.times import iso_from_ms
from afterwit.sessions.filters import find_session
from afterwit.sessions.originals import TranscriptSource, source_of
from afterwit.sessions.show import GoneTexts, SessionMoment, WantedMoments, moments, safe_row
from afterwit.store.rows.session_list import SessionRow
from afterwit.store.template_files import put_template, read_templates

_ID_BYTES = 4
_CALLS = frozenset((EventKind.CALL, EventKind.RESULT))


class WantedTemplate(msgspec.Struct, frozen=True, kw_only=True):
    """What a person says of a template that is to be made. What is empty follows from the session."""

    type: TaskType | None = None
    tags: tuple[str, ...] = ()
    description: str = ""
    most_examples: int = DEFAULT_EXAMPLES


class CreatedTemplate(msgspec.Struct, frozen=True, kw_only=True):
    template: Template
    outcome: str  # of the session
    is_new: bool  # no: it is as it was


DEFAULT_WANTED = WantedTemplate()


def create(world: World, session: str, wanted: WantedTemplate = DEFAULT_WANTED) -> CreatedTemplate:
    """Makes the template of a session, and keeps it."""
    with source_of(world) as source:
        row = find_session(source.store.db, session)
        made = template_of(source, row, world.now_ms, wanted)
    stored = read_templates(world.layout).templates
    earlier = next((template for template in stored if template.id == made.id), None)
    if earlier is not None:
        made = msgspec.structs.replace(made, version=earlier.version, created_at=earlier.created_at)
        if made == earlier:
            return CreatedTemplate(template=earlier, outcome=row.outcome, is_new=False)
        now = iso_from_ms(world.now_ms)
        made = msgspec.structs.replace(made, version=earlier.version + 1, created_at=now)
    put_template(world.layout, made)
    return CreatedTemplate(template=made, outcome=row.outcome, is_new=True)


def template_of(
    source: TranscriptSource, row: SessionRow, now_ms: int, wanted: WantedTemplate = DEFAULT_WANTED
) -> Template:
    """The template of a session, which is not kept yet."""
    digest = load_digest(source.store.db, row)
    if digest is None:
        raise UsageError(f"Session {row.native_id} has no digest yet. Run `afterwit learn` first.")
    examples = list(_examples(_called(source, row), digest, safe_row(source, row), wanted.most_examples))
    if len(examples) < LEAST_EXAMPLES:
        raise UsageError(
            f"Session {row.native_id} has {len(examples)} calls that certainly worked and led somewhere; a template"
            f" needs {LEAST_EXAMPLES}. `afterwit templates auto` proposes sessions that have them."
        )
    cleaner = TemplateCleaner(source.redactor)
    return cleaner.template(
        Template(
            id=template_id(row.agent, row.native_id),
            type=wanted.type or digest.task_type,
            tags=tuple(dict.fromkeys(tag.strip() for tag in wanted.tags if tag.strip())),
            description=wanted.description or digest.title or digest.task,
            task=digest.task,
            source=TemplateSource(agent=row.agent, session=row.native_id, repo=row.repo, day=_day(row)),
            created_at=iso_from_ms(now_ms),
            examples=tuple(examples),
        )
    )


def template_id(*identity: str) -> str:
    return hashlib.blake2b("\0".join(identity).encode("utf-8", "surrogatepass"), digest_size=_ID_BYTES).hexdigest()


class _Called(msgspec.Struct):
    """A call, and its result as far as there is one."""

    moment: SessionMoment
    result: str = ""


def _called(source: TranscriptSource, row: SessionRow) -> list[_Called]:
    """All calls of a session in their order."""
    calls: list[_Called] = []
    open_calls: dict[str, _Called] = {}
    for moment in moments(source, row, WantedMoments(kinds=_CALLS)):
        if isinstance(moment, GoneTexts):
            raise UsageError(
                f"The calls of session {row.native_id} cannot be read any more, with their arguments and results:"
                f" {moment.reason} Choose another session; `afterwit templates auto` proposes some."
            )
        if not isinstance(moment, SessionMoment):
            continue
        if moment.kind is EventKind.CALL:
            calls.append(_Called(moment))
            open_calls[moment.call_id] = calls[-1]
        elif moment.call_id in open_calls:
            open_calls[moment.call_id].result += moment.text or ""
    return calls


def _examples(calls: Sequence[_Called], digest: Digest, row: SessionRow, most: int) -> Iterator[ToolExample]:
    path = [PathStep(step, call.result) for step, call in zip(digest.steps, calls, strict=False)]
    for at in verified_path(path, most):
        step, call = digest.steps[at], calls[at]
        yield ToolExample(
            tool=step.tool,
            kind=step.kind,
            target=_target(step, row),
            arguments=call.moment.arguments or {},
            result=call.result,
        )


def _target(step: DigestStep, row: SessionRow) -> str:
    """What a step was about: a file as it is named in its repository."""
    if step.files:
        return step.files[0]
    return below(step.target, row.cwd, row.root) if step.kind is ActionKind.READ else step.target


def _day(row: SessionRow) -> str:
    return dt.datetime.fromtimestamp(row.started_ms / 1000, tz=dt.UTC).date().isoformat() if row.started_ms else ""
