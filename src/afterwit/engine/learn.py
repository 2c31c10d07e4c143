"""`learn` conducts: is there anything new, the run itself, what a model reads on, the report of the day, and what
extras want done afterwards.

What each of these takes is loaded only where there is something to do.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from itertools import chain
from typing import NamedTuple

from afterwit.config.extras import functions
from afterwit.config.world import World
from afterwit.engine.faults import note_faults
from afterwit.engine.unchanged import FilesLook, nothing_new
from afterwit.model.learn_run import LearnReading, Options, Progress, Report

_NEW_MS = 14 * 86_400_000  # older sessions are left to `afterwit read`
_MOST_MS = 180_000  # less than the end of a session grants its `learn`


class LearnOutcome(NamedTuple):
    report: Report
    lines: list[str]  # what extras add to the report
    faults: list[str]  # what could not be done beside the run


def learn(
    world: World, options: Options, progress: Progress, again: Sequence[str] = (), *, is_json: bool = False
) -> LearnOutcome:
    """Raises BusyError where another run is at work. `again`: ids of erased sessions that may be read once more."""
    with note_faults(world.layout) if options.is_ended else nullcontext():  # of a run that nobody watches
        if again:
            from afterwit.engine.archive.delete import want_again

            want_again(world, again)
        look = FilesLook(world)
        report = nothing_new(world, look) if options.is_whole and not options.is_reharvest else None
        if report is None:
            from afterwit.engine.sweep import sweep

            report = sweep(world, options, progress, look)
        if not options.is_dry_run and options.folder is None:
            report.reading = read_new(world, lambda: time.time_ns() // 1_000_000, progress)
        faults = _write_daily_report(world, progress) if options.is_whole and not options.is_dry_run else []
        said = [call(world, options, progress, is_json=is_json) for call in functions("after_learn")]
    return LearnOutcome(report, list(chain.from_iterable(said)), faults)


def read_new(world: World, clock: Callable[[], int], progress: Progress) -> LearnReading | None:
    """Lets the model that is set read a few new sessions, within the caps and a bounded time, and settle notes that are
    due. None where it had nothing to read, or none is set that can be called. What goes wrong is said in a line and
    never makes the run fail: what was not read waits for the next one. The lock is free while the model thinks."""
    model, limit = world.settings.reading.model, world.settings.reading.sessions_per_learn
    if model is None or not limit:
        return None
    from afterwit.reader import calling
    from afterwit.reader.plan import ReadingWish, plan
    from afterwit.reader.ways.way import nearest_way
    from afterwit.sessions.filters import Filter

    try:
        way = calling.way_to(model, world)
        if way is None:
            return LearnReading(model=model, problem=hint) if (hint := nearest_way(model)) else None
        if refusal := way.refusal():
            return LearnReading(model=model, problem=refusal)
        now = world._replace(now_ms=clock())
        new = Filter(since_ms=now.now_ms - _NEW_MS)
        made = plan(now, ReadingWish(new, model, limit, overhead_tokens=way.overhead_tokens), progress)
        if not made.requests:
            return None
        run = calling.call(now, made, calling.CallingRules(way, clock, until_ms=now.now_ms + _MOST_MS), progress)
    except Exception as error:  # noqa: BLE001 - a way of others may raise anything, and learning is not its business
        return LearnReading(model=model, problem=f"{error}" or type(error).__name__)
    return LearnReading(
        model=run.model,
        sessions=run.sessions,
        notes=run.notes,
        settled=run.lines + run.replaced,
        tokens=run.tokens_in + run.tokens_out,
        cost_usd=None if run.unpriced else run.cost_usd,
        problem=run.failed[-1].fault if run.failed else "",
        is_stopped=run.stopped_by == "interrupted",
    )


def _write_daily_report(world: World, progress: Progress) -> list[str]:
    """With the first run of a day that reads everything. Returns why it could not be written."""
    if not world.settings.measure.daily_report:
        return []
    from afterwit.measure.report import is_due, report

    try:
        if is_due(world):
            report(world, None, 0, progress)
    except OSError as error:
        return [f"The report could not be written to {world.layout.metrics}: {error.strerror or error}."]
    return []
