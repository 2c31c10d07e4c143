"""Asks models to read, and takes in what they answer: checked, journalled, and settled at the end.

What is asked is journalled before it is sent, with what it takes at most; what is answered, as soon as it was checked.
So a run that is killed goes on where it stopped. The same answers twice, late, or in another order change nothing: of
each request the first answer that can be understood counts, unless it is to be taken again. An answer is checked
against the session as the archive holds it; where that is another by now, it is not used.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum

import msgspec

from afterwit.config.world import World
from afterwit.decisions.decided import (
    ItemEvidence,
    KnowledgeEntry,
    RejectedProposal,
    SessionRead,
    decided,
)
from afterwit.decisions.journal import READING_ASKED, catch_up, decide, told_if_recorded
from afterwit.digest.update import load_digest
from afterwit.guard.hygiene import clean
from afterwit.harvest.harvester import id_of
from afterwit.harvest.run import SessionRefs
from afterwit.knowledge.belief import rank
from afterwit.knowledge.gate import rejection
from afterwit.knowledge.settle import recorded, settle
from afterwit.model.knowledge import READ, Channel, Draft, Item, SessionRef
from afterwit.model.learn_run import Progress
from afterwit.model.prices import price_list
from afterwit.reading import checks
from afterwit.reading.answers import GivenAnswer, ProposedNote, understood
from afterwit.reading.checks import Convicted, Sent, Supported, bears_on, checked, runs_in
from afterwit.reading.drafts import ReadSession, draft_of, evidence_of
from afterwit.reading.ledger import ReadingEstimate, usage_of
from afterwit.reading.plan import PlannedSession, ReadingPlan, ReadingWish, planned, prompt_in_force
from afterwit.reading.requests import LineSpan, ReadingRequest, hash_of
from afterwit.reading.session_texts import Beside, session_text
from afterwit.sessions.originals import TranscriptSource, source_of
from afterwit.store.lease import held
from afterwit.store.rows.readings import ReadingRow, request_row
from afterwit.store.rows.session_list import SessionRow, session_of
from afterwit.store.store import Store, require

_WAIT_SECONDS = 60
_LONGEST_KEPT = 40_000  # characters of an answer


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
    gained: list[str]  # ids of new items
    tokens_in: int
    tokens_out: int
    cost_usd: float
    unpriced: int  # answers without a known price


def ask(
    world: World, wish: ReadingWish, send: Callable[[ReadingRequest, str], object], progress: Progress
) -> ReadingPlan:
    """Plans, and hands every request with the model's name to `send`. All of them are asked, or none."""
    require(world.layout)
    with held(world.layout.lease, _WAIT_SECONDS), source_of(world) as source:
        catch_up(source.store)
        made = planned(source, world, wish, progress)
        for session in made.sessions:
            for request in session.requests:
                send(request, made.model)
        if made.sessions:
            pairs = [(session, *pair) for session in made.sessions for pair in _pairs(session)]
            body = {"requests": [asked_body(made, *triple) for triple in pairs]}
            decide(source.store, READING_ASKED, body, world.now_ms)
        return made


def take(
    world: World,
    answers: Iterable[GivenAnswer],
    then: Callable[[Store, World], object],
    progress: Progress,
    *,
    is_again: bool = False,
) -> TakenAnswers:
    """Takes answers in and settles what is known; `then` is done with the store at the end."""
    require(world.layout)
    with held(world.layout.lease, _WAIT_SECONDS), source_of(world) as source:
        catch_up(source.store)
        with told_if_recorded(source.store):
            desk = ReadingDesk(source, world, is_again=is_again)
            ordered = sorted(answers, key=_order)
            progress.stage("checking", len(ordered), "answers")
            try:
                for answer in ordered:
                    desk.take(answer)
                    progress.advance(1, 1)
            finally:  # what was taken so far is settled, also after Ctrl-C
                gained = settle(source.store, world).gained if desk.entries else []
                then(source.store, world)
        return desk.taken(gained)


def _order(answer: GivenAnswer) -> tuple[str, str, str, int, int]:
    """The same, in whatever order answers come, and whether or not they say what they took."""
    return answer.request, answer.text, answer.fault, answer.tokens_in or 0, answer.tokens_out or 0


def _pairs(session: PlannedSession) -> Iterable[tuple[ReadingRequest, ReadingEstimate]]:
    return zip(session.requests, session.estimates, strict=True)


def asked_body(
    made: ReadingPlan,
    session: PlannedSession,
    request: ReadingRequest,
    estimated: ReadingEstimate,
    asked_by: str = "",
) -> dict[str, object]:
    """A request as the journal keeps it: enough to check an answer to it."""
    row = session.session.row
    return {
        "id": request.id,
        "agent": row.agent,
        "native_id": row.native_id,
        "repo": row.repo,
        "part": request.part,
        "parts": request.parts,
        "first_line": request.span.first,
        "end_line": request.span.end,
        "lines_hash": request.lines_hash,
        "ended_ms": row.ended_ms or 0,
        "model": made.model,
        "prompt": made.prompt.version,
        "asked_by": asked_by,
        **estimated._asdict(),
    }


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
        self._refs = SessionRefs(source.store, decided(entries).forgotten)
        self._beside = Beside(source, world)
        self._prices = price_list(world.settings.prices)
        self._copied = runs_in(prompt_in_force(world).text)
        self._taken: set[str] = set()
        self._session: tuple[int, ReadSession] | None = None
        self._fates: Counter[Fate] = Counter()
        self.entries: list[SessionRead] = []

    def take(self, answer: GivenAnswer) -> Fate:
        """Checks one answer, and journals it if it is one."""
        fate = self._fate(answer)
        self._fates[fate] += 1
        return fate

    def taken(self, gained: list[str]) -> TakenAnswers:
        costs = [entry.usage.cost_usd for entry in self.entries]
        return TakenAnswers(
            fates={fate: self._fates[fate] for fate in Fate},
            notes=sum(len(entry.drafts) for entry in self.entries),
            rejected=sum(len(entry.rejected) for entry in self.entries),
            relations=sum(len(entry.relations) for entry in self.entries),
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
        decide(self._store, KnowledgeEntry.READ, msgspec.to_builtins(result), self.at_ms)
        self._taken.add(asked.id)
        self.entries.append(result)
        return Fate.TAKEN

    def judged(self, asked: ReadingRow, answer: GivenAnswer) -> SessionRead | Fate:
        """What the checks make of an answer; why nothing, where it is none."""
        if answer.fault:
            return Fate.FAILED
        text = self._source.redactor.text(clean(answer.text))
        proposals = understood(text)
        if proposals.fault:
            return Fate.NOT_UNDERSTOOD
        session = self._read_session(asked)
        part = LineSpan(asked.first_line, asked.end_line)
        if session is None or hash_of(session.lines, part) != asked.lines_hash:
            return Fate.CHANGED
        return self._entry(asked, session, proposals.proposals, answer._replace(text=text))

    def _read_session(self, asked: ReadingRow) -> ReadSession | None:
        row = session_of(self._store.db, asked.agent, asked.native_id)
        ref = self._refs.of(row.id) if row is not None else None
        if row is None or ref is None:
            return None
        if self._session is None or self._session[0] != row.id:
            self._session = (row.id, self._loaded(row, ref))
        return self._session[1]

    def _loaded(self, row: SessionRow, ref: SessionRef) -> ReadSession:
        return ReadSession(ref, session_text(self._source, row).lines, load_digest(self._store.db, row))

    def _entry(
        self, asked: ReadingRow, session: ReadSession, proposals: Sequence[ProposedNote], answer: GivenAnswer
    ) -> SessionRead:
        items = {item.id: item for item in self._beside.items(asked.repo)}
        sent = Sent(session.lines, asked.first_line, asked.end_line, self._copied)
        drafts: dict[str, Draft] = {}
        rejected: list[RejectedProposal] = []
        relations: list[ItemEvidence] = []
        for proposal in proposals:
            about = items.get(proposal.about)
            result = checked(proposal, sent)
            if isinstance(result, Convicted):
                rejected.append(RejectedProposal(sentence=result.sentence, reason=result.why, detail=result.detail))
                continue
            if about is not None and bears_on(about.sentence, result, sent):
                relations += _relation(about, result, session)
            if about is None or proposal.relation != "confirms":
                draft = draft_of(result, session, _replaced(about, result, sent))
                why = self._refusal(draft, asked.repo)
                if why:
                    rejected.append(RejectedProposal(sentence=draft.sentence, reason=why))
                else:
                    drafts.setdefault(id_of(draft), draft)
        return SessionRead(
            request=asked.id,
            session=session.ref,
            model=asked.model,
            prompt=asked.prompt,
            run_ms=self._run_ms,
            checks=checks.VERSION,
            usage=usage_of(self._store.db, asked, answer, self._prices),
            drafts=tuple(drafts.values()),
            rejected=tuple(rejected),
            relations=tuple(relations),
            answer=answer.text[:_LONGEST_KEPT],
        )

    def _refusal(self, draft: Draft, repo: str) -> str:
        reasons = (rejection(draft, host) for host in (None, *self._beside.hosts(repo)))
        return next((str(why) for why in reasons if why is not None), "")


def _relation(item: Item, supported: Supported, session: ReadSession) -> list[ItemEvidence]:
    """What the lines say of an item that is there. For what was found otherwise a confirmation counts as an agent's
    word, so that a model raises nobody's authority; against it only words speak that are trusted as far."""
    piece = evidence_of(supported.lines, supported.channel, session)
    if supported.proposal.relation == "confirms":
        channel = supported.channel if item.harvester == READ else Channel.ASSISTANT
        return [ItemEvidence(item=item.id, evidence=msgspec.structs.replace(piece, channel=channel))]
    is_trusted = supported.channel is Channel.USER or (
        item.harvester == READ and item.channel is not Channel.USER and rank(supported.channel) >= rank(item.channel)
    )
    if supported.proposal.relation == "contradicts" and is_trusted:
        return [ItemEvidence(item=item.id, evidence=msgspec.structs.replace(piece, is_against=True))]
    return []


def _replaced(item: Item | None, supported: Supported, sent: Sent) -> tuple[str, ...]:
    is_meant = item is not None and supported.proposal.relation == "replaces"
    return (item.id,) if item is not None and is_meant and bears_on(item.sentence, supported, sent) else ()
