"""Walks through what a person should look at, and does what they answer: first what is told and nobody looked at.

Notes in use that no person has decided about come first, because agents go by them already. Then comes what waits, the
most useful first: what no session hears before a person has decided. Notes that are told as a guess already, after the
very failure or among the rules of a repository, need nobody; neither do those that the instructions of the repository
say already. Of two notes that contradict each other both are asked about, whatever they are told as. Every answer is a
decision as any command makes it, kept at once: whoever stops in the middle loses nothing.

An audit says how much of what is known is junk, by the verdicts of a reader on a random sample. The sample depends on
the seed and the items alone, so that a second reader can judge the same one blind. Verdicts change no item.
"""

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec

from afterwit.config.world import World
from afterwit.engine.curation.curate import decision_desk, edit, judge
from afterwit.engine.curation.undo import past, undo
from afterwit.knowledge.door.list import ItemFilter, all_items, find_item, items_in_conflict, listed, shown
from afterwit.knowledge.door.listeners import who_listens
from afterwit.knowledge.gate import NEEDS_A_PERSON
from afterwit.model.errors import UsageError
from afterwit.model.figures import Proportion
from afterwit.model.knowledge import PERSON, Channel, Item, ItemStatus, ScopeKind
from afterwit.recall.recall import stories
from afterwit.recall.situation import expected
from afterwit.recall.told import ToldWhen, told_when
from afterwit.recall.trial import past_digests, times_fired
from afterwit.store.decisions import DecisionKind, ItemChanges, KnowledgeEntry
from afterwit.store.store import readonly_database

WAITING = (ItemStatus.CANDIDATE, ItemStatus.QUARANTINED)
_ANY = ItemFilter()
_MOST_UNSEEN = 500  # notes in use that are looked through, the most believed


class ReviewAnswer(StrEnum):
    APPROVED = "approved"
    REJECTED = "rejected"
    EDITED = "edited"
    SKIPPED = "skipped"


class WaitingNotes(NamedTuple):
    """What waits: to be asked about, and what needs nobody."""

    notes: list[Item]  # the most useful first
    told: dict[str, ToldWhen]
    needless: int = 0  # notes that wait and are not asked about
    unseen: Sequence[Item] = ()  # in use and told, and no person has decided about them; what was found alike together

    @property
    def everything(self) -> list[Item]:
        return [*self.unseen, *self.notes]


class ReviewTally(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the notes of one review."""

    approved: int
    rejected: int
    edited: int
    skipped: int
    left: int


def waiting(world: World, wanted: ItemFilter = _ANY, *, is_all: bool = False) -> WaitingNotes:
    """What a person should look at, and fits. `is_all`: also what is told already as a guess, or stands in instruction
    files."""
    held = listed(world, wanted._replace(statuses=WAITING)).items
    in_use = wanted._replace(statuses=(ItemStatus.ACTIVE,))
    everything = [*held, *items_in_conflict(world, in_use)]
    undecided = [item for item in listed(world, in_use, _MOST_UNSEEN).items if _is_open(item) and not item.contradicts]
    told = told_when(world, [*everything, *undecided])
    with readonly_database(world.layout) as db:
        counts = stories(db)
    asked = [
        item for item in everything if is_all or item.contradicts or (item.id not in told and not _is_settled(item))
    ]
    ordered = sorted(asked, key=lambda item: (*_urgency(item), -expected(item, counts), item.id))
    unseen = [item for item in undecided if item.id in told]
    unseen.sort(key=lambda item: (item.channel is not Channel.USER, item.harvester, -expected(item, counts), item.id))
    return WaitingNotes(ordered, told, len(everything) - len(asked), unseen)


def _urgency(item: Item) -> tuple[bool, bool]:
    """The user's own words come first, then what waits for nothing but a person's leave."""
    return item.channel is not Channel.USER, not item.reason.startswith(NEEDS_A_PERSON)


def count_uses(world: World, item: Item) -> tuple[int, int]:
    """In how many past sessions of its repository a note would have come up, and of how many."""
    if item.scope.kind is not ScopeKind.REPO or not item.triggers:
        return 0, 0
    with readonly_database(world.layout) as db:
        (times,), sessions, _ = times_fired([item.triggers], past_digests(db, item.scope.name))
    return times, sessions


def _is_open(item: Item) -> bool:
    """Whether it waits, or is in use without a person having had a say in it."""
    is_persons = item.is_decided or item.harvester == PERSON
    return item.status in WAITING or (item.status is ItemStatus.ACTIVE and not is_persons)


def _is_settled(item: Item) -> bool:
    """Whether the repository's own files have said what holds."""
    return item.is_known_to_host or item.is_denied


def of_user(world: World, notes: Sequence[Item]) -> list[Item]:
    """Those whose words are the user's own, and not somebody else's."""
    to = who_listens(world)
    return [item for item in notes if item.channel is Channel.USER and to.hears(item)]


class ReviewWalk:
    """One walk: which note is next, what was answered, and the way back."""

    def __init__(self, world: World, notes: Sequence[Item]) -> None:
        self._world = world
        self._queue = [item.id for item in notes]
        self._kinds = {item.id: (item.harvester, item.status is ItemStatus.ACTIVE) for item in notes}
        self._answers: list[tuple[list[str], ReviewAnswer, bool]] = []  # with whether anything was decided by it

    @property
    def tally(self) -> ReviewTally:
        counts = {
            answer: sum(len(names) for names, given, _ in self._answers if given is answer) for answer in ReviewAnswer
        }
        return ReviewTally(**{str(answer): count for answer, count in counts.items()}, left=len(self._queue))

    def next_note(self) -> Item | None:
        """The note to ask about. One that is open no longer, because of another answer, is passed over."""
        while self._queue:
            item = _present(self._world, self._queue[0])
            if item is not None and _is_open(item):
                return item
            self._queue.pop(0)
        return None

    def approve(self) -> None:
        self._judge(DecisionKind.APPROVE, ReviewAnswer.APPROVED, self._queue[:1])

    def reject(self) -> None:
        self._judge(DecisionKind.REJECT, ReviewAnswer.REJECTED, self._queue[:1])

    def approve_kind(self) -> None:
        """All that are left and were found like the next one, as one decision."""
        self._judge(DecisionKind.APPROVE, ReviewAnswer.APPROVED, self._open_alike())

    def reject_kind(self) -> None:
        self._judge(DecisionKind.REJECT, ReviewAnswer.REJECTED, self._open_alike())

    def edit(self, sentence: str) -> None:
        """Gives the note these words, and approves it with them. Raises where they are not fit."""
        done = edit(self._world, self._queue[0], ItemChanges(sentence=sentence))
        if done.has_changed:
            self._answered(ReviewAnswer.EDITED, self._queue[:1], is_decided=True)
        else:
            self.approve()

    def skip(self) -> None:
        self._answered(ReviewAnswer.SKIPPED, self._queue[:1], is_decided=False)

    def undo(self) -> bool:
        """Takes the last answer of this review back, so that its notes are next again; False where there is none."""
        if not self._answers:
            return False
        names, _, is_decided = self._answers[-1]
        if is_decided:
            undo(self._world, _number_of(self._world, names))
        self._answers.pop()
        self._queue[:0] = names
        return True

    def alike(self) -> list[str]:
        """Those left that were found like the next one, and are in use or wait as it does; itself among them."""
        return [name for name in self._queue if self._kinds[name] == self._kinds[self._queue[0]]]

    def _open_alike(self) -> list[str]:
        items = ((name, _present(self._world, name)) for name in self.alike())
        return [name for name, item in items if item is not None and _is_open(item)]

    def _judge(self, decision: DecisionKind, answer: ReviewAnswer, names: list[str]) -> None:
        done = judge(self._world, decision, names)
        self._answered(answer, names, is_decided=any(judged.has_changed for judged in done))

    def _answered(self, answer: ReviewAnswer, names: list[str], *, is_decided: bool) -> None:
        self._answers.append((names, answer, is_decided))
        self._queue = [name for name in self._queue if name not in names]


def approve_all(world: World, notes: Sequence[Item]) -> int:
    """Approves all of them as one decision, which one `undo` takes back; how many became active."""
    done = judge(world, DecisionKind.APPROVE, [item.id for item in notes]) if notes else []
    return sum(judged.has_changed for judged in done)


def _number_of(world: World, names: Sequence[str]) -> int:
    """The entry of the latest decision about one of these items that stands."""
    decisions = (decision for decision in past(world, 0) if decision.item in names and not decision.is_undone)
    latest = next(decisions, None)
    if latest is None:
        raise UsageError(f"What was decided about {', '.join(names)} was undone already: `knowledge undo --list`.")
    return latest.number


def _present(world: World, name: str) -> Item | None:
    try:
        return shown(world, name)
    except UsageError:
        return None


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
