"""Checks what a model says of notes by id: which say the same, which one replaces which, which contradict each other.

**It is believed as little as one that reads.** An id must have been sent and still stand. Notes are the same only if
they share their words, deny nothing that the other says, and no figure is lost; the one that is kept is never trusted
less than the others, whatever the model named. A note replaces another only if it was seen later and comes from
somebody who is trusted as far, and never one that a person stands behind: these two contradict each other. Of such both
stay, for a person to look at. Pure.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from afterwit.knowledge.belief import rank
from afterwit.knowledge.likeness import Meaning, alike, meaning
from afterwit.knowledge.whose_words import is_persons
from afterwit.model.knowledge import Category, Channel, Item
from afterwit.reader.answers import NoteClaims
from afterwit.reader.lines import SessionLine, Speaker
from afterwit.reader.support import share_of_words
from afterwit.store.decisions import RejectedProposal

VERSION = 2  # counts up when answers that are kept would be judged otherwise
_SHARED = 0.35  # of the words of one of two sentences that say the same
_ALIKE = 0.12  # of the words of both, commands and paths as one word; of all pairs fewer than 1 in 100 have both
_SAME_MATTER = 0.34  # of a note's words that another must hold, with its evidence, to replace it
_TOUCHING = 0.2  # of a note's words that one must hold to contradict it: that only asks a person to look
_MOST_CONTRADICTIONS = 10
_QUOTED = re.compile(r"[\"“]([^\"“”`]+)[\"”]")
_INSTEAD = re.compile(r"\b(?:rather than|instead of|in place of)\b", re.IGNORECASE)
_FIGURE = re.compile(r"(?<![\w.-])\d+(?:[.,:]\d+)*(?!\w)")


class Unsettled(StrEnum):
    """Why a claim about notes is not taken."""

    NOT_SENT = "not-sent"
    NOT_THERE = "not-there"
    NAMED_TWICE = "named-twice"
    OTHER_MATTER = "other-matter"
    OPPOSITE = "opposite"
    FIGURE_LOST = "figure-lost"
    NOT_LATER = "not-later"
    LESS_TRUSTED = "less-trusted"
    KEPT = "kept-by-a-person"

    @property
    def words(self) -> str:
        return _WORDS[self]


_WORDS = {
    Unsettled.NOT_SENT: "It names a note that was not sent.",
    Unsettled.NOT_THERE: "It names a note that is no longer in use.",
    Unsettled.NAMED_TWICE: "It names a note that it put into another group already.",
    Unsettled.OTHER_MATTER: "The notes share too few words to be about one matter.",
    Unsettled.OPPOSITE: "A note denies what the other says.",
    Unsettled.FIGURE_LOST: "A number would be lost that only the other note has.",
    Unsettled.NOT_LATER: "The note that would replace the other was not seen later.",
    Unsettled.LESS_TRUSTED: "The note that would replace the other is trusted less.",
    Unsettled.KEPT: "A person stands behind the note that would go.",
}


class SettledNotes(NamedTuple):
    """What of it holds, and what does not."""

    claims: NoteClaims
    rejected: tuple[RejectedProposal, ...]


def settle_claims(claims: NoteClaims, sent: Collection[str], items: Mapping[str, Item]) -> SettledNotes:
    """What of the claims holds. `items` are the notes as they stand now."""
    desk = _ClaimsDesk(sent, items)
    same = tuple(group for given in claims.same if len(group := desk.same(given)) > 1)
    replaced = tuple(pair for pair in claims.replaced if desk.replaces(*pair))
    clashing = dict.fromkeys((*desk.kept, *claims.contradict))
    contradict = tuple(pair for pair in tuple(clashing)[:_MOST_CONTRADICTIONS] if desk.contradict(*pair))
    return SettledNotes(NoteClaims(same, replaced, contradict), tuple(desk.rejected))


_Check = Callable[[Item, Item], Unsettled | None]


class _ClaimsDesk:
    """Where claims are checked, one after the other."""

    def __init__(self, sent: Collection[str], items: Mapping[str, Item]) -> None:
        self._sent = sent
        self._items = items
        self._heads: dict[str, str] = {}  # by note: the one that is kept of its group
        self.rejected: list[RejectedProposal] = []
        self.kept: list[tuple[str, str]] = []  # what would have replaced a person's words, for that person to look at

    def same(self, group: Sequence[str]) -> tuple[str, ...]:
        """The group without what does not belong to it, and with the most trusted first."""
        there = [name for name in group if self._is_free(name, group)]
        if len(there) < 2:
            return ()
        kept = max((self._items[name] for name in there), key=_trust)  # the first of those that are trusted equally
        others = [name for name in there if name != kept.id and self._holds("same", (kept.id, name), _why_not_same)]
        if others:
            self._heads |= dict.fromkeys((kept.id, *others), kept.id)
        return (kept.id, *others)

    def replaces(self, old: str, new: str) -> bool:
        return self._is_between(old, new, "replaced") and self._holds("replaced", (old, new), _why_not_replaced)

    def contradict(self, first: str, second: str) -> bool:
        return self._is_between(first, second, "contradict") and self._holds("contradict", (first, second), _why_apart)

    def _is_free(self, name: str, group: Sequence[str]) -> bool:
        why = Unsettled.NAMED_TWICE if name in self._heads else self._absence(name)
        if why is not None:
            self._refuse("same", (group[0], name) if name != group[0] else (name,), why)
        return why is None

    def _is_between(self, first: str, second: str, claim: str) -> bool:
        """Whether both are there, and are still two."""
        why = self._absence(first) or self._absence(second)
        if why is None and self._heads.get(first, first) == self._heads.get(second, second):
            why = Unsettled.NAMED_TWICE
        if why is not None:
            self._refuse(claim, (first, second), why)
        return why is None

    def _absence(self, name: str) -> Unsettled | None:
        if name not in self._sent:
            return Unsettled.NOT_SENT
        return None if name in self._items else Unsettled.NOT_THERE

    def _holds(self, claim: str, pair: tuple[str, str], check: _Check) -> bool:
        why = check(*(self._items[name] for name in pair))
        if why is not None:
            self._refuse(claim, pair, why)
        if why is Unsettled.KEPT:
            self.kept.append(pair)
        return why is None

    def _refuse(self, claim: str, names: Sequence[str], why: Unsettled) -> None:
        self.rejected.append(RejectedProposal(sentence=f"{claim}: {' '.join(names)}", reason=why))


def _why_not_same(kept: Item, other: Item) -> Unsettled | None:
    """Why one note does not say the same as the one that would be kept."""
    first, second = _meaning_of(kept), _meaning_of(other)
    if (kept.category is Category.QUESTION) != (other.category is Category.QUESTION) or kept.scope != other.scope:
        return Unsettled.OTHER_MATTER
    if max(_share(kept, other), _share(other, kept)) < _SHARED or alike(first, second) < _ALIKE:
        return Unsettled.OTHER_MATTER
    if _denies(first, second) or _denies(second, first):
        return Unsettled.OPPOSITE
    if not _figures(other) <= _figures(kept):
        return Unsettled.FIGURE_LOST
    return None


def _why_not_replaced(old: Item, new: Item) -> Unsettled | None:
    """Why a note does not replace another. What a person stands behind is replaced by nothing that only is later."""
    if new.channel is not Channel.USER and (old.channel is Channel.USER or rank(new.channel) < rank(old.channel)):
        return Unsettled.LESS_TRUSTED
    if _last_seen(new) <= _last_seen(old):
        return Unsettled.NOT_LATER
    if _share(old, new, has_excerpts=True) < _SAME_MATTER:
        return Unsettled.OTHER_MATTER
    return Unsettled.KEPT if is_persons(old) else None


def _why_apart(first: Item, second: Item) -> Unsettled | None:
    is_one_matter = max(_share(first, second), _share(second, first)) >= _TOUCHING
    return None if is_one_matter else Unsettled.OTHER_MATTER


def _trust(item: Item) -> tuple[bool, int, bool]:
    return item.is_decided, rank(item.channel), item.channel is Channel.USER


def _share(item: Item, other: Item, *, has_excerpts: bool = False) -> float:
    """Which share of a note's words another has; with its evidence, if that is to count."""
    excerpts = (piece.excerpt for piece in other.evidence if not piece.is_against) if has_excerpts else ()
    return share_of_words(item.sentence, [SessionLine(Speaker.NOTE, text) for text in (other.sentence, *excerpts)])


def _meaning_of(item: Item) -> Meaning:
    """What a note says. Messages that it quotes deny nothing; what is to be done instead of something does."""
    return meaning(_INSTEAD.sub("not", _QUOTED.sub(r"`\1`", item.sentence)))


def _denies(first: Meaning, second: Meaning) -> bool:
    """Whether the first denies what the second says, without denying anything like it."""
    for phrase in first.denied:
        stems = set(phrase.split())
        is_denied_too = any(stems.intersection(other.split()) for other in second.denied)
        if stems and stems <= set(second.words) and not is_denied_too:
            return True
    return False


def _figures(item: Item) -> set[str]:
    return set(_FIGURE.findall(item.sentence))


def _last_seen(item: Item) -> int:
    return max(times_seen_ms(item), default=0)


def times_seen_ms(item: Item) -> list[int]:
    """When it was seen to hold."""
    return [at_ms for piece in item.evidence if not piece.is_against and (at_ms := piece.at_ms or piece.session.at_ms)]
