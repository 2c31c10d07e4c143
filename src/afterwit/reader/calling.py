"""Calls a model to read what was planned: reserves before each call, takes the answer in after it.

The store is visited between the calls, never during one, so other commands can work meanwhile. In a visit the lock is
held: what was answered is checked and journalled, and what is asked next is journalled with what it takes at most,
counted on what all runs have spent or reserved by then. So a run that is killed, several calls at once and several runs
pass no cap, pay nothing twice and lose nothing that was taken in. Only this thread touches the store.

An answer that is not understood is asked for once more, with a remark. A failure is journalled and pauses; several in a
row end the run. Ctrl-C ends it after what is under way, which is paid for; a second one at once.
"""

import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from typing import NamedTuple

import msgspec

from afterwit.config.world import World
from afterwit.knowledge.door.settle import settle
from afterwit.model.learn_run import Progress
from afterwit.model.prices import price_list
from afterwit.reader.answers import GivenAnswer, with_remark
from afterwit.reader.compiling import form_of
from afterwit.reader.intake import Fate, ReadingDesk
from afterwit.reader.ledger import Purse, estimate, spent_by, usage_of
from afterwit.reader.plan import PlannedRequest, ReadingPlan, due
from afterwit.reader.read import request_body
from afterwit.reader.requests import Beside, ReadingRequest
from afterwit.reader.ways.way import ModelQuestion, Way, WaySurroundings, way_of
from afterwit.recall.deck.compile import compile_deck
from afterwit.redaction.hygiene import clean
from afterwit.sessions.originals import TranscriptSource, source_of
from afterwit.store.atomic import step
from afterwit.store.decide import READING_ASKED, READING_SPENT, catch_up, decide, report_if_recorded
from afterwit.store.decisions import BriefCompiled, ReadingUsage, SessionRead
from afterwit.store.rows.readings import CALLED, ReadingRow, request_row
from afterwit.store.store import hold_lease

_CALL_SECONDS = 300.0
_WAIT_SECONDS = 600  # for the lock: what was answered is paid for
_LOOK_SECONDS = 0.5  # how long Ctrl-C may have to wait on systems where waiting cannot be interrupted
_ROUNDS = 2  # of compiling: a draft, and the page
_MOST_IN_A_ROW = 3  # failures
_LONGEST_FAULT = 300
_Answering = Future[GivenAnswer]


class FailedReading(msgspec.Struct, frozen=True, kw_only=True):
    """A request that was not answered, and why."""

    agent: str  # "" where it asked about notes
    native_id: str
    repo: str
    fault: str


class CalledRun(msgspec.Struct, kw_only=True):
    """How far a run is, and what came of it."""

    model: str
    sessions: int = 0  # of which everything is answered
    answered: int = 0  # requests
    notes: int = 0
    rejected: int = 0
    relations: int = 0  # notes that were there already, and are confirmed or contradicted
    lines: int = 0  # of briefs that were compiled
    replaced: int = 0  # notes, by those who compiled
    gained: list[str] = msgspec.field(default_factory=list)  # ids of new items
    tokens_in: int = 0  # of all calls, also of those that failed
    tokens_out: int = 0
    cost_usd: float = 0.0
    unpriced: int = 0  # calls without a known price
    failed: list[FailedReading] = msgspec.field(default_factory=list)
    left: int = 0  # requests that were planned and not asked
    stopped_by: str = ""  # "caps", "failures", "interrupted" or "time", where it ended early

    def spend(self, usage: ReadingUsage) -> None:
        """Counts what a call took."""
        self.tokens_in += usage.tokens_in
        self.tokens_out += usage.tokens_out
        self.cost_usd += usage.cost_usd or 0.0
        self.unpriced += usage.cost_usd is None

    def count(self, entry: SessionRead | BriefCompiled) -> None:
        """Counts an answer."""
        self.answered += 1
        self.rejected += len(entry.rejected)
        if isinstance(entry, SessionRead):
            self.notes += len(entry.drafts)
            self.relations += len(entry.relations)
        else:
            self.lines += len(entry.lines)
            self.replaced += len(entry.replaced)


class CallingRules(NamedTuple):
    """How a run is to call."""

    way: Way
    clock: Callable[[], int]  # in milliseconds: a run takes longer than a moment
    budget_usd: float | None = None
    is_again: bool = False  # also what was answered
    until_ms: int | None = None  # after which nothing more is asked
    watch: Callable[[CalledRun], object] = lambda _: None  # told after every answer


def way_to(model: str, world: World) -> Way | None:
    """The way to a model; None where only files reach it."""
    return way_of(model, surroundings_of(world)) if model else None


def surroundings_of(world: World) -> WaySurroundings:
    """Where ways find themselves."""
    return WaySurroundings(world.environ, world.user_home, world.layout.reading)


class _Errand(NamedTuple):
    """A request that is to be asked."""

    planned: PlannedRequest
    is_mending: bool = False


class _Underway(NamedTuple):
    errand: _Errand
    asked: ReadingRow


class _Visit(NamedTuple):
    """The store, while the lock is held."""

    source: TranscriptSource
    world: World
    desk: ReadingDesk
    beside: Beside


def call(world: World, made: ReadingPlan, calls: CallingRules, progress: Progress) -> CalledRun:
    """Asks all that was planned, as far as the caps allow, and settles what is known at the end."""
    run = _CallingRun(world, made, calls, progress)
    try:
        run.work()
    except KeyboardInterrupt:
        run.finish()
    finally:
        run.close()
    return run.result


class _CallingRun:
    def __init__(self, world: World, made: ReadingPlan, calls: CallingRules, progress: Progress) -> None:
        self._world = world
        self._made = made
        self._calls = calls
        self._progress = progress
        self._prices = price_list(world.settings.prices)
        self._waiting = deque(map(_Errand, made.requests))
        self._unread = Counter(errand.planned.session for errand in self._waiting if errand.planned.native_id)
        self._underway: dict[_Answering, _Underway] = {}
        self._reserved_usd = 0.0  # of what is under way
        self._in_a_row = 0  # failures
        self._unsettled = 0  # answers
        self._last = ("", "")  # the session that was asked about last
        self.result = CalledRun(model=made.model)

    def work(self) -> None:
        self._progress.stage("reading", len(self._waiting), "requests")
        self._exchange([])
        self._drain()
        for _ in range(_ROUNDS):
            self._waiting.extend(map(_Errand, self._due()))
            if self._waiting and not self.result.stopped_by:
                self._progress.stage("compiling", len(self._waiting), "briefs")
                self._exchange([])
                self._drain()

    def _drain(self) -> None:
        while self._underway:
            self._exchange(self._done())

    def _due(self) -> list[PlannedRequest]:
        """The briefs of the repositories that were read, where that brought enough, and drafts."""
        repos = {planned.repo for planned in self._made.requests}
        if not repos or self.result.stopped_by:
            return []
        with self._visit() as visit:
            self._settle(visit)
            beside = Beside(visit.source, visit.world)
            made = due(beside, visit.world, repos, self._made.model, is_forced=False)
            overhead, now_ms = self._calls.way.overhead_tokens, visit.world.now_ms
            return [
                PlannedRequest(request, estimate(request, self._made.model, self._prices, now_ms, overhead), repo)
                for repo, request in made
            ]

    def finish(self) -> None:
        """What is under way is waited for and taken in; interrupted once more, what is there by now."""
        self.result.stopped_by = "interrupted"
        self._progress.stage("ending; Ctrl-C again leaves at once", len(self._underway), "requests")
        try:
            while self._underway:
                self._exchange(self._done())
        except KeyboardInterrupt:
            self._exchange([future for future in self._underway if future.done()])

    def close(self) -> None:
        """Settles what is known, also by a run before that was killed, and compiles the deck anew."""
        self.result.left = len(self._waiting)
        with self._visit() as visit:
            self._settle(visit)
            compile_deck(visit.source.store, visit.world)

    def _done(self) -> Sequence[_Answering]:
        while not (done := wait(self._underway, _LOOK_SECONDS, FIRST_COMPLETED).done):
            pass
        return [future for future in self._underway if future in done]

    @contextmanager
    def _visit(self) -> Iterator[_Visit]:
        now = self._world._replace(now_ms=self._calls.clock())
        with hold_lease(now.layout.lease, _WAIT_SECONDS), source_of(now) as source:
            catch_up(source.store)
            with report_if_recorded(source.store):
                desk = ReadingDesk(source, now, is_again=self._calls.is_again, run_ms=self._world.now_ms)
                yield _Visit(source, now, desk, Beside(source, now))

    def _exchange(self, done: Sequence[_Answering]) -> None:
        """Takes in what was answered, and asks on."""
        asked: list[_Underway] = []
        with self._visit() as visit:
            for future in done:
                asked += self._take(visit, self._underway[future], _answer_of(future, self._underway[future].asked.id))
                del self._underway[future]
                self._calls.watch(self.result)
            while self._waiting and len(self._underway) + len(asked) < self._calls.way.most_at_once:
                self._look_again(visit)
                more = self._reserve(visit, self._waiting[0], is_alone=not self._underway and not asked)
                if more is None:
                    break
                self._waiting.popleft()
                asked += more
        step("requests are in the journal, not sent")
        for underway in asked:
            self._underway[self._sent(underway)] = underway

    def _look_again(self, visit: _Visit) -> None:
        """The notes beside the next request are those of now: what the sessions before it have shown is there."""
        errand = self._waiting[0]
        planned = errand.planned
        if planned.session != self._last and self._unsettled:
            self._settle(visit)
        self._last = planned.session
        if planned.native_id and not errand.is_mending:
            request = planned.request
            request = request._replace(notes=visit.beside.around(planned.repo).notes_for(request.rest))
            overhead, now_ms = self._calls.way.overhead_tokens, visit.world.now_ms
            wanted = estimate(request, self._made.model, self._prices, now_ms, overhead)
            self._waiting[0] = errand._replace(planned=planned._replace(request=request, estimate=wanted))

    def _settle(self, visit: _Visit) -> None:
        self.result.gained += settle(visit.source.store, visit.world).gained
        self._unsettled = 0
        visit.beside.forget()

    def _reserve(self, visit: _Visit, errand: _Errand, *, is_alone: bool) -> list[_Underway] | None:
        """Journals a request that is sent next; nothing where another run has it, None where it cannot be asked now."""
        db, now_ms = visit.source.store.db, visit.world.now_ms
        before = request_row(db, errand.planned.request.id)
        if before is not None and not errand.is_mending and self._is_taken(before):
            return []
        if self._calls.until_ms is not None and now_ms >= self._calls.until_ms:
            self._stop("time")
        if self.result.stopped_by:
            return None
        budget = self._calls.budget_usd
        left_usd = None if budget is None else budget - self.result.cost_usd - self._reserved_usd
        purse = Purse(visit.world.settings.reading, spent_by(db, now_ms), left_usd)
        if not purse.reserve(errand.planned.estimate, self._made.model):
            if is_alone:  # else what is under way may take less than was reserved for it
                self._stop("caps")
            return None
        at_ms = max(now_ms, before.asked_ms + 1 if before is not None else 0)
        body = request_body(self._made, errand.planned, CALLED)
        decide(visit.source.store, READING_ASKED, {"requests": [body]}, at_ms)
        self._reserved_usd += errand.planned.estimate.cost_usd or 0.0
        asked = request_row(db, errand.planned.request.id)
        return [_Underway(errand, asked)] if asked is not None else []

    def _is_taken(self, before: ReadingRow) -> bool:
        """Whether it is answered, or another run has asked it since this one was planned."""
        is_answered = before.answered_ms is not None and not self._calls.is_again
        return is_answered or before.asked_ms >= self._world.now_ms

    def _stop(self, why: str) -> None:
        self.result.stopped_by = self.result.stopped_by or why

    def _sent(self, underway: _Underway) -> _Answering:
        """Begins a call in a thread of its own, which does not keep the program from ending."""
        request = underway.errand.planned.request
        future: _Answering = Future()
        until_ms = self._calls.until_ms
        left = _CALL_SECONDS if until_ms is None else max(1.0, (until_ms - self._calls.clock()) / 1000)

        def answered() -> None:
            try:
                question = ModelQuestion(
                    request.id, request.system, request.text, form_of(request).schema, request.answer_tokens
                )
                future.set_result(self._calls.way.answer(question, min(left, _CALL_SECONDS)))
            except BaseException as error:  # noqa: BLE001 - it is raised where the answer is taken
                future.set_exception(error)

        threading.Thread(target=answered, daemon=True).start()
        return future

    def _take(self, visit: _Visit, underway: _Underway, answer: GivenAnswer) -> list[_Underway]:
        """Takes an answer in; gives the request back where it is asked once more."""
        errand, asked = underway
        self._reserved_usd -= errand.planned.estimate.cost_usd or 0.0
        fate = visit.desk.take(answer)
        again: list[_Underway] = []
        if fate is Fate.TAKEN:
            entry = visit.desk.entries[-1]
            self.result.spend(entry.usage)
            self.result.count(entry)
            self._unsettled += 1
            self._in_a_row = 0
            if errand.planned.session in self._unread:
                self._unread[errand.planned.session] -= 1
                self.result.sessions += not self._unread[errand.planned.session]
        else:
            usage = usage_of(visit.source.store.db, asked, answer, self._prices)
            self.result.spend(usage)
            if fate is Fate.NOT_UNDERSTOOD and not errand.is_mending:
                self._note_spent(visit, asked, usage, "")
                again = self._reserve(visit, self._mend(errand, visit), is_alone=False) or []
            if not again:
                self._fail(visit, underway, usage, fate, answer.fault)
        if not again:
            self._progress.advance(1, 1)
        return again

    def _mend(self, errand: _Errand, visit: _Visit) -> _Errand:
        asked = errand.planned.request
        request = with_remark(asked, form_of(asked))
        wanted = estimate(request, self._made.model, self._prices, visit.world.now_ms, self._calls.way.overhead_tokens)
        return _Errand(errand.planned._replace(request=request, estimate=wanted), is_mending=True)

    def _fail(self, visit: _Visit, underway: _Underway, usage: ReadingUsage, fate: Fate, said: str) -> None:
        """Journals a failure. What is answered already is none, nor is a program's that Ctrl-C has reached too."""
        asked = underway.asked
        is_none = fate is Fate.REPEATED or (fate is Fate.FAILED and self.result.stopped_by == "interrupted")
        why = said or _why_not(fate, underway.errand.planned.request)
        fault = "" if is_none else visit.source.redactor.text(clean(why))[:_LONGEST_FAULT]
        self._note_spent(visit, asked, usage, fault)
        if fault:
            names = {"agent": asked.agent, "native_id": asked.native_id, "repo": asked.repo}
            self.result.failed.append(FailedReading(**names, fault=fault))
            self._in_a_row += fate is not Fate.CHANGED
        if self._in_a_row >= _MOST_IN_A_ROW:
            self._stop("failures")

    def _note_spent(self, visit: _Visit, asked: ReadingRow, usage: ReadingUsage, fault: str) -> None:
        """Journals what a call took that brought no answer; with a fault it failed."""
        body = {
            "request": asked.id,
            "agent": asked.agent,
            "native_id": asked.native_id,
            "asked_ms": asked.asked_ms,
            "usage": msgspec.to_builtins(usage),
            "fault": fault,
        }
        decide(visit.source.store, READING_SPENT, body, max(visit.world.now_ms, asked.asked_ms))


def _why_not(fate: Fate, request: ReadingRequest) -> str:
    words = {
        Fate.NOT_UNDERSTOOD: f"the answer was not understood: it is not {form_of(request).words}",
        Fate.CHANGED: "the session has changed since it was sent",
    }
    return words.get(fate, fate)


def _answer_of(future: _Answering, request: str) -> GivenAnswer:
    """What came back; whatever a way raises, of which others write some, is a fault like others."""
    try:
        return future.result()
    except Exception as error:  # noqa: BLE001 - a way of others may raise anything
        return GivenAnswer(request, fault=f"{error}" or type(error).__name__)
