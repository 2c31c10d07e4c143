"""Folds the readings of one file into rows: sessions' facts, events, actions, what was spent.

Pure and resumable: `resume` bytes hold what the next append needs, and any split of a file into appends gives the rows
of the whole. Copied history is recognised by key: a record whose key stands in `copied` (another part owns it), or that
occurred before in this file, becomes an event marked as copied and counts for nothing else. Prompts, calls and spends
have keys; everything else goes with the last of them. Texts are cleaned and redacted here, before they enter any row.
"""

from collections.abc import Mapping, Set
from functools import lru_cache

import msgspec

from afterwit.capture import calls, instructions, notes
from afterwit.capture.keys import key_of
from afterwit.capture.remotes import canonical_remote, last_part, name_key
from afterwit.capture.repo import root_name, root_of, user_of
from afterwit.capture.texts import TASK_LIMIT, beginning, safe_body, safe_text
from afterwit.guard.redaction import Redactor
from afterwit.model.captured import (
    ORDINAL_BITS,
    ActionRow,
    Captured,
    EventRow,
    NoteRow,
    PartFacts,
    ProblemRow,
    SpendRow,
    TextRow,
)
from afterwit.model.kinds import EventKind, Relation
from afterwit.model.readings import Event, Facts, Problem, Reading, Spend

_MOST_PROBLEMS = 1_000
_MOST_KEPT = 1_000  # short texts whose safe form is remembered
_MOST_TOKENS = 10**12  # of one response; the sums of a session must fit a row
_MOST_EARLY = 32  # results without a call that are kept, in case it follows
_SEARCHED = frozenset({EventKind.PROMPT, EventKind.REPLY, EventKind.RESULT, EventKind.COMPACTION})
_COUNTED = {
    EventKind.PROMPT: "prompts",
    EventKind.REPLY: "replies",
    EventKind.INTERRUPT: "interrupts",
    EventKind.COMPACTION: "compactions",
    EventKind.MODEL_ERROR: "model_errors",
}


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """What assembling needs to know besides the readings."""

    agent: str
    redactor: Redactor
    tool_names: Mapping[str, str] = msgspec.field(default_factory=dict)
    user_names: Mapping[str, str] = msgspec.field(default_factory=dict)


class _Resume(msgspec.Struct, array_like=True):
    parts: list[PartFacts]
    open_calls: dict[int, calls.OpenCall]
    early: dict[int, calls.Outcome]  # results that came before their calls
    owned: list[list[int]]  # per part: the keys of all records read so far
    copied: list[int]
    is_copying: list[bool]
    problems: int


def keys_held(resume: bytes) -> dict[str, list[int]]:
    """The keys of all records that a file was found to hold, by session."""
    state = msgspec.msgpack.decode(resume, type=_Resume)
    return {part.native_id: keys for part, keys in zip(state.parts, state.owned, strict=True)}


def parts_held(resume: bytes) -> list[PartFacts]:
    """What a file was found to say of its sessions."""
    return [part for part in msgspec.msgpack.decode(resume, type=_Resume).parts if not part.is_empty]


class Assembler:
    """The fold over one file."""

    def __init__(self, context: Context, copied: Set[int] = frozenset(), resume: bytes | None = None) -> None:
        self._context = context
        state = msgspec.msgpack.decode(resume, type=_Resume) if resume else _Resume([], {}, {}, [], [], [], 0)
        self._copied = copied | set(state.copied)
        self._parts = state.parts
        self._index = {part.native_id: number for number, part in enumerate(self._parts)}
        self._open = state.open_calls
        self._early = state.early
        self._owner = {key: number for number, keys in enumerate(state.owned) for key in keys}
        self._is_copying = state.is_copying
        self._claims: list[list[int]] = [[] for _ in self._parts]
        self._events: list[EventRow] = []
        self._actions: dict[tuple[int, int], ActionRow] = {}
        self._spends: dict[tuple[int, int], SpendRow] = {}
        self._safe_texts: dict[str, str] = {"": ""}
        self._texts: list[TextRow] = []
        self._notes: dict[tuple[int, str, int], NoteRow] = {}
        self._problems: list[ProblemRow] = []
        self._problem_count = state.problems
        self.places: dict[str, str] = {}  # redacted root → folder, for looking at local checkouts; never stored

    def take(self, reading: Reading) -> None:
        if isinstance(reading, Event):
            self._take_event(reading)
        elif isinstance(reading, Spend):
            self._take_spend(reading)
        elif isinstance(reading, Facts):
            self._take_facts(reading)
        else:
            self._take_problem(reading)

    def captured(self) -> Captured:
        """The rows so far, and what is needed to go on."""
        owned: list[list[int]] = [[] for _ in self._parts]
        for key, number in self._owner.items():
            owned[number].append(key)
        state = _Resume(
            self._parts, self._open, self._early, owned, sorted(self._copied), self._is_copying, self._problem_count
        )
        return Captured(
            parts=self._parts,
            events=self._events,
            actions=list(self._actions.values()),
            spends=list(self._spends.values()),
            texts=self._texts,
            notes=list(self._notes.values()),
            problems=self._problems,
            claims=self._claims,
            resume=msgspec.msgpack.encode(state),
        )

    def safe_names(self, counts: Mapping[str, int]) -> dict[str, int]:
        """Counts by names that come from the log."""
        safe: dict[str, int] = {}
        for name, count in counts.items():
            safe[self._safe(name)] = safe.get(self._safe(name), 0) + count
        return safe

    def safe_name(self, name: str) -> str:
        """A name that was found outside the log."""
        return self._safe(name)

    def _part(self, native_id: str) -> int:
        """The position of a session's part, made when its first reading comes."""
        safe = native_id if native_id in self._index else self._safe(native_id)
        if safe not in self._index:
            self._index[safe] = len(self._parts)
            self._parts.append(PartFacts(native_id=safe))
            self._claims.append([])
            self._is_copying.append(False)
        return self._index[safe]

    def _safe(self, text: str) -> str:
        """A short text for a row. The same names and versions come with nearly every record."""
        safe = self._safe_texts.get(text)
        if safe is None:
            safe = safe_text(text, self._context.redactor)
            if len(self._safe_texts) < _MOST_KEPT:
                self._safe_texts[text] = safe
        return safe

    def _take_event(self, event: Event) -> None:
        number = self._part(event.session)
        part = self._parts[number]
        if part.events >= 1 << ORDINAL_BITS:
            self._note_problem(event.offset, event.length, "more events than a session can hold")
            return
        is_copied = self._is_copy(number, event)
        self._events.append(
            EventRow(number, part.events, event.kind, event.at_ms, event.offset, event.length, is_copied)
        )
        part.events += 1
        part.first_ms = _earlier(part.first_ms, event.at_ms)
        if is_copied:
            part.copied += 1
            return
        _stretch(part, event.at_ms)
        if event.kind is not EventKind.NOTICE:
            part.last_kind = event.kind.value
        counter = _COUNTED.get(event.kind)
        if counter:
            setattr(part, counter, getattr(part, counter) + 1)
        text = self._take_content(number, part, event)
        if text:
            self._texts.append(TextRow(number, part.events - 1, text))

    def _take_content(self, number: int, part: PartFacts, event: Event) -> str:
        """What the event itself says. Returns the text that is to be found by searching."""
        if event.kind is EventKind.CALL:
            return self._open_call(number, part, event)
        if (
            event.kind is EventKind.NOTICE
            and part.relation == Relation.SUBAGENT
            and not part.task
            and _is_speech(event)
        ):
            part.task = self._safe(event.text)
        if event.kind is EventKind.NOTICE or event.file:
            for note in instructions.of_event(number, part, event, self._context.redactor):
                self._note(note)
        if event.kind not in _SEARCHED:
            return ""
        body = safe_body(event.text, self._context.redactor)
        if event.kind is EventKind.RESULT:
            self._end_call(number, event, body)
            return body
        if event.kind is EventKind.PROMPT:
            self._note_prompt(part, event, body)
        for note in notes.of_text(number, part, event, body):
            self._note(note)
        return body

    def _note(self, note: NoteRow) -> None:
        self._notes[note.part, note.kind, note.place] = note

    def _is_copy(self, number: int, event: Event) -> bool:
        """Whether this record's original is elsewhere."""
        if event.kind is EventKind.RESULT and self._call_key(number, event) in self._open:
            return False
        if event.kind in (EventKind.PROMPT, EventKind.CALL) or _is_own_task(self._parts[number], event):
            key = key_of(event.key or self._made_up(number, event))
            self._is_copying[number] = key in self._owner or key in self._copied
            self._claim(number, key)
        return self._is_copying[number]

    def _made_up(self, number: int, event: Event) -> str:
        """An identity for a record whose format gives it none: good within its session, also after a rewrite."""
        part = self._parts[number]
        part.unkeyed += 1
        content = (event.call_id, event.tool, event.arguments, event.text)
        return f"{event.session}#{part.unkeyed}:{content!r}"

    def _claim(self, number: int, key: int) -> None:
        """Notes the record as one that this part holds; who owns it is settled between the parts."""
        if key not in self._owner:
            self._owner[key] = number
            self._claims[number].append(key)

    def _note_prompt(self, part: PartFacts, event: Event, body: str) -> None:
        if not part.first_prompt:
            part.first_prompt = part.task = beginning(body, TASK_LIMIT)
            part.first_prompt_ms = event.at_ms

    def _open_call(self, number: int, part: PartFacts, event: Event) -> str:
        context = self._context
        call = calls.opened(event, context.agent, number, part.calls, context.redactor, context.tool_names)
        showing = instructions.shown_by_call(call.kind, event, part, context.redactor)
        call = msgspec.structs.replace(call, showing=showing) if showing else call
        part.calls += 1
        key = self._call_key(number, event)
        early = self._early.pop(key, None)
        if early is None:
            self._open[key] = call
        self._actions[number, call.ordinal] = calls.pending(call)
        for note in notes.of_call(call, event, context.redactor):
            self._note(note)
        if early:
            self._settle(call, early)
        return call.target

    def _settle(self, call: calls.OpenCall, outcome: calls.Outcome) -> None:
        row = calls.settled(call, outcome)
        self._actions[call.part, call.ordinal] = row
        for note in notes.of_result(call, row, outcome, self._context.redactor):
            self._note(note)

    def _end_call(self, number: int, event: Event, output: str) -> None:
        """Joins a result with its call. One that says that the command still runs leaves the call open."""
        key = self._call_key(number, event)
        call = self._open.get(key)
        if call is not None and event.file:
            call = msgspec.structs.replace(call, showing=None)
        if call is not None:
            self._settle(call, calls.outcome(event, output))
            if not (event.result and event.result.is_running):
                del self._open[key]
            return
        self._early[key] = calls.early(event, output)
        if len(self._early) > _MOST_EARLY:
            self._early.pop(next(iter(self._early)))

    def _call_key(self, number: int, event: Event) -> int:
        """What joins a call with its result. A hash, because ids come from the log and go into `resume`."""
        return _call_key(self._parts[number].native_id, event.call_id)

    def _take_spend(self, spend: Spend) -> None:
        number = self._part(spend.session)
        key = key_of(f"spend:{spend.key}")
        self._claim(number, key)
        if key in self._copied or self._owner[key] != number:
            return
        row = SpendRow(number, key, spend.at_ms, self._safe(spend.model), *_figures(spend))
        before = self._spends.get((number, key))
        self._spends[number, key] = row if before is None else merged_spend(before, row)

    def _take_facts(self, facts: Facts) -> None:
        part = self._parts[self._part(facts.session)]
        if facts.cwd and not part.cwd:
            self._note_place(part, facts.cwd)
        if facts.remote and not part.remote:
            self._note_remote(part, facts)
        version = self._safe(facts.version)
        if version and version not in part.versions:
            part.versions.append(version)
        if facts.title and (facts.is_title_manual or not part.is_title_manual):
            part.title, part.is_title_manual = self._safe(facts.title), facts.is_title_manual
            part.title_at_ms = facts.at_ms or part.title_at_ms
        for name in ("branch", "parent", "parent_call", "origin", "provider"):
            if not getattr(part, name):
                setattr(part, name, self._safe(getattr(facts, name)))
        part.is_partial = part.is_partial or facts.is_partial
        if facts.relation and not part.relation:
            part.relation = facts.relation.value
        part.first_ms = _earlier(part.first_ms, facts.at_ms)

    def _note_remote(self, part: PartFacts, facts: Facts) -> None:
        """The remote of the checkout. One that the session merely links to counts if the folder has its name."""
        remote = canonical_remote(facts.remote)
        if not facts.is_remote_linked or name_key(last_part(remote)) == name_key(root_name(part.root)):
            part.remote = self._safe(remote)

    def _note_place(self, part: PartFacts, cwd: str) -> None:
        """Where the session ran. Identity comes from the path as it is; what is kept of it is redacted."""
        part.cwd, part.root = self._safe(cwd), self._safe(root_of(cwd))
        self.places[part.root] = cwd
        user = user_of(cwd)
        if user:
            names, pseudonym = self._context.user_names, user_pseudonym(user, self._context.redactor)
            part.user = names.get(user) or names.get(pseudonym, pseudonym)

    def _take_problem(self, problem: Problem) -> None:
        if problem.is_passing:
            self._problems.append(
                ProblemRow(problem.offset, problem.length, self._safe(problem.reason), is_passing=True)
            )
        else:
            self._note_problem(problem.offset, problem.length, self._safe(problem.reason))

    def _note_problem(self, offset: int, length: int, reason: str) -> None:
        """A damaged file can have a problem in every line; the first ones tell enough."""
        self._problem_count += 1
        if self._problem_count <= _MOST_PROBLEMS:
            self._problems.append(ProblemRow(offset, length, reason))
        elif self._problem_count == _MOST_PROBLEMS + 1:
            self._problems.append(ProblemRow(offset, length, "further problems of this file are not listed"))


def _is_own_task(part: PartFacts, event: Event) -> bool:
    """What a subagent was told by its parent: where its own history begins, behind a copy of its parent's."""
    is_subagent = part.relation == Relation.SUBAGENT
    return is_subagent and event.kind is EventKind.NOTICE and bool(event.key) and _is_speech(event)


def _is_speech(event: Event) -> bool:
    """Whether a notice reads like a task: what clients inject begins with a tag or a heading."""
    return not event.text.lstrip().startswith(("<", "# AGENTS.md"))


def merged_spend(one: SpendRow, other: SpendRow) -> SpendRow:
    """One response read twice, or in pieces: the largest figures count. Commutative and idempotent."""
    times = [at for at in (one.at_ms, other.at_ms) if at is not None]
    costs = [cost for cost in (one.cost_usd, other.cost_usd) if cost is not None]
    return SpendRow(
        one.part,
        one.key,
        min(times, default=None),
        max(one.model, other.model),
        max(one.input, other.input),
        max(one.cache_read, other.cache_read),
        max(one.cache_write, other.cache_write),
        max(one.output, other.output),
        max(one.reasoning, other.reasoning),
        max(costs, default=None),
    )


def _figures(spend: Spend) -> tuple[int, int, int, int, int, float | None]:
    usage = spend.usage
    counts = (usage.input, usage.cache_read, usage.cache_write, usage.output, usage.reasoning)
    if min(counts) < 0 or max(counts) > _MOST_TOKENS:
        read, cache_read, cache_write, output, reasoning = (min(max(count, 0), _MOST_TOKENS) for count in counts)
        counts = read, cache_read, cache_write, output, reasoning
    return *counts, spend.cost_usd


@lru_cache(maxsize=1 << 10)
def _call_key(native_id: str, call_id: str) -> int:
    """Asked for when the call comes, and twice when its result does."""
    return key_of(f"{native_id}\0{call_id}")


def user_pseudonym(user: str, redactor: Redactor) -> str:
    """The name under which a user is stored; accounts that belong to nobody keep theirs."""
    return _last_name(redactor.path(f"/home/{user}/"))


def _last_name(path: str) -> str:
    return path.strip("/").rpartition("/")[2]


def _stretch(part: PartFacts, at_ms: int | None) -> None:
    if at_ms is not None:
        part.started_ms = _earlier(part.started_ms, at_ms)
        part.ended_ms = at_ms if part.ended_ms is None else max(part.ended_ms, at_ms)


def _earlier(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)
