"""Takes in what models answered: each answer is checked, and journalled with what came of it.

The same answers twice, late, or in another order change nothing: of each request the first answer that can be
understood counts, unless it is to be taken again. An answer is checked against the session as the archive holds it;
where that is another by now, it is not used. One about notes is checked against the notes as they stand.

What the checks let pass becomes a draft, the same kind of thing that harvesters draft. Triggers are kept only where the
session has them: a program that was called there, a path that a line names, an error that was seen, which gives the
signature of that failure. How far a draft is believed at first is what the model said, as far as the one who spoke the
lines allows.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import StrEnum
from functools import partial
from typing import NamedTuple

import msgspec

from afterwit.actions.shell.parse import parsed
from afterwit.config.world import World
from afterwit.digest.door import load_digest
from afterwit.harvest.door import SessionRefs
from afterwit.harvest.harvester import id_of
from afterwit.knowledge.belief import rank
from afterwit.knowledge.brief import ENTRIES, Page, pages_of
from afterwit.knowledge.door.list import item_in
from afterwit.knowledge.door.listeners import listener_here
from afterwit.knowledge.gate import rejection
from afterwit.knowledge.shown_items import may_be_told_to
from afterwit.knowledge.whose_words import is_persons
from afterwit.model.brief import ToldText
from afterwit.model.digest import Digest
from afterwit.model.knowledge import (
    EVERYWHERE,
    EXCERPT_LIMIT,
    READ,
    Activity,
    Channel,
    Draft,
    Evidence,
    Item,
    ItemStatus,
    Scope,
    ScopeKind,
    SessionRef,
    Trigger,
)
from afterwit.model.prices import price_list
from afterwit.model.text import has_disguised_word, has_strange_letters, words_of
from afterwit.reader import checks, compiling
from afterwit.reader.answers import (
    GivenAnswer,
    ProposedNote,
    ProposedRepetition,
    UnderstoodAnswer,
    understand_notes,
)
from afterwit.reader.checks import (
    Convicted,
    Conviction,
    Sent,
    Supported,
    bears_on,
    checked,
    confirmed,
    runs_in,
    says_again,
)
from afterwit.reader.compiling import notes_to_compile, understand_brief
from afterwit.reader.ledger import usage_of
from afterwit.reader.line_checks import convict
from afterwit.reader.lines import ForeignText, SessionLine, Speaker
from afterwit.reader.plan import prompt_in_force
from afterwit.reader.requests import CHARS_PER_TOKEN, Beside, LineSpan, hash_of, session_text
from afterwit.reader.support import holds, own_tools_in, untold_commands
from afterwit.recall.trial import past_digests, times_fired
from afterwit.redaction.claims import claims_in, lowers_a_guard, orders_for_good
from afterwit.redaction.hygiene import clean, danger_in, reads_like_an_order
from afterwit.redaction.plain_names import is_plain_path
from afterwit.sessions.originals import TranscriptSource
from afterwit.store.decide import decide
from afterwit.store.decisions import (
    BriefCompiled,
    ItemEvidence,
    KnowledgeEntry,
    RejectedProposal,
    SessionRead,
    gather_decisions,
    in_force,
)
from afterwit.store.rows.items import items_with_ids, recorded, recorded_about
from afterwit.store.rows.readings import ReadingRow, request_row
from afterwit.store.rows.session_list import SessionRow, session_of

_MOST_TRIGGERS = 12
_FEWEST_ERROR_WORDS = 2
_MOST_NAME_WORDS = 5
_LONGEST_KEPT = 40_000  # characters of an answer


class ReadSession(NamedTuple):
    """The session that was read, as drafts need it."""

    ref: SessionRef
    lines: Sequence[SessionLine]
    digest: Digest | None  # without it no failure can be recognised
    foreign: Sequence[ForeignText] = ()
    instructions: str = ""  # the repository's own, as far as they are known
    told: Sequence[ToldText] = ()


def draft_of(supported: Supported, session: ReadSession, replaced: Sequence[str] = ()) -> Draft:
    """The draft of one note."""
    proposal = supported.proposal
    scope = _scope(proposal, session.ref)
    own = own_tools_in(proposal.sentence, session.lines, session.foreign, session.instructions)
    return Draft(
        harvester=READ,
        key=(" ".join(words_of(proposal.sentence)) or proposal.sentence,),
        scope=scope,
        agents=(session.ref.agent,) if proposal.scope == "agent" else (),
        category=proposal.category,
        kind=proposal.kind,
        branch=proposal.branch if _is_named(proposal.branch) else "",
        names=tuple(name for name in proposal.names if _is_named(name)),
        whose=proposal.whose,
        sentence=proposal.sentence,
        channel=supported.channel,
        triggers=tuple(dict.fromkeys(_triggers(proposal, session)))[:_MOST_TRIGGERS],
        files=tuple(path for path in _own_paths(proposal, session) if "*" not in path),
        evidence=(evidence_of(supported.lines, supported.channel, session),),
        takes="" if supported.channel is Channel.USER else _rights_needed(proposal, session, own),
        own_tools=own,
        supersedes=tuple(replaced),
        saves=proposal.worth,
        when=proposal.when if _is_fit(proposal.when, session.lines) else "",
        stated_confidence=proposal.confidence,
    )


def _is_fit(when: str, lines: Sequence[SessionLine]) -> bool:
    """Whether the model's own words for a moment say no more than that. Nothing proves them."""
    if (
        danger_in(when)
        or reads_like_an_order(when)
        or orders_for_good(when)
        or has_disguised_word(when)
        or claims_in(when)
    ):
        return False
    typed = (line.text for line in lines if line.speaker is Speaker.USER)
    return not (lowers_a_guard(when) or has_strange_letters(when, typed) or untold_commands(when, lines))


def _is_named(name: str) -> bool:
    """Whether it can be nothing but the name of a piece of work. It is compared and never shown but for a branch."""
    return 0 < len(words_of(name)) <= _MOST_NAME_WORDS and not danger_in(name)


def _rights_needed(proposal: ProposedNote, session: ReadSession, own: Collection[str]) -> str:
    """What only a person may grant: a command that is not ordinary and was not run here with success."""
    commands = untold_commands(proposal.sentence, session.lines, own)
    return f"`{commands[0]}`" if commands else ""


def evidence_of(lines: Sequence[int], channel: Channel, session: ReadSession) -> Evidence:
    """The lines as a piece of evidence, those of whoever speaks first."""
    own = [at for at in lines if session.lines[at].speaker.channel is channel] or list(lines)
    excerpt = " / ".join(session.lines[at].text for at in own)[:EXCERPT_LIMIT]
    at_ms = next((at_ms for at in own if (at_ms := session.lines[at].at_ms)), None)
    return Evidence(session=session.ref, channel=channel, at_ms=at_ms or session.ref.at_ms, excerpt=excerpt)


def _scope(proposal: ProposedNote, ref: SessionRef) -> Scope:
    """Narrower than asked where there is a repository: one session of one repository proves nothing of others."""
    if proposal.scope == "agent":
        return Scope(ScopeKind.AGENT, ref.agent) if not ref.repo else Scope(ScopeKind.REPO, ref.repo)
    return Scope(ScopeKind.REPO, ref.repo) if ref.repo else EVERYWHERE


def _triggers(proposal: ProposedNote, session: ReadSession) -> Iterator[Trigger]:
    paths = tuple(_own_paths(proposal, session))
    for name in proposal.programs:
        yield from _of_program(name, session.lines)
    for error in proposal.errors:
        yield from _of_error(error, session)
    for activity in proposal.activities:
        if activity is Activity.EDIT:
            yield from (Trigger(activity=activity, path=path) for path in paths)
        else:
            yield Trigger(activity=activity)
    yield from (Trigger(path=path) for path in paths)


def _of_program(name: str, lines: Iterable[SessionLine]) -> Iterator[Trigger]:
    """The program and its words, if the session called it so and there is more than a bare name."""
    words = name.split()
    if len(words) > 1 and any(line.speaker is Speaker.ACTION and holds(line.text, name) for line in lines):
        commands = parsed(name).commands
        if commands and commands[0].program:
            yield Trigger(program=commands[0].program, words=commands[0].arguments[:3])


def _of_error(error: str, session: ReadSession) -> Iterator[Trigger]:
    """The failures of the session that say these words, by their signatures."""
    if session.digest is None or len(words_of(error)) < _FEWEST_ERROR_WORDS:
        return
    for failure in session.digest.failures:
        if failure.signature and holds(session.digest.steps[failure.at].error, error):
            yield Trigger(signature=failure.signature)


def _own_paths(proposal: ProposedNote, session: ReadSession) -> Iterator[str]:
    """Paths that a line names, or that lie around one: below the repository, and nothing but names."""
    for path in proposal.paths:
        base = path.removeprefix("./").strip("/")
        folder = base.partition("*")[0].rstrip("/")
        is_own = bool(folder) and not path.startswith(("/", "~")) and is_plain_path(folder)
        if is_own and any(holds(line.text, folder) for line in session.lines):
            yield base if "*" in base or "." in base.rpartition("/")[2] else f"{base}/**"


class Fate(StrEnum):
    """What became of an answer."""

    TAKEN = "taken"
    REPEATED = "repeated"  # its request is answered already
    UNKNOWN = "unknown"  # nothing was asked under this id
    FAILED = "failed"  # the model, or whoever asked it, said that there is no answer
    NOT_UNDERSTOOD = "not_understood"
    CHANGED = "changed"  # the session is another by now, or gone, or to be forgotten


class TakenAnswers(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a set of answers."""

    fates: dict[Fate, int]
    notes: int
    rejected: int
    relations: int  # notes that were there already, and are confirmed or contradicted
    lines: int  # of briefs that were compiled
    replaced: int  # notes, by those who compiled
    gained: list[str]  # ids of new items
    tokens_in: int
    tokens_out: int
    cost_usd: float
    unpriced: int  # answers without a known price


class ReadingDesk:
    """Where answers are checked, one after the other."""

    def __init__(self, source: TranscriptSource, world: World, *, is_again: bool, run_ms: int = 0) -> None:
        self._source = source
        self._store = source.store
        self._world = world
        self._is_again = is_again
        entries = recorded(source.store.db)
        self.at_ms = max(world.now_ms, max((entry.at_ms for entry in entries), default=-1) + 1)
        self._run_ms = run_ms
        self._refs = SessionRefs(source.store.db, source.store.journal.machine, gather_decisions(entries).forgotten)
        self._beside = Beside(source, world)
        self._prices = price_list(world.settings.prices)
        self._copied = runs_in(prompt_in_force(world).text)
        self._taken: set[str] = set()
        self._session: tuple[int, ReadSession] | None = None
        self._fates: Counter[Fate] = Counter()
        self.entries: list[SessionRead | BriefCompiled] = []

    def take(self, answer: GivenAnswer) -> Fate:
        """Checks one answer, and journals it if it is one."""
        fate = self._fate(answer)
        self._fates[fate] += 1
        return fate

    def taken(self, gained: list[str]) -> TakenAnswers:
        costs = [entry.usage.cost_usd for entry in self.entries]
        read = [entry for entry in self.entries if isinstance(entry, SessionRead)]
        briefs = [entry for entry in self.entries if isinstance(entry, BriefCompiled)]
        return TakenAnswers(
            fates={fate: self._fates[fate] for fate in Fate},
            notes=sum(len(entry.drafts) for entry in read),
            rejected=sum(len(entry.rejected) for entry in self.entries),
            relations=sum(len(entry.relations) for entry in read),
            lines=sum(len(entry.lines) for entry in briefs),
            replaced=sum(len(entry.replaced) for entry in briefs),
            gained=gained,
            tokens_in=sum(entry.usage.tokens_in for entry in self.entries),
            tokens_out=sum(entry.usage.tokens_out for entry in self.entries),
            cost_usd=sum(cost for cost in costs if cost is not None),
            unpriced=costs.count(None),
        )

    def _fate(self, answer: GivenAnswer) -> Fate:
        asked = request_row(self._store.db, answer.request)
        if asked is None or not asked.lines_hash:
            return Fate.UNKNOWN
        if asked.id in self._taken or (asked.answered_ms is not None and not self._is_again):
            return Fate.REPEATED
        result = self.judged(asked, answer)
        if isinstance(result, Fate):
            return result
        kind = KnowledgeEntry.READ if isinstance(result, SessionRead) else KnowledgeEntry.COMPILED
        decide(self._store, kind, msgspec.to_builtins(result), self.at_ms)
        self._taken.add(asked.id)
        self.entries.append(result)
        return Fate.TAKEN

    def judged(self, asked: ReadingRow, answer: GivenAnswer) -> SessionRead | BriefCompiled | Fate:
        """What the checks make of an answer; why nothing, where it is none."""
        if answer.fault:
            return Fate.FAILED
        text = self._source.redactor.text(clean(answer.text))
        if asked.items:
            return self._compile(asked, answer._replace(text=text))
        proposals = understand_notes(text)
        if proposals.fault:
            return Fate.NOT_UNDERSTOOD
        session = self._read_session(asked)
        part = LineSpan(asked.first_line, asked.end_line)
        if session is None or hash_of(session.lines, part) != asked.lines_hash:
            return Fate.CHANGED
        return self._entry(asked, session, proposals, answer._replace(text=text))

    def _compile(self, asked: ReadingRow, answer: GivenAnswer) -> BriefCompiled | Fate:
        """What of an answer about the notes of a repository may be told."""
        proposed = understand_brief(answer.text)
        if proposed is None:
            return Fate.NOT_UNDERSTOOD
        names, db, repo = asked.items.split(), self._store.db, asked.repo
        to = listener_here(db, self._world)
        there = (item for item in notes_to_compile(self._beside.items(repo), repo) if may_be_told_to(item, to))
        by_id = {name: item for item in there for name in (item.id, *item.merged)}
        items = {name: by_id[name] for name in names if name in by_id}
        page = pages_of(in_force(recorded_about(db, (), ENTRIES))).get(repo, Page(repo))
        room = self._world.settings.recall.budget_tokens * CHARS_PER_TOKEN
        digests = partial(past_digests, db, repo)

        def tried(triggers: Sequence[Trigger]) -> tuple[Sequence[int], int]:
            fired = times_fired([(trigger,) for trigger in triggers], digests())
            return fired.times, fired.sessions

        result = convict(proposed, repo, items, page, tried, room)
        return BriefCompiled(
            request=asked.id,
            repo=repo,
            items=tuple(names),
            until_ms=max((item.last_ms for item in items.values()), default=0),
            model=asked.model,
            prompt=asked.prompt,
            run_ms=self._run_ms,
            checks=compiling.VERSION,
            usage=usage_of(db, asked, answer, self._prices),
            lines=result.lines,
            replaced=result.replaced,
            proposals=result.checks,
            rejected=result.rejected,
            is_draft=not page.is_draft and bool(result.rejected or any(line.triggers for line in result.lines)),
        )

    def _read_session(self, asked: ReadingRow) -> ReadSession | None:
        row = session_of(self._store.db, asked.agent, asked.native_id)
        ref = self._refs.of(row.id) if row is not None else None
        if row is None or ref is None:
            return None
        if self._session is None or self._session[0] != row.id:
            self._session = (row.id, self._load(row, ref))
        return self._session[1]

    def _load(self, row: SessionRow, ref: SessionRef) -> ReadSession:
        text = session_text(self._source, row)
        digest, instructions = load_digest(self._store.db, row), self._beside.instructions_of(row.repo)
        return ReadSession(ref, text.lines, digest, text.foreign, instructions, text.told)

    def _entry(
        self, asked: ReadingRow, session: ReadSession, proposed: UnderstoodAnswer, answer: GivenAnswer
    ) -> SessionRead:
        items = self._items_named(proposed.proposals, asked.repo)
        sent = Sent(session.lines, asked.first_line, asked.end_line, self._copied, session.foreign)
        drafts: dict[str, Draft] = {}
        rejected: list[RejectedProposal] = []
        relations: list[ItemEvidence] = []
        for proposal in proposed.proposals:
            about = items.get(proposal.about)
            result = checked(proposal, sent)
            if isinstance(result, Convicted) and about is not None and proposal.relation == "confirms":
                result = confirmed(proposal, about.sentence, sent) or result
            if isinstance(result, Convicted):
                rejected.append(RejectedProposal(sentence=result.sentence, reason=result.why, detail=result.detail))
                continue
            if about is not None and bears_on(about.sentence, result, sent):
                relations += _relation(about, result, session)
            if about is None or proposal.relation != "confirms":
                draft = draft_of(result, session, _replaces(about, result, sent))
                why = self._refusal(draft, asked.repo)
                if why:
                    rejected.append(RejectedProposal(sentence=draft.sentence, reason=why))
                else:
                    drafts.setdefault(id_of(draft), draft)
        repeats, refused = _said_again(proposed.repeats, session, sent)
        return SessionRead(
            request=asked.id,
            session=session.ref,
            model=asked.model,
            prompt=asked.prompt,
            run_ms=self._run_ms,
            checks=checks.VERSION,
            usage=usage_of(self._store.db, asked, answer, self._prices),
            drafts=tuple(drafts.values()),
            rejected=(*rejected, *refused),
            relations=tuple(relations),
            repeats=tuple(repeats),
            answer=answer.text[:_LONGEST_KEPT],
        )

    def _items_named(self, proposals: Iterable[ProposedNote], repo: str) -> dict[str, Item]:
        """The notes that are confirmed, replaced or contradicted, by their ids: also one that was replaced already, by
        this very answer when it was first judged."""
        held = {item.id: item for item in self._beside.items(repo)}
        rows = items_with_ids(self._store.db, {proposal.about for proposal in proposals} - held.keys())
        return held | {item.id: item for item in map(item_in, rows) if item.status is ItemStatus.SUPERSEDED}

    def _refusal(self, draft: Draft, repo: str) -> str:
        reasons = (rejection(draft, host) for host in (None, *self._beside.hosts(repo)))
        return next((str(why) for why in reasons if why is not None), "")


def _said_again(
    proposed: Iterable[ProposedRepetition], session: ReadSession, sent: Sent
) -> tuple[list[ItemEvidence], list[RejectedProposal]]:
    """What the user had to say again of what the session was told, each once; and what the lines do not show."""
    told = {line.id: line for line in session.told}
    said: dict[str, ItemEvidence] = {}
    refused = []
    for proposal in proposed:
        line = told.get(proposal.told)
        places = says_again(line, proposal.lines, sent) if line is not None else ()
        if line is None or not places:
            sentence = line.text if line is not None else proposal.told
            refused.append(RejectedProposal(sentence=sentence, reason=Conviction.NOT_AGAIN))
        else:
            piece = msgspec.structs.replace(evidence_of(places, Channel.USER, session), at=places[0])
            said.setdefault(line.id, ItemEvidence(item=line.id, evidence=piece))
    return list(said.values()), refused


def _relation(item: Item, supported: Supported, session: ReadSession) -> list[ItemEvidence]:
    """What the lines say of an item that is there. For what was found otherwise a confirmation counts as an agent's
    word, so that a model raises nobody's authority; against it only words speak that are trusted as far, and against
    what a person stands behind nothing: that waits for them."""
    piece = evidence_of(supported.lines, supported.channel, session)
    if supported.proposal.relation == "confirms":
        channel = supported.channel if item.harvester == READ else Channel.ASSISTANT
        return [ItemEvidence(item=item.id, evidence=msgspec.structs.replace(piece, channel=channel))]
    is_trusted = supported.channel is Channel.USER or (
        item.harvester == READ and rank(supported.channel) >= rank(item.channel)
    )
    if supported.proposal.relation == "contradicts" and is_trusted and not is_persons(item):
        return [ItemEvidence(item=item.id, evidence=msgspec.structs.replace(piece, is_against=True))]
    return []


def _replaces(item: Item | None, supported: Supported, sent: Sent) -> tuple[str, ...]:
    """What a proposal takes the place of. To contradict what a person stands behind is to replace it."""
    if item is None or not bears_on(item.sentence, supported, sent):
        return ()
    relation = supported.proposal.relation
    return (item.id,) if relation == "replaces" or (relation == "contradicts" and is_persons(item)) else ()
