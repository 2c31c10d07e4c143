"""Makes the digest of a session from its rows. Pure and repeatable: the same rows give the same digest.

Joins polls with the commands they belong to, names each failure's class, signature and resolution, gathers which files
were read and changed, what was published and stated, and how it ended. Texts come in redacted; they are only cut here.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from afterwit.actions.checks import is_checking
from afterwit.actions.failures.failure_class import classify
from afterwit.actions.failures.resolution import resolve
from afterwit.actions.failures.signature import signature
from afterwit.actions.shell.parse import parsed
from afterwit.actions.steps import Step, command_of
from afterwit.capture.assembly.sentences import stated_by_person
from afterwit.digest.material import Material, Note
from afterwit.digest.outcome import Story, judge
from afterwit.digest.paths import below, shown_by
from afterwit.digest.reactions import is_correction
from afterwit.digest.task_type import task_type
from afterwit.model.captured import ActionRow
from afterwit.model.digest import Digest, DigestStep, Failure, Measures, Publication, Rule, Said, Touched
from afterwit.model.kinds import CHANGES, ActionKind, FailureClass, NoteKind, Relation, ResolutionKind, Status

TARGET_LIMIT = 400
ERROR_LIMIT = 300
_EARLY = 30
_MOST_SYMBOLS = 20


def digest(material: Material) -> Digest:
    """The digest of one session."""
    identity = material.identity
    steps = steps_of(material)
    rules = _rules(material.notes)
    failures = _failures(steps, rules)
    prompts = tuple(Said(text=note.text, at_ms=note.at_ms, is_person=True) for note in _of(material, NoteKind.PROMPT))
    published = [
        note for note in material.notes if note.kind in (NoteKind.COMMIT, NoteKind.PULL) and note.at is not None
    ]
    kinds = dict(sorted(Counter(step.kind.value for step in steps).items()))
    story = Story(
        steps,
        failures,
        [note.at for note in published if note.at is not None],
        prompts,
        material.last_kind,
        material.model_errors,
        identity.is_partial,
        identity.relation == Relation.SUBAGENT,
    )
    return Digest(
        agent=identity.agent,
        native_id=identity.native_id,
        relation=identity.relation,
        parent=identity.parent,
        versions=identity.versions,
        models=identity.models,
        branch=identity.branch,
        started_ms=identity.started_ms,
        ended_ms=identity.ended_ms,
        title=identity.title,
        task=identity.task,
        is_partial=identity.is_partial,
        task_type=task_type(kinds),
        verdict=judge(story),
        kinds=kinds,
        steps=tuple(_packed(row, step, identity.started_ms) for row, step in zip(material.actions, steps, strict=True)),
        failures=failures,
        rules=rules,
        files=_files(material, steps),
        skills=tuple(dict.fromkeys(step.target for step in steps if step.kind is ActionKind.SKILL and step.target)),
        prompts=prompts,
        corrections=tuple(at for at, said in enumerate(prompts) if at and is_correction(said.text)),
        denials=tuple(at for at, step in enumerate(steps) if step.status is Status.DENIED),
        publications=tuple(Publication(kind=note.kind, at=note.at or 0, text=note.text) for note in published),
        summaries=tuple(note.text for note in _of(material, NoteKind.SUMMARY)),
        stated=_stated(material, prompts),
        ending=next((note.text for note in reversed(_of(material, NoteKind.ENDING))), ""),
        measures=_measures(material, steps),
    )


def _of(material: Material, kind: NoteKind) -> list[Note]:
    return [note for note in material.notes if note.kind is kind]


def steps_of(material: Material) -> list[Step]:
    """The actions, each poll joined with the call that started what it polls."""
    running = {note.at: note.text for note in _of(material, NoteKind.RUNNING)}
    files = {note.at: tuple(msgspec.json.decode(note.text, type=list[str])) for note in _of(material, NoteKind.FILES)}
    started: dict[str, int] = {}
    steps: list[Step] = []
    for at, row in enumerate(material.actions):
        by = started.get(row.target) if row.kind is ActionKind.SHELL else None
        if at in running and by is None:
            started[running[at]] = at
        changed = files.get(at, (row.target,) if row.target else ()) if row.kind in CHANGES else ()
        paths = tuple(below(path, material.identity.cwd, material.identity.root) for path in changed)
        steps.append(_step(row, paths, by))
    return steps


def _step(row: ActionRow, files: tuple[str, ...], started_by: int | None) -> Step:
    return Step(row.kind, row.tool, row.target, row.status, row.lean, row.exit_code, row.error, files, started_by)


def _packed(row: ActionRow, step: Step, started_ms: int | None) -> DigestStep:
    at_s = None if row.at_ms is None or started_ms is None else max(0, row.at_ms - started_ms) // 1000
    return DigestStep(
        step.kind,
        step.tool,
        step.target[:TARGET_LIMIT],
        step.status,
        step.lean,
        step.exit_code,
        at_s,
        row.duration_ms,
        step.error[:ERROR_LIMIT],
        step.files,
        step.started_by,
    )


def _rules(notes: Iterable[Note]) -> tuple[Rule, ...]:
    found: list[Rule] = []
    for note in notes:
        if note.kind is NoteKind.RULES and note.at is not None:
            named = msgspec.json.decode(note.text, type=dict[str, str])
            found += [Rule(note.at, name, message) for name, message in named.items()]
    return tuple(found)


def _failures(steps: Sequence[Step], rules: Sequence[Rule]) -> tuple[Failure, ...]:
    reported: dict[int, list[str]] = {}
    for rule in rules:
        reported.setdefault(rule.at, []).append(rule.id)
    return tuple(
        _failure(steps, at, reported.get(at, []))
        for at, step in enumerate(steps)
        if step.status in (Status.FAILED, Status.DENIED, Status.CANCELLED) and not _is_repeated(steps, at)
    )


def _is_repeated(steps: Sequence[Step], at: int) -> bool:
    """A poll that says again what the call it polls has said."""
    by = steps[at].started_by
    return by is not None and steps[by].status is Status.FAILED and steps[by].error == steps[at].error


def _failure(steps: Sequence[Step], at: int, rules: list[str]) -> Failure:
    command = command_of(steps, at)
    kind = classify(steps[at], command, rules=bool(rules))
    found = resolve(steps, at, kind)
    if kind is FailureClass.UNCLEAR and found.kind is ResolutionKind.CHANGED:
        kind = FailureClass.INVOCATION
    return Failure(
        at=at,
        failure=kind,
        signature=signature(steps[at], kind, command, rules),
        resolution=found.kind,
        by=found.by,
        edits_between=_edits(steps, at, found.by),
    )


def _edits(steps: Sequence[Step], at: int, by: int | None) -> int:
    between = steps[at + 1 : by] if by is not None else ()
    return sum(step.kind in CHANGES and step.has_worked for step in between)


def _files(material: Material, steps: Sequence[Step]) -> tuple[Touched, ...]:
    """Files in the order in which they were first touched. Names that a change defines are given to a file only where
    it is the one that changed: of several, the rows do not say which of them a name stands in."""
    identity = material.identity
    symbols = {note.at: note.text.split() for note in _of(material, NoteKind.SYMBOLS)}
    reads: Counter[str] = Counter()
    changes: Counter[str] = Counter()
    names: dict[str, dict[str, None]] = {}
    for at, step in enumerate(steps):
        if not step.has_worked:
            continue
        for path in _read_by(step):
            path = below(path, identity.cwd, identity.root)
            reads[path] += 1
            names.setdefault(path, {})
        for path in step.files:
            changes[path] += 1
            defined = symbols.get(at, []) if len(step.files) == 1 else []
            names.setdefault(path, {}).update(dict.fromkeys(defined))
    return tuple(
        Touched(path, reads[path], changes[path], tuple(found)[:_MOST_SYMBOLS]) for path, found in names.items()
    )


def _read_by(step: Step) -> list[str]:
    if step.kind is ActionKind.READ:
        return [step.target] if step.target else []
    return shown_by(step.target) if step.kind is ActionKind.SHELL else []


def _stated(material: Material, prompts: Sequence[Said]) -> tuple[Said, ...]:
    """What people and the agent stated, each sentence once."""
    found: dict[str, Said] = {}
    for said in prompts:
        for sentence in stated_by_person(said.text):
            found.setdefault(sentence, Said(text=sentence, at_ms=said.at_ms, is_person=True))
    for note in _of(material, NoteKind.REPLY):
        for sentence in note.text.splitlines():
            found.setdefault(sentence, Said(text=sentence, at_ms=note.at_ms))
    return tuple(found.values())


def _measures(material: Material, steps: Sequence[Step]) -> Measures:
    identity = material.identity
    start, end = identity.started_ms, identity.ended_ms
    early = [step for step in steps[:_EARLY] if step.status is not Status.CANCELLED]
    failed = sum(step.has_failed for step in early)
    return Measures(
        duration_ms=None if start is None or end is None else max(0, end - start),
        first_success_ms=_first_success_ms(material, steps),
        errors=sum(step.status is Status.FAILED for step in steps),
        early_error_rate=round(failed / len(early), 3) if early else None,
        tool_diversity=len({step.tool for step in steps}),
        tokens=identity.tokens,
        cost_usd=identity.cost_usd,
    )


def _first_success_ms(material: Material, steps: Sequence[Step]) -> int | None:
    """From the beginning to the first passing check behind a change."""
    start, has_changed = material.identity.started_ms, False
    for at, step in enumerate(steps):
        has_changed = has_changed or (step.kind in CHANGES and step.has_worked)
        line = command_of(steps, at) if has_changed and step.has_worked else ""
        if line and any(is_checking(command) for command in parsed(line).commands):
            moment = material.actions[at].at_ms
            return None if start is None or moment is None else max(0, moment - start)
    return None
