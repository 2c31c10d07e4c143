"""The labelled set: entries, and queries with the keys that answer them. Ships with the package."""

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib import resources

import msgspec

FIRST = 5


class Query(msgspec.Struct, frozen=True):
    text: str
    keys: tuple[str, ...]
    is_hard: bool = False  # shares no word with its answer


class LabelledSet(msgspec.Struct, frozen=True):
    entries: dict[str, str]
    queries: tuple[Query, ...]


class Relevance(msgspec.Struct, frozen=True):
    queries: int
    recall_at_5: float  # share of the answers that stand among the first five
    reciprocal_rank: float  # mean of 1 / place of the first answer
    plain_recall_at_5: float  # the same without the queries that share no word with their answer


@cache
def labelled_set() -> LabelledSet:
    text = resources.files("afterwit.memory.backends").joinpath("labelled.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), LabelledSet)


def relevance(queries: Sequence[Query], answers: Sequence[Sequence[str]]) -> Relevance:
    """How good the answers are: for each query the keys that were found, best first."""
    recalls = [_recall(query, found) for query, found in zip(queries, answers, strict=True)]
    ranks = [_reciprocal(query, found) for query, found in zip(queries, answers, strict=True)]
    plain = [recall for query, recall in zip(queries, recalls, strict=True) if not query.is_hard]
    return Relevance(len(queries), _mean(recalls), _mean(ranks), _mean(plain))


def _recall(query: Query, found: Sequence[str]) -> float:
    return len(set(query.keys) & set(found[:FIRST])) / len(query.keys)


def _reciprocal(query: Query, found: Sequence[str]) -> float:
    return next((1 / place for place, key in enumerate(found, start=1) if key in query.keys), 0.0)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
