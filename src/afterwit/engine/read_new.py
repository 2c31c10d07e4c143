"""Lets the model that is set read after a run of `learn`: a few new sessions, within the caps and a bounded time.

Notes that are due are settled too. Nothing happens unless `reading.model` names a model that can be called. The lock is
free while the model thinks. What goes wrong is said in a line and never makes the run fail: what was not read waits for
the next one.
"""

from collections.abc import Callable

from afterwit.config.world import World
from afterwit.model.learn_run import LearnReading, Progress
from afterwit.reader.calling import CalledRun, CallingRules, call, way_to
from afterwit.reader.plan import ReadingWish, plan
from afterwit.reader.ways.way import nearest_way
from afterwit.recall.deck.compile import compile_deck
from afterwit.sessions.filters import Filter

_NEW_MS = 14 * 86_400_000  # older sessions are left to `afterwit read`
_MOST_MS = 180_000  # less than the end of a session grants its `learn`


def read_new(world: World, clock: Callable[[], int], progress: Progress) -> LearnReading | None:
    """What the model read; None where it had nothing to read, or none is set that can be called."""
    model = world.settings.reading.model or ""
    limit = world.settings.reading.sessions_per_learn
    try:
        way = way_to(model, world) if limit else None
        if way is None:
            return LearnReading(model=model, problem=hint) if (hint := nearest_way(model)) and limit else None
        if refusal := way.refusal():
            return LearnReading(model=model, problem=refusal)
        now = world._replace(now_ms=clock())
        new = Filter(since_ms=now.now_ms - _NEW_MS)
        made = plan(now, ReadingWish(new, model, limit, overhead_tokens=way.overhead_tokens), progress)
        if not made.requests:
            return None
        return _told(call(now, made, CallingRules(way, clock, until_ms=now.now_ms + _MOST_MS), compile_deck, progress))
    except Exception as error:  # noqa: BLE001 - a way of others may raise anything, and learning is not its business
        return LearnReading(model=model, problem=f"{error}" or type(error).__name__)


def _told(run: CalledRun) -> LearnReading:
    return LearnReading(
        model=run.model,
        sessions=run.sessions,
        notes=run.notes,
        settled=run.merged + run.replaced,
        tokens=run.tokens_in + run.tokens_out,
        cost_usd=None if run.unpriced else run.cost_usd,
        problem=run.failed[-1].fault if run.failed else "",
        is_stopped=run.stopped_by == "interrupted",
    )
