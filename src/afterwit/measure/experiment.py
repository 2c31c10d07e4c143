"""An experiment that somebody starts: sessions are split evenly between arms, and the arms are compared.

Start and stop are journalled; hooks get them with the next deck, which is compiled at once. Sessions that are under way
keep the arm they began in, and count for what it was. While it lasts, the share of sessions that is skipped otherwise
is not: the arms take its place.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import msgspec

from afterwit.config.world import World
from afterwit.measure.cases import Cases, cases_in
from afterwit.measure.effect import ArmEffect, arms_compared
from afterwit.model.errors import UsageError
from afterwit.recall.deck.compile import compile_deck
from afterwit.recall.holdout import CHOICES, TEMPLATE
from afterwit.store.decide import (
    EXPERIMENT_SET,
    EXPERIMENT_STARTED,
    EXPERIMENT_STOPPED,
    catch_up,
    decide,
    report_if_recorded,
)
from afterwit.store.rows import hooks
from afterwit.store.rows.hooks import Shares
from afterwit.store.rows.items import exposures
from afterwit.store.store import Store, hold_lease, open_store, readonly_database, require

_WAIT_SECONDS = 60
_LEAST_ARMS = 2


class ArmResult(msgspec.Struct, frozen=True, kw_only=True):
    """One arm, and how it did against the first one, if that can be told."""

    arm: str
    sessions: int
    against_first: ArmEffect | None


class ArmExperiment(msgspec.Struct, frozen=True, kw_only=True):
    """The experiment that was started last; without arms there was none."""

    arms: list[ArmResult]
    started_ms: int
    stopped_ms: int  # 0: under way


def start_experiment(world: World, arms: Sequence[str], templates: Sequence[str] = ()) -> None:
    """Starts one. An arm that is told of templates needs some, given as their ids."""
    wanted = tuple(dict.fromkeys(arms))
    unknown = [arm for arm in wanted if arm not in CHOICES]
    if unknown:
        raise UsageError(f"There is no arm {unknown[0]!r}. Arms are {', '.join(CHOICES)}.")
    if len(wanted) < _LEAST_ARMS:
        raise UsageError("An experiment compares two arms or more: give --arm at least twice, with different names.")
    require(world.layout)
    if TEMPLATE in wanted and not templates:
        raise UsageError(
            f"The arm {TEMPLATE} needs a template in use, and there is none that can be told to agents."
            " `afterwit templates auto` proposes some from your best sessions."
        )
    told_of = {"templates": list(templates)} if TEMPLATE in wanted else {}
    with _caught_up(world) as store:
        now = hooks.shares(store.db)
        if now.arms:
            raise UsageError(
                f"An experiment with the arms {', '.join(now.arms)} is under way."
                " `afterwit measure experiment stop` ends it."
            )
        _decide(store, world, EXPERIMENT_STARTED, {"arms": list(wanted), **told_of})


def stop_experiment(world: World) -> None:
    require(world.layout)
    with _caught_up(world) as store:
        if not hooks.shares(store.db).arms:
            raise UsageError("No experiment is under way. `afterwit measure experiment start` begins one.")
        _decide(store, world, EXPERIMENT_STOPPED, {})


def experiment_now(world: World) -> ArmExperiment:
    """How the arms of the last experiment do."""
    require(world.layout)
    with readonly_database(world.layout) as db:
        chosen = hooks.shares(db)
        cases = _of_experiment(cases_in(db), chosen)
    counts = Counter(case.arm for case in cases.drawn)
    first = chosen.compared[0] if chosen.compared else ""
    arms = [
        ArmResult(
            arm=arm,
            sessions=counts[arm],
            against_first=arms_compared(cases, arm, first, len(chosen.compared) - 1) if arm != first else None,
        )
        for arm in chosen.compared
    ]
    return ArmExperiment(arms=arms, started_ms=chosen.started_ms, stopped_ms=chosen.stopped_ms)


def _of_experiment(cases: Cases, chosen: Shares) -> Cases:
    """Those that were drawn into its arms since it was started. The others show what is usual."""
    arms = set(chosen.compared)
    own = [case for case in cases.drawn if set(case.odds) == arms and case.at_ms >= chosen.started_ms]
    before = [msgspec.structs.replace(case, arm="", odds={}) for case in cases.drawn if case.at_ms < chosen.started_ms]
    lost = [case for case in cases.lost if set(case.odds) == arms and case.at_ms >= chosen.started_ms]
    return msgspec.structs.replace(cases, past=[*cases.past, *before], drawn=own, lost=lost)


@contextmanager
def _caught_up(world: World) -> Iterator[Store]:
    with hold_lease(world.layout.lease, _WAIT_SECONDS), open_store(world.layout) as store:
        catch_up(store)
        yield store


def _decide(store: Store, world: World, kind: str, body: Mapping[str, object]) -> None:
    """Notes it, and lets hooks know at once."""
    with report_if_recorded(store):
        decide(store, kind, dict(body), world.now_ms)
        compile_deck(store, world)


class Skipping(msgspec.Struct, frozen=True, kw_only=True):
    """How it is set, and what was drawn so far."""

    session_share: float
    item_share: float
    arms: list[str]  # of the experiment that is under way; while it is, no other sessions are skipped
    since_ms: int  # 0: as it comes
    shown: int  # times that an item was shown
    held_out: int  # times that it would have been


def skipping_now(world: World) -> Skipping:
    require(world.layout)
    with readonly_database(world.layout) as db:
        chosen = hooks.shares(db)
        drawn = [row.is_shown for row in exposures(db)]
    return Skipping(
        session_share=chosen.session_share,
        item_share=chosen.item_share,
        arms=list(chosen.arms),
        since_ms=chosen.since_ms,
        shown=sum(drawn),
        held_out=len(drawn) - sum(drawn),
    )


def set_skipping(world: World, session_share: float | None, item_share: float | None) -> Skipping:
    """Changes what is given; the rest stays."""
    require(world.layout)
    with _caught_up(world) as store:
        before = hooks.shares(store.db)
        body = {
            "session_share": before.session_share if session_share is None else session_share,
            "item_share": before.item_share if item_share is None else item_share,
        }
        _decide(store, world, EXPERIMENT_SET, body)
    return skipping_now(world)
