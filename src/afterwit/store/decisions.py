"""What people decided about knowledge, as it follows from their entries in the journal, and what they want of an item.

An entry counts unless a later one that counts took it back, so an undo can be undone. Entries of all machines come in
the order of time. What is forgotten stays forgotten for what comes later from the same place, until that is undone. Of
each kind of decision about an item the latest counts. A pin and a verdict that takes an item out exclude each other, so
the later of the two holds. An edit changes what it names and leaves the rest, and approves. Which status follows from
it all is left to `weighing`.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

import msgspec

from afterwit.model.brief import Line
from afterwit.model.check import Check
from afterwit.model.knowledge import Category, Channel, Draft, Evidence, Scope, SessionRef, Trigger


class DecisionKind(StrEnum):
    APPROVE = "approve"
    REJECT = "reject"
    RETIRE = "retire"
    PIN = "pin"
    UNPIN = "unpin"
    EDIT = "edit"


APPROVALS = (DecisionKind.APPROVE, DecisionKind.EDIT)
TAKEN_OUT = {DecisionKind.REJECT: "rejected by a person", DecisionKind.RETIRE: "retired by a person"}


class ItemChanges(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an edit gives an item. What is None stays as it is."""

    sentence: str | None = None
    category: Category | None = None
    scope: Scope | None = None
    triggers: tuple[Trigger, ...] | None = None
    advice: str | None = None
    files: tuple[str, ...] | None = None

    @property
    def named(self) -> dict[str, object]:
        """The fields that are set."""
        return {name: value for name, value in msgspec.structs.asdict(self).items() if value is not None}

    @property
    def in_words(self) -> str:
        """What is set, in words."""
        count = len(self.triggers or ())
        parts = (
            self.sentence,
            f"category {self.category}" if self.category is not None else None,
            f"applies to {self.scope}" if self.scope is not None else None,
            f"shown when: {count or 'no'} condition{'' if count == 1 else 's'}" if self.triggers is not None else None,
            f"use {self.advice or 'nothing'}" if self.advice is not None else None,
            f"files {', '.join(self.files) or 'none'}" if self.files is not None else None,
        )
        return "; ".join(part for part in parts if part is not None)

    def then(self, later: "ItemChanges") -> "ItemChanges":
        """Both, where the later one has the last word."""
        return msgspec.structs.replace(self, **later.named)

    def apply(self, draft: Draft) -> Draft:
        return msgspec.structs.replace(draft, **self.named)


class Decision(NamedTuple):
    """What a person decided about an item."""

    at_ms: int
    kind: DecisionKind
    changes: ItemChanges = ItemChanges()


class Will(NamedTuple):
    """What people want of an item."""

    verdict: Decision | None = None  # approve, edit, reject or retire
    is_pinned: bool = False
    changes: ItemChanges = ItemChanges()

    @property
    def is_approved(self) -> bool:
        return self.is_pinned or (self.verdict is not None and self.verdict.kind in APPROVALS)

    @property
    def why_out(self) -> str:
        """Why it is out of use, in words; "" where nobody took it out."""
        return TAKEN_OUT.get(self.verdict.kind, "") if self.verdict is not None else ""

    def after(self, decision: Decision) -> "Will":
        if decision.kind is DecisionKind.PIN:
            return self._replace(is_pinned=True, verdict=None if self.why_out else self.verdict)
        if decision.kind is DecisionKind.UNPIN:
            return self._replace(is_pinned=False)
        is_pinned = self.is_pinned and decision.kind in APPROVALS
        return Will(verdict=decision, is_pinned=is_pinned, changes=self.changes.then(decision.changes))


def will_of(decisions: Iterable[Decision]) -> Will:
    """What follows from all decisions, in whatever order they are given."""
    will = Will()
    for decision in sorted(decisions, key=lambda decision: (decision.at_ms, decision.kind, repr(decision.changes))):
        will = will.after(decision)
    return will


class KnowledgeEntry(StrEnum):
    """Kinds of entries in the journal."""

    DECIDED = "item-decided"  # {"item": id, "decision": DecisionKind}, with the fields of `ItemChanges` where it edits
    ADDED = "item-added"  # {"draft": …}: by a person
    KEPT = "item-kept"  # {"item": id, "draft": …}: what a person approved, before another version looks for notes
    LESSON = "lesson-recorded"  # {"draft": …}: by an agent
    IMPORTED = "items-imported"  # {"drafts": […], "source": …}
    SHARED = "notes-shared"  # {"source": …, "notes": [SharedState, …]}: what a share says of these notes by now
    FORGOTTEN = "knowledge-forgotten"  # {"what": Forgettable, "name": …}
    JUDGED = "item-judged"  # {"item": id, "verdict": …}: in an audit
    REPORTED = "item-reported"  # {"item": id, "is_helpful": …, "session": SessionRef}: by an agent
    READ = "session-read"  # an answer of a model: see `SessionRead`
    CONSOLIDATED = "notes-consolidated"  # what a model said of notes by id, before briefs: see `NotesConsolidated`
    COMPILED = "brief-compiled"  # the brief that a model made of notes: see `BriefCompiled`
    BRIEF_EDITED = "brief-edited"  # what a person changed on it: see `BriefEdited`
    CHECK_DECIDED = "check-decided"  # what a person decided about a check: see `CheckDecided`
    UNDONE = "decision-undone"  # {"machine": …, "number": …}


class PatternEntry(StrEnum):
    """Kinds of entries about the catalog of patterns."""

    DECIDED = "pattern-decided"  # what patterns are since then: see `extras.lab.patterns.catalog`
    UNDONE = "pattern-undone"  # {"machine": …, "number": …, "files": …}
    PUBLISHED = "pattern-published"  # what a place holds since then: see `extras.lab.patterns.publications`
    UNPUBLISHED = "pattern-unpublished"  # the same, of a place that is empty since then


class SkillEntry(StrEnum):
    """Kinds of entries about versions of skills; all name their trial, see `extras.lab.skills.evolve.trial`."""

    TRIED = "skill-tried"  # a person lets a proposal be tried: both texts, and why
    REJECTED = "skill-rejected"  # {"trial": …, "skill": …}
    DRAWN = "skill-drawn"  # {"trial", "block", "arm", "odds"}: which version is to lie on disk from now on
    PLACED = "skill-placed"  # {"trial"}: it does
    ENDED = "skill-ended"  # {"trial", "verdict", "why", "effect"}


class Forgettable(StrEnum):
    """What can be forgotten as a whole."""

    SESSION = "session"  # by its native id, with its subagents
    REPO = "repo"
    AGENT = "agent"
    USER = "user"
    MACHINE = "machine"
    SOURCE = "source"  # a page's address, a file
    CHANNEL = "channel"


class ReadingUsage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one answer took."""

    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = None  # None: no price is known


class RejectedProposal(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a model proposed and the checks refused."""

    sentence: str
    reason: str
    detail: str = ""


class ItemEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """What a session says of an item that was there before."""

    item: str
    evidence: Evidence


class SessionRead(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The body of an entry `READ`: the answer to one request, and what the checks made of it. Of several entries on one
    request the last counts."""

    request: str
    session: SessionRef
    model: str
    prompt: str  # its version
    checks: int  # the version of the checks
    run_ms: int = 0  # when the run began that called the model; what it read is taken back together
    usage: ReadingUsage = ReadingUsage()
    drafts: tuple[Draft, ...] = ()
    rejected: tuple[RejectedProposal, ...] = ()
    relations: tuple[ItemEvidence, ...] = ()  # what it confirms or contradicts
    repeats: tuple[ItemEvidence, ...] = ()  # lines that the session was told and its user had to say again
    answer: str = ""  # as the model gave it, redacted, so that it can be checked again


class NotesConsolidated(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The body of an entry `CONSOLIDATED`: what a model said of notes, as far as the checks let it pass. It holds ids
    and no words, so that nothing of a session stays in it. Of several entries on one request the last counts."""

    request: str
    repo: str
    items: tuple[str, ...]  # that it was asked about
    model: str
    prompt: str  # its version
    checks: int  # the version of the checks
    run_ms: int = 0  # as in `SessionRead`
    usage: ReadingUsage = ReadingUsage()
    same: tuple[tuple[str, ...], ...] = ()  # the note that is kept, then those that say the same
    replaced: tuple[tuple[str, str], ...] = ()  # the old note, the new one
    contradict: tuple[tuple[str, str], ...] = ()
    rejected: tuple[RejectedProposal, ...] = ()  # ids, as `sentence`
    answer: str = ""  # all ids that the model named, so that they can be checked again


class BriefCompiled(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The body of an entry `COMPILED`: the lines that the checks let pass. Of several entries on one repository the
    last counts."""

    request: str
    repo: str
    items: tuple[str, ...]  # the notes that it was made of
    until_ms: int  # when the newest of them was seen
    model: str
    prompt: str  # its version
    checks: int  # the version of the checks
    run_ms: int = 0  # as in `SessionRead`
    usage: ReadingUsage = ReadingUsage()
    lines: tuple[Line, ...] = ()
    replaced: tuple[tuple[str, str], ...] = ()  # the old note, the new one
    proposals: tuple[Check, ...] = ()
    rejected: tuple[RejectedProposal, ...] = ()
    is_draft: bool = False  # it is asked about once more, with what its trial showed


class BriefEdited(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The body of an entry `BRIEF_EDITED`: a person's lines that are new or changed, and lines that they took out."""

    repo: str
    put: tuple[Line, ...] = ()
    removed: tuple[Line, ...] = ()


class CheckDecision(StrEnum):
    """What a person can do with a check."""

    ADDED = "added"
    ON = "on"
    OFF = "off"
    REMOVED = "removed"

    @property
    def in_words(self) -> str:
        return {"added": "add", "removed": "remove"}.get(self.value, f"turn {self.value}")


class CheckDecided(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The body of an entry `CHECK_DECIDED`. It holds the whole check: a proposal may be gone by then."""

    decision: CheckDecision
    check: Check
    is_everywhere: bool = False  # turned on in all repositories, not in its own alone
    is_strict: bool = False  # the same call does not pass when it is made again

    @property
    def in_words(self) -> str:
        strict, everywhere = ", strict" if self.is_strict else "", ", everywhere" if self.is_everywhere else ""
        return f"{self.decision.in_words} the check {self.check.id}{strict}{everywhere}: {self.check.form}"


class SharedState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a share says of one note. Of several entries of one share about a note the last counts."""

    id: str  # that it has where it was found
    draft: Draft | None = None  # None: the share no longer has it, or it was found here
    rejected_by: str = ""
    is_vouched: bool = False  # whether those that the settings trust, or enough others, approved it
    item: str = ""  # the id that its draft has here

    @property
    def names(self) -> set[str]:
        """The items that it is about: one that was found here, too."""
        return {self.id, self.item or self.id}


class JournalEntry(NamedTuple):
    """What the journal holds, and every table that follows from it: an entry of one machine's chain."""

    machine: str
    number: int
    at_ms: int
    kind: str
    body: Mapping[str, Any]

    @classmethod
    def from_row(cls, machine: str, number: int, at_ms: int, kind: str, body: str) -> "JournalEntry":
        return cls(machine, number, at_ms, kind, msgspec.json.decode(body, type=dict[str, Any]))

    @property
    def row(self) -> tuple[str, int, int, str, str]:
        return *self[:4], msgspec.json.encode(self.body, order="deterministic").decode()

    @property
    def item(self) -> str:
        """The item of knowledge that it is about; "" where it names none."""
        return str(self.body.get("item", ""))


class Forgotten(NamedTuple):
    """What is no longer used."""

    names: frozenset[tuple[Forgettable, str]] = frozenset()

    def covers(self, session: SessionRef) -> bool:
        """Whether nothing from this session may be used."""
        places = (
            (Forgettable.SESSION, session.native_id),
            (Forgettable.SESSION, session.root or session.story),
            (Forgettable.REPO, session.repo),
            (Forgettable.AGENT, session.agent),
            (Forgettable.USER, session.user),
            (Forgettable.MACHINE, session.machine),
        )
        return not self.names.isdisjoint(places)

    def takes(self, piece: Evidence) -> bool:
        """Whether this piece of evidence may not be used."""
        places = ((Forgettable.SOURCE, piece.source), (Forgettable.CHANNEL, str(piece.channel)))
        return self.covers(piece.session) or not self.names.isdisjoint(places)


class Decided(NamedTuple):
    """All that is in force."""

    decisions: Mapping[str, Sequence[Decision]]  # by item
    drafts: tuple[Draft, ...]  # that people, agents, imports and models that read sessions brought
    forgotten: Forgotten
    reports: Mapping[str, tuple[Evidence, ...]]  # by item: what agents and later sessions said of it
    same: Mapping[str, str] = {}  # by item: the one that is kept of those that say the same
    replaced: Mapping[str, tuple[str, ...]] = {}  # by item: those that it replaces
    contradicted: Mapping[str, tuple[str, ...]] = {}  # by item: those that say the opposite
    kept: Mapping[str, Draft] = {}  # by item: what a person approved, as it was last found
    rejected_by: Mapping[str, str] = {}  # by item: who rejected it for all that share it
    vouched: frozenset[str] = frozenset()  # items from elsewhere that may be used unasked, as a quote


def in_force(entries: Sequence[JournalEntry], undone_by: str = KnowledgeEntry.UNDONE) -> list[JournalEntry]:
    """The entries that nobody took back, in their order; by entries of which kind is said."""
    undone: set[tuple[str, int]] = set()
    kept: list[JournalEntry] = []
    for entry in reversed(entries):
        if (entry.machine, entry.number) in undone:
            continue
        if entry.kind == undone_by:
            undone.add((str(entry.body["machine"]), int(entry.body["number"])))
        kept.append(entry)
    return kept[::-1]


def gather_decisions(entries: Sequence[JournalEntry]) -> Decided:
    decisions: defaultdict[str, list[Decision]] = defaultdict(list)
    reports: defaultdict[str, list[Evidence]] = defaultdict(list)
    forgotten: set[tuple[Forgettable, str]] = set()
    drafts: list[Draft] = []
    kept: dict[str, Draft] = {}
    read: dict[str, SessionRead] = {}
    consolidated: dict[str, NotesConsolidated] = {}
    compiled: list[tuple[str, str]] = []  # what replaces what, by those who saw all notes
    shared = states_of_shares(entries).values()
    told: dict[str, Draft] = {}  # by item: what a share last said
    for entry in in_force(entries):
        body = entry.body
        if entry.kind == KnowledgeEntry.DECIDED:
            decisions[entry.item].append(_decision(entry))
        elif entry.kind in (KnowledgeEntry.ADDED, KnowledgeEntry.LESSON):
            drafts.append(msgspec.convert(body["draft"], Draft))
        elif entry.kind == KnowledgeEntry.KEPT:
            kept[entry.item] = msgspec.convert(body["draft"], Draft)
        elif entry.kind == KnowledgeEntry.IMPORTED:
            drafts += msgspec.convert(body["drafts"], list[Draft])
        elif entry.kind == KnowledgeEntry.FORGOTTEN:
            forgotten.add((Forgettable(body["what"]), str(body["name"])))
        elif entry.kind == KnowledgeEntry.REPORTED:
            reports[entry.item].append(_report(entry))
        elif entry.kind == KnowledgeEntry.READ:
            answer = msgspec.convert(body, SessionRead)
            read[answer.request] = answer
        elif entry.kind == KnowledgeEntry.CONSOLIDATED:
            settled = msgspec.convert(body, NotesConsolidated)
            consolidated.pop(settled.request, None)
            consolidated[settled.request] = settled
        elif entry.kind == KnowledgeEntry.COMPILED:
            compiled += msgspec.convert(body["replaced"], list[tuple[str, str]]) if "replaced" in body else []
        elif entry.kind == KnowledgeEntry.SHARED:
            for state in msgspec.convert(body["notes"], list[SharedState]):
                if state.draft is not None:
                    before = told.get(state.item)
                    if before is not None and state.item in decisions:
                        decisions[state.item] = _still_approved(decisions[state.item], before, state.draft)
                    told[state.item] = state.draft
    for answer in read.values():
        drafts += answer.drafts
        for relation in answer.relations:
            reports[relation.item].append(relation.evidence)
    drafts += [state.draft for state in shared if state.draft is not None]
    by_item = {item: tuple(pieces) for item, pieces in reports.items()}
    return Decided(
        decisions=dict(decisions),
        drafts=tuple(drafts),
        forgotten=Forgotten(frozenset(forgotten)),
        reports=by_item,
        same=_kept_heads(group for settled in consolidated.values() for group in settled.same),
        replaced=_by_first(
            (new, old)
            for old, new in (*compiled, *(pair for settled in consolidated.values() for pair in settled.replaced))
        ),
        contradicted=_by_first(
            pair
            for settled in consolidated.values()
            for first, second in settled.contradict
            for pair in ((first, second), (second, first))
        ),
        kept=kept,
        rejected_by={name: state.rejected_by for state in shared if state.rejected_by for name in state.names},
        vouched=frozenset(name for state in shared if state.is_vouched for name in state.names),
    )


def _still_approved(decisions: list[Decision], before: Draft, now: Draft) -> list[Decision]:
    """What holds of the decisions on a note that others gave other words: an approval was one of the words of then."""
    changed = will_of(decisions).changes.apply(before)
    if _words_of(now) in (_words_of(before), _words_of(changed)):
        return decisions
    return [decision for decision in decisions if decision.kind not in (*APPROVALS, DecisionKind.PIN)]


def _words_of(draft: Draft) -> tuple[object, ...]:
    return draft.sentence, draft.advice, draft.when, draft.triggers, draft.kind


def states_of_shares(entries: Sequence[JournalEntry]) -> dict[tuple[str, str], SharedState]:
    """What shares say by now, by the share and the id of the note."""
    states: dict[tuple[str, str], SharedState] = {}
    for entry in in_force(entries):
        if entry.kind == KnowledgeEntry.SHARED:
            said = msgspec.convert(entry.body["notes"], list[SharedState])
            states |= {(str(entry.body["source"]), state.id): state for state in said}
    return states


def _kept_heads(groups: Iterable[Sequence[str]]) -> dict[str, str]:
    """By item, the one that is kept in the end: a later group may go on with one that was kept before."""
    heads: dict[str, str] = {}
    for group in groups:
        joined = {heads.get(name, name) for name in group} | set(group)
        joined.update(name for name, head in heads.items() if head in joined)
        heads |= dict.fromkeys(joined, group[0])
    return heads


def _by_first(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    by_first: defaultdict[str, list[str]] = defaultdict(list)
    for first, second in pairs:
        by_first[first].append(second)
    return {first: tuple(dict.fromkeys(others)) for first, others in by_first.items()}


def _decision(entry: JournalEntry) -> Decision:
    changes = msgspec.convert(dict(entry.body), ItemChanges)
    return Decision(entry.at_ms, DecisionKind(entry.body["decision"]), changes)


def _report(entry: JournalEntry) -> Evidence:
    """What an agent said of an item counts as its word, not more."""
    is_helpful = bool(entry.body["is_helpful"])
    return Evidence(
        session=msgspec.convert(entry.body["session"], SessionRef),
        channel=Channel.ASSISTANT,
        at_ms=entry.at_ms,
        excerpt="an agent reported it as " + ("helpful" if is_helpful else "wrong"),
        is_against=not is_helpful,
    )
