"""What a Copilot session used, told once although several records speak of it.

A message states its output tokens (until 1.0.68), a `session.usage_record` all tokens of one response (1.0.102), and
`session.shutdown` the sums of all models. A shutdown therefore adds only what no other record told. Its sums stand for
the whole session, resumes included; where they are smaller than what was told before, they stand for the last run only.
`inputTokens` includes what was read from and written to a cache, `outputTokens` includes reasoning.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from afterwit.agents import fields
from afterwit.model.readings import Usage


class Told(msgspec.Struct, array_like=True):
    """Tokens of one model that readings have told: in all, and up to the last shutdown."""

    total: Usage = Usage()
    before: Usage = Usage()


class Ledger(msgspec.Struct):
    """What was told of each model."""

    models: dict[str, Told] = {}

    def add(self, model: str, usage: Usage) -> None:
        told = self.models.setdefault(model, Told())
        told.total = _sum(told.total, usage, 1)

    def settle(self, metrics: Mapping[str, Any]) -> Iterator[tuple[str, Usage]]:
        """What a shutdown's sums add to what was told, by model."""
        for name, metric in metrics.items():
            model = fields.plain_id({"model": name}, "model")
            stated = usage_of(fields.mapping(metric, "usage")) if isinstance(metric, dict) else Usage()
            told = self.models.setdefault(model, Told())
            known = told.total if _covers(stated, told.total) else _sum(told.total, told.before, -1)
            rest = _sum(stated, known, -1)
            told.total = told.before = _sum(told.total, rest, 1)
            if rest != Usage():
                yield model, rest


def usage_of(stated: Mapping[str, Any]) -> Usage:
    read, written = fields.tokens(stated, "cacheReadTokens"), fields.tokens(stated, "cacheWriteTokens")
    return Usage(
        input=max(0, fields.tokens(stated, "inputTokens") - read - written),
        cache_read=read,
        cache_write=written,
        output=fields.tokens(stated, "outputTokens"),
        reasoning=fields.tokens(stated, "reasoningTokens"),
    )


def _covers(stated: Usage, told: Usage) -> bool:
    return stated.output >= told.output and stated.input + stated.cache_read >= told.input + told.cache_read


def _sum(one: Usage, other: Usage, sign: int) -> Usage:
    """The sum or the difference, never below nothing."""
    pairs = zip(msgspec.structs.astuple(one), msgspec.structs.astuple(other), strict=True)
    return Usage(*(min(max(0, first + sign * second), 10**15) for first, second in pairs))
