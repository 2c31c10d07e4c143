"""Judges answers that are kept by the present checks, for free: what came of them before is replaced.

Every answer that comes out otherwise becomes a new entry of the journal on the same request, of which the last counts,
so all of it can be undone together. What an answer took stays as it was. An answer whose session has changed since, or
is gone, is left as it is.
"""

from collections.abc import Iterator

import msgspec

from afterwit.config.world import World
from afterwit.knowledge.door.settle import recorded, settle
from afterwit.model.learn_run import Progress
from afterwit.reader import checks
from afterwit.reader.answers import GivenAnswer
from afterwit.reader.taking import ReadingDesk
from afterwit.recall.deck.compile import compile_deck
from afterwit.sessions.originals import source_of
from afterwit.store.decide import catch_up, decide_all, report_if_recorded
from afterwit.store.decisions import KnowledgeEntry, SessionRead, in_force
from afterwit.store.rows.readings import request_row
from afterwit.store.store import Store, hold_lease, require

_WAIT_SECONDS = 60


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
        before = [answer for answer in _kept(store) if is_all or answer.checks != checks.VERSION]
        progress.stage("checking", len(before), "answers")
        after: list[SessionRead] = []
        skipped = 0
        for earlier in sorted(before, key=lambda answer: (answer.session.native_id, answer.request)):
            asked = request_row(store.db, earlier.request)
            result = desk.judged(asked, GivenAnswer(earlier.request, earlier.answer)) if asked is not None else None
            if isinstance(result, SessionRead):
                now = msgspec.structs.replace(result, usage=earlier.usage)
                after += [now] if _said(now) != _said(earlier) else []
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


def _kept(store: Store) -> Iterator[SessionRead]:
    """The answers that count, one for each request."""
    entries = (entry for entry in in_force(recorded(store.db)) if entry.kind == KnowledgeEntry.READ)
    yield from {str(entry.body["request"]): msgspec.convert(entry.body, SessionRead) for entry in entries}.values()


def _said(answer: SessionRead) -> tuple[object, ...]:
    return answer.drafts, answer.rejected, answer.relations
