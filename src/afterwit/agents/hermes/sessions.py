"""What Hermes says of a session as a whole: in a row of its database, or at the head of a snapshot.

Both a compaction that splits a session and a delegation name a parent. It is a delegation if the session says so
itself, a branch likewise; else it goes on after a compaction if that is how the parent ended. Older rows say neither:
then the parent was still at work, and has delegated.
"""

from collections.abc import Mapping
from typing import Any

from afterwit.agents import fields
from afterwit.agents.rows import column, native_id
from afterwit.model.kinds import Relation
from afterwit.model.readings import Facts, Spend, Usage
from afterwit.model.times import ms_from_any

_COMPACTED = "compression"
_BRANCHED = "branched"
_UNPRICED = ("unknown", "")
_DEAREST_USD = 1e6


def facts_of_row(session: str, row: Mapping[str, Any], parent_end: str) -> Facts:
    parent = native_id(row.get("parent_session_id"))
    return Facts(
        session=session,
        at_ms=ms_from_any(row.get("started_at")),
        cwd=fields.text(row, "cwd", "git_repo_root"),
        branch=fields.text(row, "git_branch"),
        title=fields.text(row, "title"),
        parent=parent,
        relation=relation_of(row, parent_end) if parent else None,
        origin=fields.text(row, "source"),
        provider=fields.text(row, "billing_provider"),
    )


def relation_of(row: Mapping[str, Any], parent_end: str) -> Relation:
    config = column(row, "model_config")
    config = config if isinstance(config, dict) else {}
    if row.get("source") == "subagent" or config.get("_delegate_from"):
        return Relation.SUBAGENT
    if config.get("_branched_from") or parent_end == _BRANCHED:
        return Relation.FORK
    return Relation.RESUME if parent_end == _COMPACTED else Relation.SUBAGENT


def facts_of_snapshot(session: str, head: Mapping[str, Any]) -> Facts:
    """The times are local and without a zone; they are taken as UTC."""
    return Facts(
        session=session,
        at_ms=ms_from_any(head.get("session_start")),
        origin=fields.text(head, "platform"),
    )


def spend_of(session: str, key: str, row: Mapping[str, Any]) -> Spend | None:
    """A running total: of a session, or of one model in it."""
    usage = Usage(
        input=fields.tokens(row, "input_tokens"),
        cache_read=fields.tokens(row, "cache_read_tokens"),
        cache_write=fields.tokens(row, "cache_write_tokens"),
        output=fields.tokens(row, "output_tokens"),
        reasoning=fields.tokens(row, "reasoning_tokens"),
    )
    if usage == Usage():
        return None
    at_ms = ms_from_any(row.get("last_seen")) or ms_from_any(row.get("started_at"))
    model = fields.text(row, "model")
    return Spend(session=session, key=key, model=model, usage=usage, at_ms=at_ms, cost_usd=_cost(row))


def _cost(row: Mapping[str, Any]) -> float | None:
    actual, estimated = fields.number(row, "actual_cost_usd"), fields.number(row, "estimated_cost_usd")
    cost = actual or (None if fields.text(row, "cost_status") in _UNPRICED else estimated)
    return float(cost) if cost is not None and 0 <= cost < _DEAREST_USD else None
