"""What a conversation of OpenHands used. Figures are sums since its beginning, and the largest of them counts.

Prompt tokens include those that were read from a cache or written to it. A cost of 0 says that no price was known.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from afterwit.agents import fields
from afterwit.model.readings import Spend, Usage


def so_far(metrics: Mapping[str, Any], session: str, model: str, *, usage_id: str = "all") -> Iterator[Spend]:
    """The sums by now."""
    tokens = fields.mapping(metrics, "accumulated_token_usage")
    read, written = fields.tokens(tokens, "cache_read_tokens"), fields.tokens(tokens, "cache_write_tokens")
    usage = Usage(
        input=max(fields.tokens(tokens, "prompt_tokens") - read - written, 0),
        cache_read=read,
        cache_write=written,
        output=fields.tokens(tokens, "completion_tokens"),
        reasoning=fields.tokens(tokens, "reasoning_tokens"),
    )
    cost = fields.number(metrics, "accumulated_cost")
    if usage != Usage() or cost:
        yield Spend(
            session=session,
            key=f"{session}:{usage_id}",
            model=fields.plain_id(metrics, "model_name") or fields.plain_id(tokens, "model") or model,
            usage=usage,
            cost_usd=float(cost) if cost is not None and cost > 0 else None,
        )
