"""What a turn of Grok used, by model. The stated input includes what was read from the cache; costs are in ticks."""

from collections.abc import Iterator, Mapping
from typing import Any

from afterwit.agents import fields
from afterwit.agents.places import Place
from afterwit.model.readings import Spend, Usage

_TICKS_PER_USD = 10**10


def by_turn(usage: Mapping[str, Any], turn: str, model: str, place: Place) -> Iterator[Spend]:
    """The spends of one turn. The first has the turn's own key, also where the context's growth had told of it."""
    models = fields.mapping(usage, "modelUsage")
    rows = {name: fields.mapping(models, name) for name in models} or {model: usage}
    for number, (name, row) in enumerate(rows.items()):
        counted = _usage(row)
        if counted != Usage():
            ticks = fields.number(row, "costUsdTicks")
            yield Spend(
                session=place.session,
                key=f"{place.session}:{turn}" + (f":{name}" if number else ""),
                model=name,
                usage=counted,
                at_ms=place.at_ms,
                cost_usd=ticks / _TICKS_PER_USD if ticks is not None and ticks > 0 else None,
            )


def _usage(row: Mapping[str, Any]) -> Usage:
    cached = fields.tokens(row, "cachedReadTokens")
    return Usage(
        input=max(fields.tokens(row, "inputTokens") - cached, 0),
        cache_read=cached,
        output=fields.tokens(row, "outputTokens"),
        reasoning=fields.tokens(row, "reasoningTokens"),
    )
