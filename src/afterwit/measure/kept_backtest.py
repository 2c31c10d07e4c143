"""The last result of a backtest, kept beside the report to be looked at again: with its day and its command.

Written whole or not at all. No words of sessions are kept with it, so that nothing is left behind when one is erased.
Another version of the figures is as if there were none: a backtest can always be run again.
"""

from collections.abc import Sequence

import msgspec

from afterwit.config.world import World
from afterwit.measure.backtest import Backtest, Comparison
from afterwit.measure.moments import HelpfulMoment
from afterwit.measure.scores import PlayerReport
from afterwit.store.atomic import replace_file
from afterwit.store.regular_files import read_regular

FILE = "backtest.json"
_VERSION = 1  # of the figures and how they are counted


class KeptMoment(msgspec.Struct, frozen=True, kw_only=True):
    """Where it would have helped most; what was said there stands in the session."""

    session: str
    agent: str
    repo: str
    at_ms: int | None
    is_failure: bool  # else files were named
    spared_actions: int


class KeptBacktest(msgspec.Struct, frozen=True, kw_only=True):
    version: int
    at_ms: int
    command: str
    sentence: str
    sessions: int
    actions: int
    reports: tuple[PlayerReport, ...]
    comparisons: tuple[Comparison, ...]
    moments: tuple[KeptMoment, ...]


def keep_backtest(world: World, result: Backtest, command: str) -> None:
    """Keeps a result, in the place of an earlier one. One without a session to replay is none."""
    if not result.sessions:
        return
    kept = KeptBacktest(
        version=_VERSION,
        at_ms=world.now_ms,
        command=command,
        sentence=result.sentence,
        sessions=result.sessions,
        actions=result.actions,
        reports=tuple(result.reports),
        comparisons=tuple(result.comparisons),
        moments=_moments(result.moments),
    )
    folder = world.layout.metrics
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    replace_file(folder / FILE, msgspec.json.encode(kept) + b"\n", is_durable=False)


def kept_backtest(world: World) -> KeptBacktest | None:
    """None where none was run, or another version did."""
    try:
        kept = msgspec.json.decode(read_regular(world.layout.metrics / FILE), type=KeptBacktest)
    except (OSError, msgspec.DecodeError):
        return None
    return kept if kept.version == _VERSION else None


def _moments(moments: Sequence[HelpfulMoment]) -> tuple[KeptMoment, ...]:
    return tuple(
        KeptMoment(
            session=moment.session,
            agent=moment.agent,
            repo=moment.repo,
            at_ms=moment.at_ms,
            is_failure=not moment.prompt,
            spared_actions=moment.spared_actions,
        )
        for moment in moments
    )
