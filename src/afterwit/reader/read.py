"""Asks models to read by files, or whoever else carries the requests, and takes in what they answer.

What is asked is journalled before it is sent, with what it takes at most; what is answered, as soon as it was checked.
So a run that is killed goes on where it stopped. `calling` does the same where the model itself is called.

`check_again` judges kept answers by the present checks, for free. Every answer that comes out otherwise becomes a new
entry of the journal on the same request, of which the last counts, so all of it can be undone together. One whose
session has changed since, or is gone, is left as it is.
"""

from collections.abc import Callable, Iterable, Iterator

import msgspec

from afterwit.config.world import World
from afterwit.knowledge.door.settle import settle
from afterwit.knowledge.gate import Rejection
from afterwit.model.learn_run import Progress
from afterwit.reader import checks, line_checks
from afterwit.reader.answers import GivenAnswer
from afterwit.reader.compiling import PROMPT
from afterwit.reader.intake import ReadingDesk, TakenAnswers
from afterwit.reader.plan import PlannedRequest, ReadingPlan, ReadingWish, planned
from afterwit.reader.requests import ReadingRequest, own_prompt
from afterwit.recall.deck.compile import compile_deck
from afterwit.sessions.originals import source_of
from afterwit.store.decide import READING_ASKED, catch_up, decide, decide_all, report_if_recorded
from afterwit.store.decisions import KnowledgeEntry, SessionRead, in_force
from afterwit.store.rows.items import recorded
from afterwit.store.rows.readings import request_row
from afterwit.store.store import Store, hold_lease, require

_WAIT_SECONDS = 60


def ask(
    world: World,
    wish: ReadingWish,
    send: Callable[[ReadingRequest, str], object],
    progress: Progress,
    asked_by: str = "",
) -> ReadingPlan:
    """Plans, and hands every request with the model's name to `send`. All of them are asked, or none."""
    require(world.layout)
    with hold_lease(world.layout.lease, _WAIT_SECONDS), source_of(world) as source:
        catch_up(source.store)
        made = planned(source, world, wish, progress)
        for wanted in made.requests:
            send(wanted.request, made.model)
        if made.requests:
            body = {"requests": [request_body(made, wanted, asked_by) for wanted in made.requests]}
            decide(source.store, READING_ASKED, body, world.now_ms)
        return made


def take(
    world: World,
    answers: Iterable[GivenAnswer],
    progress: Progress,
    *,
    is_again: bool = False,
) -> TakenAnswers:
    """Takes answers in and settles what is known, and compiles the deck anew."""
    require(world.layout)
    with hold_lease(world.layout.lease, _WAIT_SECONDS), source_of(world) as source:
        catch_up(source.store)
        with report_if_recorded(source.store):
            desk = ReadingDesk(source, world, is_again=is_again)
            ordered = sorted(answers, key=_order)
            progress.stage("checking", len(ordered), "answers")
            try:
                for answer in ordered:
                    desk.take(answer)
                    progress.advance(1, 1)
            finally:  # what was taken so far is settled, also after Ctrl-C, and by a run before that was killed
                gained = settle(source.store, world).gained
                compile_deck(source.store, world)
        return desk.taken(gained)


def refusal_in_words(reason: str) -> str:
    """Why something that a model said was refused, for people and models."""
    if reason in frozenset(checks.Conviction):
        return checks.WORDS[checks.Conviction(reason)]
    if of_line := line_checks.refusal_in_words(reason):
        return of_line
    return Rejection(reason).words if reason in frozenset(Rejection) else reason


def _order(answer: GivenAnswer) -> tuple[str, int, str, str, int, int]:
    """The same, in whatever order answers come, and whether or not they say what they took. Of several answers to one
    request the longest counts: an empty one must not hide what another found."""
    taken = answer.tokens_in or 0, answer.tokens_out or 0
    return answer.request, -len(answer.text), answer.text, answer.fault, *taken


def request_body(made: ReadingPlan, wanted: PlannedRequest, asked_by: str = "") -> dict[str, object]:
    """A request as the journal keeps it: enough to check an answer to it."""
    request = wanted.request
    return {
        "id": request.id,
        "agent": wanted.agent,
        "native_id": wanted.native_id,
        "repo": wanted.repo,
        "part": request.part,
        "parts": request.parts,
        "first_line": request.span.first,
        "end_line": request.span.end,
        "lines_hash": request.lines_hash,
        "ended_ms": wanted.ended_ms,
        "model": made.model,
        "prompt": own_prompt(PROMPT).version if request.items else made.prompt.version,
        "asked_by": asked_by,
        **({"items": " ".join(request.items)} if request.items else {}),
        **wanted.estimate._asdict(),
    }


class CheckedAgain(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it."""

    judged: int
    changed: int
    skipped: int  # because their sessions have changed, or are gone
    gained: list[str]  # ids of items
    lost: list[str]


def check_again(world: World, progress: Progress, *, is_all: bool = False) -> CheckedAgain:
    """Judges the answers that other checks judged, or all, and compiles the deck anew."""
    require(world.layout)
    with hold_lease(world.layout.lease, _WAIT_SECONDS), source_of(world) as source:
        store = source.store
        catch_up(store)
        desk = ReadingDesk(source, world, is_again=True)
        before = [answer for answer in _answers_kept(store) if is_all or answer.checks != checks.VERSION]
        progress.stage("checking", len(before), "answers")
        after: list[SessionRead] = []
        skipped = 0
        for earlier in sorted(before, key=lambda answer: (answer.session.native_id, answer.request)):
            asked = request_row(store.db, earlier.request)
            result = desk.judged(asked, GivenAnswer(earlier.request, earlier.answer)) if asked is not None else None
            if isinstance(result, SessionRead):
                now = msgspec.structs.replace(result, usage=earlier.usage)
                after += [now] if _outcome(now) != _outcome(earlier) else []
            else:
                skipped += 1
            progress.advance(1, 1)
        with report_if_recorded(store):
            if after:
                decide_all(store, ((KnowledgeEntry.READ, msgspec.to_builtins(entry)) for entry in after), desk.at_ms)
            settled = settle(store, world)
            compile_deck(store, world)
        return CheckedAgain(
            judged=len(before) - skipped,
            changed=len(after),
            skipped=skipped,
            gained=settled.gained,
            lost=settled.lost,
        )


def _answers_kept(store: Store) -> Iterator[SessionRead]:
    """The answers that count, one for each request."""
    entries = (entry for entry in in_force(recorded(store.db)) if entry.kind == KnowledgeEntry.READ)
    yield from {str(entry.body["request"]): msgspec.convert(entry.body, SessionRead) for entry in entries}.values()


def _outcome(answer: SessionRead) -> tuple[object, ...]:
    return answer.drafts, answer.rejected, answer.relations, answer.repeats
