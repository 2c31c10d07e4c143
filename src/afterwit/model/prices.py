"""What a model's response cost, by list price.

The table is data: `prices.toml` beside this module, which says how patterns and rates are written, and the user's own
rates, which go before it. A model that no pattern fits has no price: None, never a guess. Subscriptions, batches and
discounts are not known here. Built from parsed tables; only `packaged` touches the file, which is part of the package.
"""

import datetime as dt
import tomllib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, NamedTuple

import msgspec

from afterwit.model.readings import Usage
from afterwit.model.settings import Rates
from afterwit.model.text import regex

_PER = 1_000_000
_LONGEST_NAME = 200
NAMELESS = "unknown"  # what patterns call the model of a response that names none
_WILD = regex(r"[*?[]")
_BEFORE_NAME = regex(r"(?:(?:apac|au|eu|global|jp|us)\.)?(?:amazon|anthropic|deepseek|moonshotai|openai|qwen)\.")
_AFTER_NAME = regex(
    r"(?:[-@](?:20\d{2}-?\d{2}-?\d{2}|\d{2}-20\d{2}|\d{2}-\d{2}|latest|preview|exp)|-v\d+(?::\d+)?|\[\w+\])+$"
)


class LongRates(Rates, frozen=True, kw_only=True):
    """Rates of a response whose prompt is longer than `above` tokens."""

    above: int


class LaterRates(Rates, frozen=True, kw_only=True):
    """Rates from a day on."""

    start: dt.date = msgspec.field(name="from")
    long: tuple[LongRates, ...] = ()


class Price(Rates, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The entry of one pattern."""

    long: tuple[LongRates, ...] = ()
    then: tuple[LaterRates, ...] = ()
    note: str = ""

    def rates(self, prompt_tokens: int, at_ms: int | None) -> Rates:
        """The rates of one response. Without a time the latest price counts."""
        day = dt.datetime.fromtimestamp(at_ms / 1000, tz=dt.UTC).date() if at_ms is not None else dt.date.max
        by_day = max((later for later in self.then if later.start <= day), key=lambda later: later.start, default=self)
        steps = [step for step in by_day.long if step.above < prompt_tokens]
        return max(steps, key=lambda step: step.above, default=by_day)


class _Entry(NamedTuple):
    pattern: str
    price: Price


class Prices:
    """Patterns of model names with their prices. Tables given first go before later ones."""

    def __init__(self, *tables: Mapping[str, Price]) -> None:
        self._tables = [
            sorted(
                (_Entry(_spell(name), price) for name, price in table.items()),
                key=lambda entry: (-len(entry.pattern), entry.pattern),
            )
            for table in tables
        ]
        self._by_model: dict[str, Price | None] = {}

    def price(self, model: str) -> Price | None:
        """The price of the longest pattern that fits, or None."""
        if model not in self._by_model:
            self._by_model[model] = self._search(model)
        return self._by_model[model]

    @cached_property
    def steps(self) -> tuple[int, ...]:
        """The lengths of prompts, in tokens, at which some price changes."""
        prices = [entry.price for table in self._tables for entry in table]
        long = [step for price in prices for step in price.long]
        later = [step for price in prices for by_day in price.then for step in by_day.long]
        return tuple(sorted({step.above for step in (*long, *later)}))

    def cost_usd(
        self, model: str, usage: Usage, at_ms: int | None = None, prompt_tokens: int | None = None
    ) -> float | None:
        """What one response cost; None if the model has no price. Some models cost more when the prompt is long: a sum
        over responses of one day needs `prompt_tokens`, the prompt of any of them, none of `steps` between them."""
        price = self.price(model)
        if price is None:
            return None
        prompt = usage.input + usage.cache_read + usage.cache_write if prompt_tokens is None else prompt_tokens
        rates = price.rates(prompt, at_ms)
        read = rates.input if rates.cache_read is None else rates.cache_read
        write = rates.input if rates.cache_write is None else rates.cache_write
        write_1h = write if rates.cache_write_1h is None else rates.cache_write_1h
        spent = usage.input * rates.input + usage.cache_read * read
        spent += (usage.cache_write - usage.cache_write_1h) * write + usage.cache_write_1h * write_1h
        return (spent + usage.output * rates.output) / _PER

    def _search(self, model: str) -> Price | None:
        names = _names(model)
        for table in self._tables:
            for pattern, price in table:
                if pattern in names or (
                    _WILD.search(pattern) is not None and any(fnmatchcase(name, pattern) for name in names)
                ):
                    return price
        return None


def price_list(own: Mapping[str, Rates] | None = None) -> Prices:
    """The packaged prices, with the user's own before them."""
    given = {
        name: Price(rates.input, rates.output, rates.cache_read, rates.cache_write, rates.cache_write_1h)
        for name, rates in (own or {}).items()
    }
    return Prices(given, load_packaged())


def parse_prices(tables: Mapping[str, Any]) -> dict[str, Price]:
    """Price entries from decoded TOML. Raises `msgspec.ValidationError` on any other shape."""
    return msgspec.convert(tables, dict[str, Price])


@cache
def load_packaged() -> Mapping[str, Price]:
    return parse_prices(tomllib.loads(files("afterwit.model").joinpath("prices.toml").read_text(encoding="utf-8")))


def _names(model: str) -> tuple[str, ...]:
    """The names under which a pattern may know the model: as it is, without its date, without its provider."""
    whole = model[:_LONGEST_NAME].strip().lower() or NAMELESS
    last = _BEFORE_NAME.sub("", whole.rpartition("/")[2], count=1)
    return tuple(dict.fromkeys(map(_spell, (whole, last, _AFTER_NAME.sub("", last)))))


def _spell(name: str) -> str:
    return name.lower().replace(".", "-")
