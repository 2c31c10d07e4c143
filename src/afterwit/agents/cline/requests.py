"""The requests of a task, from what its screen showed: tokens and cost of each, as JSON text in `api_req_started`."""

from typing import Any

import msgspec

from afterwit.agents import fields
from afterwit.model.readings import Spend, Usage
from afterwit.model.times import ms_from_any


def requests_of(raw: bytes, session: str, model: str) -> list[Spend]:
    """What each request used. Nothing, where the file is missing or damaged."""
    try:
        shown = msgspec.json.decode(raw, type=list[Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return []
    found = [_request(each, session, model) for each in shown if isinstance(each, dict)]
    return [spend for spend in found if spend is not None]


def _request(shown: dict[str, Any], session: str, model: str) -> Spend | None:
    if shown.get("say") != "api_req_started":
        return None
    said = fields.decoded_text(fields.text(shown, "text"))
    said = said if isinstance(said, dict) else {}
    usage = Usage(
        input=fields.tokens(said, "tokensIn"),
        cache_read=fields.tokens(said, "cacheReads"),
        cache_write=fields.tokens(said, "cacheWrites"),
        output=fields.tokens(said, "tokensOut"),
    )
    if usage == Usage():
        return None
    at_ms = ms_from_any(shown.get("ts"))
    cost = fields.number(said, "cost")
    return Spend(
        session=session,
        key=f"{session}:request:{at_ms}",
        model=model,
        usage=usage,
        at_ms=at_ms,
        cost_usd=float(cost) if cost is not None and cost > 0 else None,
    )
