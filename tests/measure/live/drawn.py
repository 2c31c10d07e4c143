"""Sessions that hooks drew for: logs of Claude Code, and the records that its hooks would have left."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.homes import CLAUDE, Silent, put, world_of
from tests.measure.histories import Log

from afterwit.engine.sweep import sweep
from afterwit.measure.cases import Case, Cases, cases_of
from afterwit.measure.outcomes import Figure
from afterwit.model.learn_run import Options
from afterwit.store import spool
from afterwit.store.layout import Layout

AT_MS = 1_777_636_800_000
ODDS = {"held": 0.1, "told": 0.9}


def draw(folder: Path, session: str, arm: str = "told", at_ms: int = AT_MS, **more: Any) -> None:
    """What a hook notes of a draw at the start of a session."""
    is_held = arm not in ("told", "block")
    record = {"kind": "draw", "at": at_ms, "agent": "claude-code", "session": session, "moment": "start"}
    record |= {"items": {"rule-1": int(not is_held)}, "held": int(is_held), "arm": arm, "odds": ODDS, "item_odds": 0.9}
    record |= {"ms": 41, "text": "" if is_held else "- a note", **({"would": "- a note"} if is_held else {})}
    noted(folder, session, record | more)


def noted(folder: Path, session: str, record: dict[str, Any]) -> None:
    Layout(folder / "store").create()
    spool.append(folder / "store" / "spool", "claude-code", session, record)


def subagent(home: Path, session: str, log: Log, name: str) -> None:
    """The log becomes that of a subagent of a session."""
    records = [{**record, "sessionId": session, "isSidechain": True, "agentId": name} for record in log.records]
    put(home / CLAUDE / session / "subagents" / f"agent-{name}.jsonl", records)


def learned_cases(folder: Path) -> Cases:
    world = world_of(folder / "home", folder / "store")
    sweep(world, Options(), Silent())
    return cases_of(world)


def case(number: int, value: float, arm: str = "told", odds: Mapping[str, float] | None = None, **more: Any) -> Case:
    """A case made by hand."""
    fields: dict[str, Any] = {"agent": "claude-code", "repo": "orchard", "at_ms": AT_MS + number} | more
    return Case(session=f"s{number}", figures={Figure.LOST: value}, arm=arm, odds=dict(odds or ODDS), **fields)
