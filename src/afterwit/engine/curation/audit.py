"""Audits: how much of what is known is junk, by the verdicts of a reader on a random sample.

The sample depends on the seed and the items alone, so that a second reader can judge the same one blind. Verdicts are
journalled; they change no item. The rate comes with its interval.
"""

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum

import msgspec

from afterwit.config.world import World
from afterwit.engine.curation.curate import decision_desk
from afterwit.knowledge.door.list import all_items, find_item
from afterwit.model.errors import UsageError
from afterwit.model.figures import Proportion
from afterwit.model.knowledge import Item, ItemStatus
from afterwit.store.decisions import KnowledgeEntry
from afterwit.store.store import readonly_database


class AuditVerdict(StrEnum):
    """What a reader thinks of an item."""

    DURABLE = "durable"  # and useful
    DUPLICATE = "duplicate"
    RESTATED = "restated"  # says a prompt or an instruction file again
    MOMENTARY = "momentary"
    WRONG = "wrong"


SKIP = "skip"
JUNK = frozenset(AuditVerdict) - {AuditVerdict.DURABLE}


class Audit(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it."""

    seed: int
    active: int  # items there are
    verdicts: dict[str, str]  # by item
    counts: dict[str, int]  # by verdict
    judged: int
    junk: int
    junk_rate: float | None  # None: nothing was judged
    interval: tuple[float, float]  # of 95 %


def sample(world: World, size: int, seed: int) -> list[Item]:
    """Active items drawn at random; 0: all of them, in random order."""
    with readonly_database(world.layout) as db:
        active = _active(all_items(db))
    random.Random(seed).shuffle(active)  # noqa: S311 - a sample, no secret
    return active[:size] if size else active


def record(world: World, words: Mapping[str, str], seed: int) -> Audit:
    """Journals verdicts, by item. Names of no item are refused before anything is noted."""
    with decision_desk(world) as desk:
        by_item = {find_item(desk.store.db, name): _verdict(name, word) for name, word in words.items()}
        verdicts = {item.id: verdict for item, verdict in by_item.items() if verdict is not None}
        desk.note(*((KnowledgeEntry.JUDGED, {"item": item, "verdict": verdict}) for item, verdict in verdicts.items()))
        return _audit(verdicts, seed, len(_active(all_items(desk.store.db))))


def verdicts_in(text: str) -> dict[str, str]:
    """Verdicts as people write them down: a JSON object, or lines like `3fa9c1d2e4b5 durable`; `#` begins a remark."""
    if text.lstrip().startswith("{"):
        try:
            return msgspec.json.decode(text, type=dict[str, str])
        except msgspec.DecodeError as error:
            raise UsageError(
                f'The verdicts cannot be read: {error}. They are like {{"3fa9c1d2e4b5": "durable"}}.'
            ) from error
    verdicts: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.partition("#")[0].split()
        if words and len(words) != 2:
            raise UsageError(f"Line {number} of the verdicts is not like `3fa9c1d2e4b5 durable`: {line.strip()[:60]}")
        if words:
            verdicts[words[0]] = words[1]
    return verdicts


def _verdict(name: str, word: str) -> AuditVerdict | None:
    if word == SKIP:
        return None
    try:
        return AuditVerdict(word)
    except ValueError:
        choices = ", ".join((*AuditVerdict, SKIP))
        raise UsageError(f"{word!r}, of {name}, is no verdict. Verdicts are: {choices}.") from None


def _active(items: Iterable[Item]) -> list[Item]:
    return sorted((item for item in items if item.status is ItemStatus.ACTIVE), key=lambda item: item.id)


def _audit(verdicts: Mapping[str, AuditVerdict], seed: int, active: int) -> Audit:
    counts = Counter(verdicts.values())
    junk = Proportion(sum(counts[verdict] for verdict in JUNK), len(verdicts))
    low, high = junk.interval
    return Audit(
        seed=seed,
        active=active,
        verdicts={item: str(verdict) for item, verdict in sorted(verdicts.items())},
        counts={str(verdict): counts[verdict] for verdict in AuditVerdict},
        judged=junk.of,
        junk=junk.hits,
        junk_rate=None if junk.share is None else round(junk.share, 4),
        interval=(round(low, 6), round(high, 6)),
    )
