"""Makes the digest of a session from its rows. Pure and repeatable: the same rows give the same digest.

Joins polls with the commands they belong to, names each failure's class, signature and resolution, gathers which files
were read and changed (as paths below the repository), what was published and stated, what kind of work it was, and how
it ended. Texts come in redacted; they are only cut here.

`Material` is what a digest is made of: the rows of one session, merged over its files and put in order. Positions of
actions are counted over the whole session; notes name the action that they belong to by the same positions.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from afterwit.actions.activities import has_check
from afterwit.actions.failures.failure_class import classify
from afterwit.actions.failures.resolution import resolve
from afterwit.actions.failures.signature import signature
from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.programs import Weight
from afterwit.actions.steps import command_of
from afterwit.capture.assembly.notes import person_statements
from afterwit.capture.assembly.texts import both_ends
from afterwit.digest.last_words import is_correction, read_report
from afterwit.digest.outcome import LastReplies, SessionCourse, judge
from afterwit.model.captured import ActionRow, Extract, PartFacts
from afterwit.model.digest import Digest, Failure, Measures, Publication, Rule, Said, Touched
from afterwit.model.kinds import (
    CHANGES,
    ActionKind,
    EventKind,
    FailureClass,
    NoteKind,
    Relation,
    ResolutionKind,
    Status,
    Step,
    TaskType,
)
from afterwit.model.text import regex
from afterwit.repos.folders import below


class Identity(NamedTuple):
    """What the session's row says of it."""

    agent: str
    native_id: str
    cwd: str
    root: str
    branch: str
    relation: str
    parent: str
    versions: tuple[str, ...]
    models: tuple[str, ...]
    started_ms: int | None
    ended_ms: int | None
    title: str
    task: str
    is_partial: bool
    tokens: int
    cost_usd: float | None


class SessionPart(NamedTuple):
    facts: PartFacts
    actions: Sequence[ActionRow]
    notes: Sequence[Extract]
    results_ms: Mapping[int, int | None] = {}  # by ordinal of the action


class Material(NamedTuple):
    identity: Identity
    actions: tuple[ActionRow, ...]
    notes: tuple[Extract, ...]
    last_kind: str  # of the session's last event
    end: str = ""  # a `RecordedEnd`: what the log says itself of how it ended
    results_ms: tuple[int | None, ...] = ()  # by action: when its result was written, where that was asked for
    next_prompt: str = ""  # the first of the session that followed in the same place
    branch_ms: int | None = None  # when its branch was first said
    is_tracked: bool = False  # a log of it came with a checkout


_OF_ACTIONS = frozenset(
    (NoteKind.FILES, NoteKind.SYMBOLS, NoteKind.RULES, NoteKind.COMMIT, NoteKind.PULL, NoteKind.RUNNING, NoteKind.SAID)
)
_OF_RESULTS = _OF_ACTIONS - {NoteKind.FILES, NoteKind.SYMBOLS}


def gather(identity: Identity, parts: Sequence[SessionPart]) -> Material:
    """The material of a session whose parts come in order of precedence."""
    placed = sorted(
        ((row.at_ms if row.at_ms is not None else -1, number, row.ordinal), number, row)
        for number, part in enumerate(parts)
        for row in part.actions
    )
    position = {(number, row.ordinal): at for at, (_, number, row) in enumerate(placed)}
    notes = [_place_in_session(number, note, position) for number, part in enumerate(parts) for note in part.notes]
    last = max(parts, key=lambda part: part.facts.ended_ms or 0).facts if parts else PartFacts(native_id="")
    return Material(
        identity,
        tuple(row for _, _, row in placed),
        tuple(sorted(notes, key=_when)),
        last.last_kind,
        last.end,
        tuple(parts[number].results_ms.get(row.ordinal) for _, number, row in placed),
        is_tracked=any(part.facts.is_tracked for part in parts),
        branch_ms=min(filter(None, (part.facts.branch_at_ms for part in parts if part.facts.branch)), default=None),
    )


def _place_in_session(number: int, extract: Extract, position: dict[tuple[int, int], int]) -> Extract:
    """With the position of the action that it belongs to; -1 where it belongs to none."""
    at = position.get((number, extract.place), -1) if extract.kind in _OF_ACTIONS else -1
    return msgspec.structs.replace(extract, part=0, place=at)


def _when(note: Extract) -> tuple[int, int, str]:
    return note.at_ms or 0, note.place, note.kind


def cut(material: Material, before_ms: int) -> Material:
    """The same session as it was known at a moment: what came later is gone, what was running has no result yet. Of a
    session in which an action has no time, no action is known. A session that had ended and one that goes on later are
    cut alike, so that nothing tells them apart."""
    is_timed = all(row.at_ms is not None for row in material.actions)
    count = sum((row.at_ms or 0) < before_ms for row in material.actions) if is_timed else 0
    ended = [at_ms is not None and at_ms < before_ms for at_ms in material.results_ms[:count]]
    actions = tuple(
        row if has_ended else _open(row) for row, has_ended in zip(material.actions[:count], ended, strict=True)
    )
    notes = tuple(note for note in material.notes if _is_known_by(note, ended, before_ms))
    identity, results_ms = _identity_by(material, actions, before_ms), material.results_ms[:count]
    return Material(identity, actions, notes, "", "", results_ms, is_tracked=material.is_tracked)


def _open(row: ActionRow) -> ActionRow:
    return msgspec.structs.replace(
        row, status=Status.UNKNOWN, lean=None, exit_code=None, error="", duration_ms=None, result_offset=None
    )


def _is_known_by(note: Extract, ended: Sequence[bool], before_ms: int) -> bool:
    if note.kind in _OF_RESULTS:
        return 0 <= note.place < len(ended) and ended[note.place]
    if note.kind in (NoteKind.ENDING, NoteKind.REPORT):
        return False
    is_placed = note.kind not in _OF_ACTIONS or 0 <= note.place < len(ended)
    return is_placed and note.at_ms is not None and note.at_ms < before_ms


def _identity_by(material: Material, actions: Sequence[ActionRow], before_ms: int) -> Identity:
    """Who and in which repository stays as it is known now; what has no time of its own (title, versions) and what the
    session spent is left out."""
    identity = material.identity
    prompts = [note.at_ms for note in material.notes if note.kind is NoteKind.PROMPT]
    asked = min((at for at in prompts if at is not None), default=None) if prompts else identity.started_ms
    return identity._replace(
        ended_ms=max((row.at_ms or 0 for row in actions), default=identity.started_ms),
        title="",
        branch=identity.branch if material.branch_ms is not None and material.branch_ms < before_ms else "",
        task=identity.task if asked is not None and asked < before_ms else "",
        versions=(),
        models=(),
        tokens=0,
        cost_usd=None,
    )


_SHOWN = regex(
    r"(?:^|[;&|(\n][^\S\n]*)(?:cat|nl(?: -\w+)*|bat|less|head(?: -n? ?\d+)?|tail(?: -n? ?\d+)?"
    r"|sed -n (?:'[^'\n]{1,40}'|\"[^\"\n]{1,40}\"))"
    r"\s+(?P<paths>[^;&|<>\n]{1,600})"
)
_NAME = regex(r"(?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.\w{1,8}\Z|[\w./@+-]*/(?:Makefile|Dockerfile|LICENSE)\Z")
_SHARE = 0.6
_GROUPS = {
    TaskType.CODE: (ActionKind.SHELL,),
    TaskType.FILE: (ActionKind.READ, ActionKind.EDIT, ActionKind.WRITE, ActionKind.SEARCH),
    TaskType.RESEARCH: (ActionKind.WEB,),
}
_FETCHES = ("curl", "wget", "lynx")
_ELSEWHERE = regex(r"https?://(?!localhost|127\.|\[::1\]|0\.0\.0\.0)")
# A file that is written in a shell: a text put into it, or changed in place.
_WRITES = regex(r"\b(?:cat|tee)\b[^\n|]{0,200}<<|\bsed (?:-\w+ )*-i|\bperl -\w*i|^(?:printf|echo) [^\n|]{1,400}>")
TARGET_LIMIT = 400
_REQUEST_LIMIT = 1_600  # of what asks a server, and of code: the first lines say little
ERROR_LIMIT = 300
_BEFORE_LIMIT = 300  # of each end of a reply before a prompt
_EARLY = 30
_MOST_SYMBOLS = 20


def digest(material: Material) -> Digest:
    identity = material.identity
    steps = steps_of(material)
    rules = _rules(material.notes)
    failures = _failures(steps, rules)
    prompts = tuple(Said(text=note.text, at_ms=note.at_ms, is_person=True) for note in _of(material, NoteKind.PROMPT))
    publications = tuple(
        Publication(kind=note.kind, at=note.place, text=note.text)
        for note in material.notes
        if note.kind in (NoteKind.COMMIT, NoteKind.PULL) and note.place >= 0
    )
    kinds = dict(sorted(Counter(step.kind.value for step in steps).items()))
    course = SessionCourse(
        steps,
        failures,
        [publication.at for publication in publications],
        prompts,
        material.last_kind,
        identity.is_partial,
        identity.relation == Relation.SUBAGENT,
        material.end,
        *_last_replies(material, prompts),
        _positions(material, prompts),
        material.next_prompt,
    )
    return Digest(
        **{name: value for name, value in identity._asdict().items() if name in Digest.__struct_fields__},
        is_tracked=material.is_tracked,
        task_type=task_type(steps),
        verdict=judge(course),
        kinds=kinds,
        steps=tuple(
            step._replace(
                target=step.target[: _REQUEST_LIMIT if "://" in step.target or "<<" in step.target else TARGET_LIMIT],
                error=step.error[:ERROR_LIMIT],
                said=step.said[:ERROR_LIMIT],
            )
            for step in steps
        ),
        failures=failures,
        rules=rules,
        files=_files(material, steps),
        skills=tuple(dict.fromkeys(step.target for step in steps if step.kind is ActionKind.SKILL and step.target)),
        called=tuple(Said(text=note.text, at_ms=note.at_ms) for note in _of(material, NoteKind.SKILL)),
        prompts=prompts,
        corrections=tuple(at for at, said in enumerate(prompts) if at and is_correction(said.text)),
        denials=tuple(at for at, step in enumerate(steps) if step.status is Status.DENIED),
        publications=publications,
        summaries=tuple(note.text for note in _of(material, NoteKind.SUMMARY)),
        stated=_statements(material, prompts),
        ending=next((note.text for note in reversed(_of(material, NoteKind.ENDING))), ""),
        replies=_earlier_replies(material),
        measures=_measures(material, steps),
    )


def _of(material: Material, kind: NoteKind) -> list[Extract]:
    return [note for note in material.notes if note.kind is kind]


def _earlier_replies(material: Material) -> tuple[Said, ...]:
    """What was said right before each later prompt; the last report is the last reply, which is kept as such."""
    reports = _of(material, NoteKind.REPORT)[:-1]
    return tuple(Said(text=both_ends(note.text, _BEFORE_LIMIT), at_ms=note.at_ms) for note in reports)


def _last_replies(material: Material, prompts: Sequence[Said]) -> LastReplies:
    """The last reply to the last prompt, and the last one before it. Of a log without times the order tells."""
    reports = _of(material, NoteKind.REPORT)
    asked = prompts[-1].at_ms if prompts else None
    if asked is None:
        is_answered = material.last_kind != EventKind.PROMPT
        before, after = (reports[:-1], reports[-1:]) if is_answered else (reports, [])
    else:
        before = [note for note in reports if (note.at_ms or 0) < asked]
        after = [note for note in reports if (note.at_ms or 0) >= asked]
    return LastReplies(*(read_report(notes[-1].text) if notes else None for notes in (after, before)))


def _positions(material: Material, prompts: Sequence[Said]) -> tuple[int, ...]:
    """Of the first action after each prompt; of a log without times, the first of all."""
    moments = sorted(row.at_ms for row in material.actions if row.at_ms is not None)
    return tuple(0 if said.at_ms is None else bisect_left(moments, said.at_ms) for said in prompts)


def steps_of(material: Material) -> list[Step]:
    """The actions, each poll joined with the call that started what it polls."""
    running = {note.place: note.text for note in _of(material, NoteKind.RUNNING)}
    files = {
        note.place: tuple(msgspec.json.decode(note.text, type=list[str])) for note in _of(material, NoteKind.FILES)
    }
    said = {note.place: note.text for note in _of(material, NoteKind.SAID)}
    started: dict[str, int] = {}
    steps: list[Step] = []
    for at, row in enumerate(material.actions):
        by = started.get(row.target) if row.kind is ActionKind.SHELL else None
        if at in running and by is None:
            started[running[at]] = at
        changed = files.get(at, (row.target,) if row.target else ()) if row.kind in CHANGES else ()
        paths = tuple(below(path, material.identity.cwd, material.identity.root) for path in changed)
        start = material.identity.started_ms
        at_s = None if row.at_ms is None or start is None else max(0, row.at_ms - start) // 1000
        ended = (row.status, row.lean, row.exit_code, at_s, row.duration_ms, row.error)
        steps.append(Step(row.kind, row.tool, row.target, *ended, paths, by, said.get(at, "")))
    return steps


def _rules(notes: Iterable[Extract]) -> tuple[Rule, ...]:
    return tuple(
        Rule(note.place, name, message)
        for note in notes
        if note.kind is NoteKind.RULES and note.place >= 0
        for name, message in msgspec.json.decode(note.text, type=dict[str, str]).items()
    )


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
    resolution = resolve(steps, at, kind)
    if kind is FailureClass.UNCLEAR and resolution.kind is ResolutionKind.CHANGED:
        kind = FailureClass.INVOCATION
    return Failure(
        at=at,
        failure=kind,
        signature=signature(steps[at], kind, command, rules),
        resolution=resolution.kind,
        by=resolution.by,
        edits_between=_edits(steps, at, resolution.by),
    )


def _edits(steps: Sequence[Step], at: int, by: int | None) -> int:
    between = steps[at + 1 : by] if by is not None else ()
    return sum(step.kind in CHANGES and step.has_worked for step in between)


def _files(material: Material, steps: Sequence[Step]) -> tuple[Touched, ...]:
    """Files in the order in which they were first touched. Names that a change defines are given to a file only where
    it is the one that changed: of several, the rows do not say which of them a name stands in."""
    identity = material.identity
    symbols = {note.place: note.text.split() for note in _of(material, NoteKind.SYMBOLS)}
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
        Touched(path, reads[path], changes[path], tuple(defined)[:_MOST_SYMBOLS]) for path, defined in names.items()
    )


def _read_by(step: Step) -> list[str]:
    if step.kind is ActionKind.READ:
        return [step.target] if step.target else []
    return files_printed(step.target) if step.kind is ActionKind.SHELL else []


def _statements(material: Material, prompts: Sequence[Said]) -> tuple[Said, ...]:
    """What people and the agent stated, each sentence once."""
    stated: dict[str, Said] = {}
    for said in prompts:
        for sentence in person_statements(said.text):
            stated.setdefault(sentence, Said(text=sentence, at_ms=said.at_ms, is_person=True))
    for note in _of(material, NoteKind.REPLY):
        for sentence in note.text.splitlines():
            stated.setdefault(sentence, Said(text=sentence, at_ms=note.at_ms))
    return tuple(stated.values())


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
        if line and has_check(line):
            moment = material.actions[at].at_ms
            return None if start is None or moment is None else max(0, moment - start)
    return None


def task_type(steps: Sequence[Step]) -> TaskType:
    """What kind of work a session is: the group that more than 60 % of its actions belong to decides. A command line
    belongs where the agent's own tool for the same would: some agents do everything in a shell."""
    kinds = Counter(map(_done, steps))
    for group, members in _GROUPS.items():
        if steps and sum(kinds[kind] for kind in members) > _SHARE * len(steps):
            return group
    return TaskType.MIXED


def _done(step: Step) -> ActionKind:
    """What a step does to files and with the web, by whichever tool."""
    main = parsed(step.target).main if step.kind is ActionKind.SHELL else None
    if main is None:
        return step.kind
    if main.program in _FETCHES:
        return ActionKind.WEB if _ELSEWHERE.search(step.target) else ActionKind.SHELL
    is_changing = bool(step.files) or bool(_WRITES.search(step.target))
    return ActionKind.EDIT if is_changing else ActionKind.READ if main.weight is Weight.LOOKS else ActionKind.SHELL


def files_printed(command: str) -> list[str]:
    """Files that a command line prints, as it names them: `cat`, `sed -n`, `head` and the like."""
    words = (word.strip("'\"") for match in _SHOWN.finditer(command) for word in match["paths"].split())
    return list(dict.fromkeys(word for word in words if _NAME.match(word.removeprefix("/"))))
