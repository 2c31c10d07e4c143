"""Walks through what waits for a person, the most useful first, and does what they answer.

Asked about is what no session hears before a person has decided. Notes that are told as a guess already, after the very
failure or among the rules of a repository, need nobody; neither do those that the instructions of the repository say
already. Of two notes that contradict each other both are asked about, whatever they are told as. Every answer is a
decision as any command makes it, kept at once: whoever stops in the middle loses nothing.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec

from afterwit.config.world import World
from afterwit.curation.curate import edit, judge
from afterwit.curation.undo import past, undo
from afterwit.decisions.decided import DecisionKind, ItemChanges
from afterwit.knowledge.list import ItemFilter, contradicting, listed, shown
from afterwit.knowledge.listeners import who_listens
from afterwit.model.errors import UsageError
from afterwit.model.knowledge import Channel, Item, ItemStatus
from afterwit.recall.recall import stories
from afterwit.recall.situation import expected
from afterwit.recall.told import ToldWhen, told_when
from afterwit.store.store import readonly_database

WAITING = (ItemStatus.CANDIDATE, ItemStatus.QUARANTINED)
_ANY = ItemFilter()


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


class ReviewTally(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the notes of one review."""

    approved: int
    rejected: int
    edited: int
    skipped: int
    left: int


def waiting(world: World, wanted: ItemFilter = _ANY, *, is_all: bool = False) -> WaitingNotes:
    """What waits and fits. `is_all`: also what is told already as a guess, or stands in instruction files."""
    held = listed(world, wanted._replace(statuses=WAITING)).items
    everything = [*held, *contradicting(world, wanted._replace(statuses=(ItemStatus.ACTIVE,)))]
    told = told_when(world, everything)
    with readonly_database(world.layout) as db:
        counts = stories(db)
    asked = [
        item for item in everything if is_all or item.contradicts or (item.id not in told and not _is_settled(item))
    ]
    ordered = sorted(asked, key=lambda item: (item.channel is not Channel.USER, -expected(item, counts), item.id))
    return WaitingNotes(ordered, told, len(everything) - len(asked))


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
        self._answers: list[tuple[str, ReviewAnswer, bool]] = []  # with whether anything was decided by it

    @property
    def tally(self) -> ReviewTally:
        counts = {answer: sum(given is answer for _, given, _ in self._answers) for answer in ReviewAnswer}
        return ReviewTally(**{str(answer): count for answer, count in counts.items()}, left=len(self._queue))

    def next_note(self) -> Item | None:
        """The note to ask about. One that waits no longer, because of another answer, is passed over."""
        while self._queue:
            item = _present(self._world, self._queue[0])
            if item is not None and item.status in WAITING:
                return item
            self._queue.pop(0)
        return None

    def approve(self) -> None:
        self._judge(DecisionKind.APPROVE, ReviewAnswer.APPROVED)

    def reject(self) -> None:
        self._judge(DecisionKind.REJECT, ReviewAnswer.REJECTED)

    def edit(self, sentence: str) -> None:
        """Gives the note these words, and approves it with them. Raises where they are not fit."""
        done = edit(self._world, self._queue[0], ItemChanges(sentence=sentence))
        if done.has_changed:
            self._answered(ReviewAnswer.EDITED, is_decided=True)
        else:
            self.approve()

    def skip(self) -> None:
        self._answered(ReviewAnswer.SKIPPED, is_decided=False)

    def undo(self) -> bool:
        """Takes the last answer of this review back, so that its note is next again; False where there is none."""
        if not self._answers:
            return False
        name, _, is_decided = self._answers[-1]
        if is_decided:
            undo(self._world, _number_of(self._world, name))
        self._answers.pop()
        self._queue.insert(0, name)
        return True

    def _judge(self, decision: DecisionKind, answer: ReviewAnswer) -> None:
        (done,) = judge(self._world, decision, [self._queue[0]])
        self._answered(answer, is_decided=done.has_changed)

    def _answered(self, answer: ReviewAnswer, *, is_decided: bool) -> None:
        self._answers.append((self._queue.pop(0), answer, is_decided))


def approve_all(world: World, notes: Sequence[Item]) -> int:
    """Approves all of them as one decision, which one `undo` takes back; how many became active."""
    done = judge(world, DecisionKind.APPROVE, [item.id for item in notes]) if notes else []
    return sum(judged.has_changed for judged in done)


def _number_of(world: World, name: str) -> int:
    """The entry of the latest decision about an item that stands."""
    decisions = (decision for decision in past(world, 0) if decision.item == name and not decision.is_undone)
    latest = next(decisions, None)
    if latest is None:
        raise UsageError(f"The decision about {name} was undone already. `afterwit knowledge undo --list` shows it.")
    return latest.number


def _present(world: World, name: str) -> Item | None:
    try:
        return shown(world, name)
    except UsageError:
        return None
