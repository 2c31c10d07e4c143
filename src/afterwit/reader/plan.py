"""What would be asked next, the most promising first, and what that would take. Sends and writes nothing.

A session waits that people worked in themselves, that has ended, and that was not read with this prompt and model; one
that went on after it was read waits again, for what is new in it. What was asked and is not answered yet is left alone
for a while: some days where it was written to a file, some minutes where the model was called. What failed pauses,
longer after each failure. Sessions in which a model read for us are never read. The notes of a repository wait to be
settled after several new ones were read there. The caps, and what was wished, decide how much of that is planned.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import apsw
import msgspec

from afterwit.config.world import World, exclusion_of
from afterwit.digest.door import load_digest
from afterwit.digest.value import SampleCandidate, choose, findings_of
from afterwit.harvest.door import SessionRefs
from afterwit.knowledge.brief import ENTRIES, Page, notes_of_lines, pages_of
from afterwit.knowledge.door.listeners import listener_here
from afterwit.knowledge.shown_items import may_be_told_to
from afterwit.model.brief import Heard
from afterwit.model.errors import ConfigError
from afterwit.model.knowledge import Item
from afterwit.model.learn_run import Progress
from afterwit.model.prices import price_list
from afterwit.reader.compiling import PROMPT, TriedDraft, compile_request, is_due, notes_to_compile
from afterwit.reader.ledger import Purse, ReadingEstimate, ReadingSpent, estimate, spent_by
from afterwit.reader.line_checks import refusal_in_words
from afterwit.reader.requests import (
    Beside,
    ReadingPrompt,
    ReadingRequest,
    own_prompt,
    prompt_of,
    requests,
    session_text,
)
from afterwit.recall.trial import past_digests, times_fired
from afterwit.sessions.filters import Filter, selection_of, short_id
from afterwit.sessions.list import Session
from afterwit.sessions.originals import TranscriptSource, source_of
from afterwit.store.decisions import gather_decisions, in_force
from afterwit.store.regular_files import read_regular
from afterwit.store.rows.items import recorded, recorded_about
from afterwit.store.rows.readings import (
    CALLED,
    ReadingFailure,
    ReadingRow,
    last_model,
    requests_about_notes,
    requests_failed,
    requests_for,
)
from afterwit.store.rows.repetitions import heard
from afterwit.store.rows.session_list import SessionRow, select_sessions, sessions_calling

READING_TOOL = "reading_next"  # by which an agent asks for sessions to read itself
_QUIET_MS = 30 * 60_000  # without an event: it has ended
_PATIENCE_MS = 3 * 86_400_000  # after which an answer is no longer waited for
_CALL_PATIENCE_MS = 20 * 60_000  # longer than any call and its mending: whoever asked was killed
_PAUSES_MS = (3_600_000, 4 * 3_600_000, 86_400_000, 3 * 86_400_000)  # after the first failure, the second, …
_OPENING = 60  # characters of the prompt by which a session of ours is known
AT_HAND = "agent-at-hand"  # the model that an agent is which asks for sessions to read itself


class Patience:
    """How long what was asked and is not answered is left alone."""

    def __init__(self, failures: Iterable[ReadingFailure], now_ms: int) -> None:
        self._failures = {failure.request: failure for failure in failures}
        self._now_ms = now_ms

    def leaves_alone(self, row: ReadingRow) -> bool:
        return row.answered_ms is None and self._now_ms < self._until_ms(row)

    def has_failed(self, row: ReadingRow) -> bool:
        """Whether the last that was heard is a failure."""
        return row.id in self._failures and self._failures[row.id].failed_ms >= row.asked_ms

    def _until_ms(self, row: ReadingRow) -> int:
        """When a request that was not answered may be asked again."""
        if self.has_failed(row):
            return retry_ms(self._failures[row.id])
        return row.asked_ms + (_CALL_PATIENCE_MS if row.asked_by == CALLED else _PATIENCE_MS)


def retry_ms(failure: ReadingFailure) -> int:
    """When a request that failed is asked again."""
    return failure.failed_ms + _PAUSES_MS[min(failure.failures, len(_PAUSES_MS)) - 1]


class Shelf:
    """What was asked with one prompt and model, and what of that is answered."""

    def __init__(self, rows: Iterable[ReadingRow], patience: Patience, *, is_again: bool) -> None:
        self._by_session: defaultdict[tuple[str, str], list[ReadingRow]] = defaultdict(list)
        for row in rows:
            self._by_session[row.agent, row.native_id].append(row)
        self._patience = patience
        self._is_again = is_again
        self.settled = frozenset(  # answered, or left alone
            row.id
            for several in self._by_session.values()
            for row in several
            if row.answered_ms is not None or patience.leaves_alone(row)
        )
        self.read = 0
        self.asked = 0
        self.failed = 0

    def counts(self, session: SessionRow) -> bool:
        """Whether a session waits, or parts of it; counts those that do not."""
        rows = self._by_session.get((session.agent, session.native_id), [])
        as_now = [row for row in rows if row.ended_ms == session.ended_ms]
        parts = set(range(1, max((row.parts for row in as_now), default=0) + 1))
        answered = {row.part for row in rows if row.answered_ms is not None}
        if parts and answered >= parts:
            self.read += 1
            return self._is_again
        left_alone = [row for row in as_now if self._patience.leaves_alone(row)]
        if left_alone and answered.union(row.part for row in left_alone) >= parts:
            has_failed = any(self._patience.has_failed(row) for row in left_alone)
            self.asked += not has_failed
            self.failed += has_failed
            return self._is_again
        return True


def readable(source: TranscriptSource, world: World, wanted: Filter, prompt: ReadingPrompt) -> Iterator[SessionRow]:
    """Sessions of people that have ended, without what is left out or forgotten, and what a model did for us."""
    db = source.store.db
    refs = SessionRefs(source.store.db, source.store.journal.machine, gather_decisions(recorded(db)).forgotten)
    exclusion = exclusion_of(world)
    opening = " ".join(prompt.text.split())[:_OPENING]
    selection = selection_of(db, world.settings, wanted._replace(is_top=True))
    reading = sessions_calling(db, READING_TOOL)
    for row in select_sessions(db, selection):
        has_ended = row.ended_ms is not None and row.ended_ms <= world.now_ms - _QUIET_MS
        is_ours = row.id in reading or " ".join(row.task.split()).startswith(opening)
        places = (exclusion.has_agent(row.agent), exclusion.has_repo(row.repo), exclusion.has_folder(row.cwd))
        if has_ended and row.prompts and not is_ours and not any(places) and refs.of(row.id) is not None:
            yield row


def due(
    beside: Beside, world: World, repos: Iterable[str], model: str, *, is_forced: bool, patience: Patience | None = None
) -> Iterator[tuple[str, ReadingRequest]]:
    """What is to be asked to compile the briefs of these repositories, of those that are due or of all."""
    prompt, db = own_prompt(PROMPT), beside.db
    entries = recorded_about(db, (), ENTRIES)
    pages, lines = pages_of(in_force(entries)), notes_of_lines(entries)
    to = listener_here(db, world)
    asked = {row.repo for row in requests_about_notes(db) if patience is not None and patience.leaves_alone(row)}
    for repo in sorted({*repos} - {""}):
        items = [item for item in notes_to_compile(beside.items(repo), repo) if may_be_told_to(item, to)]
        page = pages.get(repo)
        if is_forced or (repo not in asked and is_due(page, items)):
            told = heard(db, (*lines, *(name for item in items for name in (item.id, *item.merged))))
            for item in items:
                told[item.id] = _heard_of(item, told, lines)
            around = beside.around(repo).instructions
            draft = _tried(db, page) if page is not None and page.is_draft else None
            request = compile_request(repo, items, page or Page(repo), told, around, prompt, model, draft)
            if request is not None:
                yield repo, request


def _heard_of(item: Item, told: Mapping[str, Heard], lines: Mapping[str, Sequence[str]]) -> Heard:
    """How often a note was told, by itself or in lines that rest on it."""
    names = {item.id, *item.merged}
    names.update(line for line, notes in lines.items() if not names.isdisjoint(notes))
    heards = [told[name] for name in sorted(names) if name in told]
    return Heard(sum(heard.told for heard in heards), max((heard.again for heard in heards), default=0))


def _tried(db: apsw.Connection, page: Page) -> TriedDraft:
    """Where the lines on demand of a draft would have come in the past sessions, and what of it was refused."""
    lines = [line for line in page.lines if line.triggers]
    tried = times_fired([line.triggers for line in lines], past_digests(db, page.repo))
    fired = {
        line.id: "\n  ".join(
            ("", f"came in {times} of {tried.sessions} past sessions", *(f"at {at}" for at in moments))
        )
        for line, times, moments in zip(lines, tried.times, tried.moments, strict=True)
    }
    refused = [
        f"- {line.sentence}\n  {refusal_in_words(line.reason)}{f' ({line.detail})' if line.detail else ''}"
        for line in page.refused
    ]
    return TriedDraft(fired, refused)


def best_first(db: apsw.Connection, rows: Iterable[SessionRow]) -> Iterator[tuple[SessionRow, float]]:
    """The sessions that promise most knowledge first, each counting what those before it leave to be found."""
    by_order = {(-(row.started_ms or 0), row.native_id, row.agent): row for row in rows}
    candidates = []
    for order, row in by_order.items():
        digest = load_digest(db, row)
        candidates.append(SampleCandidate(order, () if digest is None else findings_of(digest)))
    for choice in choose(candidates):
        yield by_order[choice.candidate.order], choice.value.total


class ReadingWish(NamedTuple):
    """What is to be read, and how much of it."""

    filter: Filter = Filter()
    model: str = ""  # "": the one that is set, or was used last
    limit: int = 0  # sessions; 0: as many as the caps allow
    budget_usd: float | None = None
    is_again: bool = False  # also what was read or asked
    requests: int = 0  # at most so many, of whatever sessions; 0: any number
    is_brief: bool = False  # only the briefs of the repositories that fit, whether they are due or not
    overhead_tokens: int = 0  # that the way to the model adds to each


class PlannedSession(NamedTuple):
    """A session that is to be read, with what is asked about it."""

    session: Session
    value: float
    requests: Sequence[ReadingRequest]
    estimates: Sequence[ReadingEstimate]


class PlannedRequest(NamedTuple):
    """A request, with what it is about and what it takes at most: a session, or the notes of a repository."""

    request: ReadingRequest
    estimate: ReadingEstimate
    repo: str
    agent: str = ""
    native_id: str = ""
    ended_ms: int = 0

    @property
    def session(self) -> tuple[str, str]:
        """Empty names where it asks about notes."""
        return self.agent, self.native_id


class ReadingPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What would be read, and what that would take."""

    model: str
    prompt: ReadingPrompt
    sessions: list[PlannedSession]  # in order of time
    briefs: list[PlannedRequest]  # that are to be compiled
    waiting: int  # sessions, with those that are planned
    read: int
    asked: int  # sessions that were asked about and not answered yet
    failed: int  # sessions that are left alone for a while, because a call failed
    spent: ReadingSpent
    stopped_by: str  # "limit" or "caps", where more wait than are planned

    @property
    def requests(self) -> list[PlannedRequest]:
        """All that would be asked, in this order."""
        about_sessions = (
            PlannedRequest(*pair, row.repo, row.agent, row.native_id, row.ended_ms or 0)
            for planned in self.sessions
            for row in (planned.session.row,)
            for pair in zip(planned.requests, planned.estimates, strict=True)
        )
        return [*about_sessions, *self.briefs]

    @property
    def estimates(self) -> list[ReadingEstimate]:
        return [planned.estimate for planned in self.requests]

    @property
    def cost_usd(self) -> float | None:
        """None where no price is known."""
        costs = [estimated.cost_usd for estimated in self.estimates]
        return sum(cost for cost in costs if cost is not None) if None not in costs else None

    def as_json(self) -> dict[str, Any]:
        """The stable shape."""
        return {
            "model": self.model,
            "prompt": self.prompt.version,
            "waiting": self.waiting,
            "read": self.read,
            "asked": self.asked,
            "failed": self.failed,
            "requests": len(self.estimates),
            "tokens_in": sum(estimated.tokens_in for estimated in self.estimates),
            "tokens_out": sum(estimated.tokens_out for estimated in self.estimates),
            "cost_usd": self.cost_usd,
            "stopped_by": self.stopped_by,
            "spent": {name: spent._asdict() for name, spent in self.spent._asdict().items()},
            "briefs": [
                {"repo": planned.repo, "request": planned.request.id, "notes": len(planned.request.items)}
                for planned in self.briefs
            ],
            "sessions": [
                planned.session.view(("id", "native_id", "agent", "repo", "started_ms", "title"))
                | {
                    "value": planned.value,
                    "requests": [request.id for request in planned.requests],
                    "tokens_in": sum(estimated.tokens_in for estimated in planned.estimates),
                }
                for planned in self.sessions
            ],
        }


def plan(world: World, wish: ReadingWish, progress: Progress) -> ReadingPlan:
    """What a run with this wish would read."""
    with source_of(world) as source:
        return planned(source, world, wish, progress)


def count_waiting(world: World, wish: ReadingWish) -> int:
    """How many sessions wait."""
    with source_of(world) as source:
        prompt = prompt_in_force(world)
        shelf = _shelf(source.store.db, world, wish, prompt)
        return sum(shelf.counts(row) for row in readable(source, world, wish.filter, prompt))


def prompt_in_force(world: World) -> ReadingPrompt:
    """The prompt that is set, or the built-in one."""
    path = world.settings.reading.prompt
    if path is None:
        return own_prompt()
    try:
        return prompt_of(read_regular(path).decode(), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"reading.prompt: {path} cannot be read ({error}). Correct the path, or remove it."
        ) from error


def planned(source: TranscriptSource, world: World, wish: ReadingWish, progress: Progress) -> ReadingPlan:
    """The same, of a store that is open."""
    db = source.store.db
    prompt = prompt_in_force(world)
    model = _model(db, world, wish)
    shelf = _shelf(db, world, wish, prompt)
    ended = list(readable(source, world, wish.filter, prompt))
    rows = [row for row in ended if shelf.counts(row)]
    spent = spent_by(db, world.now_ms)
    purse = Purse(world.settings.reading, spent, wish.budget_usd)
    beside, prices = Beside(source, world), price_list(world.settings.prices)
    chosen: list[PlannedSession] = []
    empty, stopped_by = 0, ""
    progress.stage("planning", wish.limit or len(rows), "sessions")
    for row, value in best_first(db, [] if wish.is_brief else rows):
        if wish.limit and len(chosen) >= wish.limit:
            stopped_by = "limit"
            break
        asked = requests(session_text(source, row), beside.around(row.repo), prompt, model)
        new = [request for request in asked if wish.is_again or request.id not in shelf.settled]
        estimates = [estimate(request, model, prices, world.now_ms, wish.overhead_tokens) for request in new]
        if not new:
            empty += 1
        elif all(purse.reserve(wanted, model) for wanted in estimates):
            chosen.append(PlannedSession(Session(row, short_id(db, row.native_id)), value, new, estimates))
            progress.advance(1, 1)
        else:
            stopped_by = "caps"
            break
    chosen, is_cut = _first_requests(sorted(chosen, key=_by_time), wish.requests)
    stopped_by = "limit" if is_cut else stopped_by
    briefs: list[PlannedRequest] = []
    unread = {planned.session.row.repo for planned in chosen}
    repos = {row.repo for row in ended} - unread  # the others are compiled when they were read
    for repo, request in due(beside, world, repos, model, is_forced=wish.is_brief, patience=_patience(db, world)):
        wanted = estimate(request, model, prices, world.now_ms, wish.overhead_tokens)
        if not (wish.requests and (chosen or briefs)) and purse.reserve(wanted, model):
            briefs.append(PlannedRequest(request, wanted, repo))
    return ReadingPlan(
        model=model,
        prompt=prompt,
        sessions=chosen,
        briefs=briefs,
        waiting=len(rows) - empty,
        read=shelf.read,
        asked=shelf.asked,
        failed=shelf.failed,
        spent=spent,
        stopped_by=stopped_by,
    )


def _by_time(planned: PlannedSession) -> tuple[int, str]:
    row = planned.session.row
    return row.started_ms or 0, row.native_id


def _first_requests(chosen: Sequence[PlannedSession], most: int) -> tuple[list[PlannedSession], bool]:
    """As many sessions as so many requests are about, and whether that leaves any out; 0: all."""
    kept: list[PlannedSession] = []
    left = most
    for planned in chosen:
        if most and len(planned.requests) > left:
            cut = planned._replace(requests=planned.requests[:left], estimates=planned.estimates[:left])
            return [*kept, *([cut] if left else [])], True
        kept.append(planned)
        left -= len(planned.requests)
    return kept, False


def _model(db: apsw.Connection, world: World, wish: ReadingWish) -> str:
    return wish.model or world.settings.reading.model or last_model(db)


def _patience(db: apsw.Connection, world: World) -> Patience:
    return Patience(requests_failed(db), world.now_ms)


def _shelf(db: apsw.Connection, world: World, wish: ReadingWish, prompt: ReadingPrompt) -> Shelf:
    asked = requests_for(db, prompt.version, _model(db, world, wish))
    return Shelf(asked, _patience(db, world), is_again=wish.is_again)
