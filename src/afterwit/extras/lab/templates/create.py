"""Makes a template of a session (`create`), and proposes the best sessions to make some of (`propose`).

A template is the session's verified path, from the archive. The arguments and results of calls are only in the
originals, so a session whose original was dropped gives none. The id of a template follows from its session: made
again, it is the next version of the same one.

The path is the actions that lead to what the session achieved. A dead end is whatever did not succeed for certain, a
poll, a call that only keeps house (plans, subagents), a change that was taken back or lies outside the repository, and
a look around that led to no change where others did. What is left is chosen from the end backwards: the last check that
passed and the last commit, then the files that were worked on most, each with the look that led to it, then other
checks and commands. The order is that of the session.

Best is a session that certainly ended well, whose work was checked after its last change, and in which little failed.
Of one repository comes one for each type; of what people had forgotten comes none. Only the latest sessions are looked
at, so that the work is bounded. What is proposed is written only by `keep`.
"""

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from afterwit.actions.activities import activities_of, has_check
from afterwit.actions.failures.excerpt import is_failing
from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.programs import Weight
from afterwit.actions.shell.tree import Command
from afterwit.config.world import World
from afterwit.digest.door import load_digest
from afterwit.extras.lab.templates.files import TemplateCleaner, template_id
from afterwit.model.digest import Digest
from afterwit.model.errors import UsageError
from afterwit.model.kinds import CHANGES, ActionKind, Activity, EventKind, Outcome, Relation, Status, Step, TaskType
from afterwit.model.knowledge import SessionRef
from afterwit.model.templates import (
    DEFAULT_EXAMPLES,
    LEAST_EXAMPLES,
    Template,
    TemplateSource,
    ToolExample,
)
from afterwit.model.text import regex
from afterwit.model.times import iso_from_ms
from afterwit.repos.folders import below
from afterwit.sessions.filters import find_session
from afterwit.sessions.originals import TranscriptSource, source_of
from afterwit.sessions.show import GoneTexts, SessionMoment, WantedMoments, moments, safe_row
from afterwit.store.decisions import gather_decisions
from afterwit.store.rows.items import recorded
from afterwit.store.rows.session_list import Selection, SessionRow, first_sessions
from afterwit.store.template_files import put_template, read_templates

_KINDS = frozenset((*CHANGES, *(ActionKind(name) for name in ("shell", "read", "search", "web", "mcp"))))
_LOOKS = frozenset((ActionKind.READ, ActionKind.SEARCH))
_PUBLISHES = frozenset((Activity.PUSH, Activity.REVIEW))
_ELSEWHERE = ("/", "~", "..")  # how paths begin that are not below the repository
_NOWHERE = ("/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr")
_CHECKS_NOTHING = regex(r"\s--(?:version|help|collect-only|list|dry-run|passWithNoTests)\b")
_CHECKED_NOTHING = regex(r"(?i)\bno tests? (?:ran|found|files|to run)|\bcollected 0 items|\b0 tests\b")
_PATH_NAMES = ("path", "file_path", "notebook_path", "dir_path", "directory", "workdir", "cwd")
_LEAST_NAME = 3  # characters of a file's name that tell anything where they turn up


class PathStep(NamedTuple):
    """A step with the text of its result."""

    step: Step
    result: str
    paths: tuple[str, ...] = ()  # that it names besides, as they are named in its repository

    @property
    def is_verified(self) -> bool:
        """Whether it certainly worked, and does something by itself. An exit code that is only an answer shows nothing,
        and neither does a command behind a wrapper that ends well whatever the output tells of failures."""
        step = self.step
        is_done = step.status is Status.SUCCEEDED and not step.exit_code and step.started_by is None
        is_shell = step.kind is ActionKind.SHELL
        return is_done and step.kind in _KINDS and not (is_shell and not self.is_look and is_failing(self.result))

    @property
    def is_look(self) -> bool:
        """Whether it only looks."""
        if self.step.kind is not ActionKind.SHELL:
            return self.step.kind in _LOOKS
        main = parsed(self.step.target).main
        return main is not None and main.weight < Weight.WORKS

    @property
    def is_check(self) -> bool:
        is_telling = not _CHECKS_NOTHING.search(self.step.target) and not _CHECKED_NOTHING.search(self.result)
        return self.step.kind is ActionKind.SHELL and is_telling and has_check(self.step.target)

    @property
    def commits(self) -> bool:
        return Activity.COMMIT in activities_of(self.step.kind, self.step.target)

    @property
    def is_for_all(self) -> bool:
        """Whether an example of it may be followed anywhere: it stays in its repository and sends nothing out."""
        publishes = not _PUBLISHES.isdisjoint(activities_of(self.step.kind, self.step.target))
        return not publishes and not any(path.startswith(_ELSEWHERE) for path in (*self.step.files, *self.paths))


def verified_path(steps: Sequence[PathStep], most: int) -> list[int]:
    """The places of at most so many steps that show how the session got there: of several tasks the first."""
    undone = set(_undone(steps))
    steps = steps[: end_of_task(steps)]
    kept = [at for at, step in enumerate(steps) if step.is_verified and step.is_for_all and at not in undone]
    changes = [at for at in kept if steps[at].step.has_changed]
    ranked = _rank(steps, kept, changes) if changes else reversed(_unique(steps, kept))
    return sorted(list(dict.fromkeys(ranked))[:most])


def end_of_task(steps: Sequence[PathStep]) -> int:
    """Behind the first commit of a change: what comes later is another task than the one that was given at first."""
    has_changed = False
    for at, step in enumerate(steps):
        has_changed = has_changed or step.step.has_changed
        if has_changed and step.is_verified and step.commits:
            return at + 1
    return len(steps)


def _rank(steps: Sequence[PathStep], kept: Sequence[int], changes: Sequence[int]) -> Iterator[int]:
    """The places, the most telling first."""
    last = changes[-1]
    checks = [at for at in kept if steps[at].is_check]
    commits = [at for at in kept if steps[at].commits]
    yield from (at for at in checks[-1:] if at > last)
    yield from (at for at in commits[-1:] if at > last)
    looks = [at for at in kept if steps[at].is_look]
    worked_on = Counter(path for at in changes for path in steps[at].step.files)
    for path, _ in worked_on.most_common():
        own = [at for at in changes if path in steps[at].step.files]
        yield own[-1]
        yield from _looks_at(steps, looks, path, own[0])
    others = [at for at in kept if not steps[at].step.has_changed and at not in looks]
    yield from reversed(_unique(steps, others))


def _looks_at(steps: Sequence[PathStep], looks: Sequence[int], path: str, before: int) -> Iterator[int]:
    """The last look before the first change that names the file, and the first one that showed it."""
    name = path.rpartition("/")[2]
    if len(name) < _LEAST_NAME:
        return
    earlier = [at for at in looks if at < before]
    yield from [at for at in earlier if name in steps[at].step.target][-1:]
    yield from [at for at in earlier if name in steps[at].result][:1]


def _unique(steps: Sequence[PathStep], places: Sequence[int]) -> list[int]:
    """Of calls that were made again in the same words, the last."""
    last = {(steps[at].step.tool, steps[at].step.target): at for at in places}
    return sorted(last.values())


def _undone(steps: Sequence[PathStep]) -> Iterator[int]:
    """Changes that a later command took back, and that command."""
    committed = 0
    for at, path_step in enumerate(steps):
        step = path_step.step
        if step.kind is not ActionKind.SHELL or not step.has_worked:
            continue
        for command in parsed(step.target).commands:
            taken = _reverted_paths(command)
            if taken is None:
                continue
            before = [place for place in range(committed, at) if steps[place].step.has_changed]
            gone = [place for place in before if _is_covered(steps[place].step, taken)]
            yield from gone
            if gone:
                yield at
        if Activity.COMMIT in activities_of(step.kind, step.target):
            committed = at


def _reverted_paths(command: Command) -> tuple[str, ...] | None:
    """The paths whose changes a command takes back, "." for all of them; None where it takes back none."""
    words = tuple(word for word in command.arguments if not word.startswith("-") and word != command.subcommand)
    if command.program == "rm":
        return words
    if command.program != "git":
        return None
    if command.subcommand == "reset":
        return (".",) if "--hard" in command.flags else None
    if command.subcommand == "restore":
        return None if "--staged" in command.flags else words
    return words if command.subcommand == "checkout" and "--" in command.arguments else None


def _is_covered(step: Step, taken: Sequence[str]) -> bool:
    """Whether all that a step changed lies under what is taken back."""
    return bool(step.files) and all(any(_is_under(path, place) for place in taken) for path in step.files)


def _is_under(path: str, place: str) -> bool:
    plain = place.removeprefix("./").rstrip("/")
    return plain in ("", ".") or path == plain or path.startswith(f"{plain}/") or path.endswith(f"/{plain}")


_CALLS = frozenset((EventKind.CALL, EventKind.RESULT))


class WantedTemplate(msgspec.Struct, frozen=True, kw_only=True):
    """What a person says of a template that is to be made. What is empty follows from the session."""

    name: str = ""
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
    examples = list(_examples(_calls_of(source, row), digest, safe_row(source, row), wanted.most_examples))
    if len(examples) < LEAST_EXAMPLES:
        raise UsageError(
            f"Session {row.native_id} has {len(examples)} calls that certainly worked and led somewhere; a template"
            f" needs {LEAST_EXAMPLES}. `afterwit templates auto` proposes sessions that have them."
        )
    cleaner = TemplateCleaner(source.redactor)
    return cleaner.template(
        Template(
            id=template_id(row.agent, row.native_id),
            name=wanted.name.strip(),
            type=wanted.type or digest.task_type,
            tags=tuple(dict.fromkeys(tag.strip() for tag in wanted.tags if tag.strip())),
            description=wanted.description or digest.title or digest.task,
            task=digest.task,
            source=TemplateSource(agent=row.agent, session=row.native_id, repo=row.repo, day=_day(row)),
            created_at=iso_from_ms(now_ms),
            examples=tuple(examples),
        )
    )


class _Called(msgspec.Struct):
    """A call, and its result as far as there is one."""

    moment: SessionMoment
    result: str = ""


def _calls_of(source: TranscriptSource, row: SessionRow) -> list[_Called]:
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
    path = [
        PathStep(step, call.result, tuple(_paths_in(step, call.moment.arguments or {}, row)))
        for step, call in zip(digest.steps, calls, strict=False)
    ]
    for at in verified_path(path, most):
        step, call = digest.steps[at], calls[at]
        yield ToolExample(
            tool=step.tool,
            kind=step.kind,
            target=_target(step, row),
            arguments=call.moment.arguments or {},
            result=call.result,
        )


def _paths_in(step: Step, arguments: dict[str, Any], row: SessionRow) -> Iterator[str]:
    """The paths that a call names, as they are named in its repository; those of a command line word by word."""
    named = [str(arguments[name]) for name in _PATH_NAMES if name in arguments]
    if step.kind is ActionKind.SHELL:
        for command in parsed(step.target).commands:
            named += [word.text.rpartition("=")[2] for word in command.words]
            named += [redirection.target for redirection in command.redirections]
    elif step.kind is ActionKind.READ:
        named.append(step.target)
    roots = (row.cwd, row.root)
    yield from (below(path, *roots) for path in named if path not in (*roots, *_NOWHERE))


def _target(step: Step, row: SessionRow) -> str:
    """What a step was about: a file as it is named in its repository."""
    if step.files:
        return step.files[0]
    return below(step.target, row.cwd, row.root) if step.kind is ActionKind.READ else step.target


def _day(row: SessionRow) -> str:
    return dt.datetime.fromtimestamp(row.started_ms / 1000, tz=dt.UTC).date().isoformat() if row.started_ms else ""


DEFAULT_COUNT = 2
_LATEST = 1_000  # sessions that are looked at
_LEAST_CONFIDENCE = 0.8
_MOST_FAILED = 0.1  # as a share of all actions
_LEAST_STEPS = 5
_FEWEST_PROPOSED = 3


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
        ref = SessionRef(agent=row.agent, native_id=row.native_id, story=row.native_id, repo=row.repo, user=row.user)
        if forgotten.covers(ref):
            continue
        digest = load_digest(source.store.db, row)
        if digest is None or len(digest.steps) < _LEAST_STEPS or digest.verdict.confidence < _LEAST_CONFIDENCE:
            continue
        failed = sum(step.has_failed for step in digest.steps)
        if failed <= _MOST_FAILED * len(digest.steps) and _is_checked(digest):
            yield _GoodSession(row, digest, failed)


def _is_checked(digest: Digest) -> bool:
    """Whether a check passed after the last change; where nothing was changed, there is nothing to check."""
    steps = [PathStep(step, "") for step in digest.steps]
    changes = [at for at, step in enumerate(steps) if step.step.has_changed]
    if not changes:
        return digest.task_type is TaskType.RESEARCH
    end = end_of_task(steps)
    last_of_task = max(at for at in changes if at < end)
    parts = (steps[last_of_task:end], steps[changes[-1] :])
    return all(any(step.is_verified and step.is_check for step in part) for part in parts)


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
        template = None if session.row.repo in repos else _make(source, session.row, wanted, world)
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


def _make(source: TranscriptSource, row: SessionRow, wanted: WantedTemplate, world: World) -> Template | None:
    """The template of a session; None where its original was dropped or too little of it led anywhere."""
    try:
        template = template_of(source, row, world.now_ms, wanted)
    except UsageError:
        return None
    kinds = {example.kind for example in template.examples}
    is_checked = kinds.isdisjoint(CHANGES) or any(has_check(example.target) for example in template.examples)
    return template if is_checked and len(template.examples) >= _FEWEST_PROPOSED else None
