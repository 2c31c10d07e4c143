"""Whether a later statement takes the place of an earlier one: the same matter, decided anew.

In several ways. The later one names what it puts aside ("Redis instead of Postgres", "we moved off npm"), the earlier
one was about that, and they share something else that tells. Or they share most of their telling words, or all but the
last word of their sentence, and the later one says that something changes, or denies what the other affirms. An agent
never overrules a user, and nobody changes somebody else's mind: what several said stays the word of the others. Where
it is in doubt both stay: a person sees both, and a wrong replacement would hide what holds.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from afterwit.harvest.stated.recurrence import StatedMatter, moment
from afterwit.harvest.stated.statements import salient
from afterwit.model.knowledge import Channel
from afterwit.text.patterns import regex

_SHARED = 2
_SAME_MATTER = 0.5
_SURELY_SAME_MATTER = 0.6
_PLACES = frozenset(("repo", "project", "codebase", "everywhere", "always", "now"))  # say nothing about a matter
_FRAME_WORD = regex(r"[\w`./@+'-]{1,40}")
_FILLERS = frozenset(("always", "please", "here", "now", "only", "just", "we", "you", "the", "our", "in", "on", "to"))
_ANEW = regex(
    r"\b(?:instead|no longer|rather|actually|after all|changed (?:my|our) minds?|switch\w*|back to|drop|revert"
    r"|not any ?more|replace[sd]?|from now on|going forward|outdated)\b",
    re.IGNORECASE,
)
_NAME = r"(?:the |our |using |old )?(?P<{}>[\w`./@+-]{{2,40}}(?: [\w`./@+-]{{2,40}})?)"
_PUT_ASIDE = regex(
    r"\b(?:instead of|rather than|no longer|no more|not|stop using|drop(?:ped|ping)?|ditch(?:ed|ing)?|retired?"
    r"|replac(?:e|es|ed|ing)|(?:mov|switch|migrat|chang)(?:e|ed|es|ing)? (?:off|away from|from)) "
    + _NAME.format("what")
    + r"|\b"
    + _NAME.format("gone")
    + r" is (?:gone|dead|out|history|deprecated)\b",
    re.IGNORECASE,
)
_PICKED = regex(
    r"\b(?:use|using|go(?:ing)? with|keep(?:ing)?|stick(?:ing)? (?:to|with)|switch(?:ing)? to|mov(?:e|ing) to|call"
    r"|chose|decided on)\s+"
    r"(?:the |a |an |our )?(?P<what>[`\w./@-]+)",
    re.IGNORECASE,
)


class LastWord(NamedTuple):
    """A matter, as far as those who said it have not changed their minds, and what it takes the place of."""

    matter: StatedMatter
    replaced: tuple[StatedMatter, ...]


def last_words(
    said: Sequence[StatedMatter], is_replaced_by: Callable[[StatedMatter, StatedMatter], bool]
) -> Iterator[LastWord]:
    """What was said, in order. `is_replaced_by(later, earlier)`: whether the one takes the place of the other."""
    left = [frozenset[str]() for _ in said]  # who said otherwise since, of several who said the same
    replaced: list[tuple[StatedMatter, ...]] = []
    for at, later in enumerate(said):
        gone = [number for number, earlier in enumerate(said[:at]) if is_replaced_by(later, earlier)]
        for number in gone:
            left[number] |= later.people
        whole = [number for number in gone if not later.people or said[number].people <= left[number]]
        replaced.append(tuple(said[number] for number in whole))
        for number in whole:
            left[number] -= later.people
    for matter, others, earlier in zip(said, left, replaced, strict=True):
        kept = [sighting for sighting in matter.sightings if sighting.session.user not in others]
        yield LastWord(matter._replace(sightings=kept), earlier)


def replaces(later: StatedMatter, earlier: StatedMatter) -> bool:
    """Whether the later decision decides the matter of the earlier one anew."""
    if not _may_replace(later, earlier) or not _is_same_matter(later, earlier, _SAME_MATTER):
        return False
    after, before = later.first.seen.excerpt, earlier.last.seen.excerpt
    return _says_so(later, earlier) or _picked(after) != _picked(before)


def takes_over(later: StatedMatter, earlier: StatedMatter) -> bool:
    """Whether a later standing word takes the place of an earlier one. It does so at once, so more is asked of it."""
    if not _may_replace(later, earlier):
        return False
    is_anew = _ANEW.search(later.first.seen.excerpt) is not None
    is_opposite = later.words == earlier.words and later.is_negative != earlier.is_negative
    if (is_anew or is_opposite) and _is_same_matter(later, earlier, _SURELY_SAME_MATTER):
        return True
    return (is_anew and _ends_otherwise(later, earlier)) or _puts_aside(later, earlier)


def _may_replace(later: StatedMatter, earlier: StatedMatter) -> bool:
    is_overruled = later.channel is not Channel.USER and earlier.channel is Channel.USER
    return not is_overruled and moment(later.first) > moment(earlier.last)


def _is_same_matter(later: StatedMatter, earlier: StatedMatter, share: float) -> bool:
    shared = later.words & earlier.words
    return len(shared) >= _SHARED and len(shared) >= share * min(len(later.words), len(earlier.words))


def _says_so(later: StatedMatter, earlier: StatedMatter) -> bool:
    return later.is_negative != earlier.is_negative or _ANEW.search(later.first.seen.excerpt) is not None


def _ends_otherwise(later: StatedMatter, earlier: StatedMatter) -> bool:
    """Whether both say the same but for their last word: "use npm here", "answer in German"."""
    after, before = (_frame(said) for said in (later.first.seen.excerpt, earlier.last.seen.excerpt))
    return len(after) > 1 and len(after) == len(before) and after[:-1] == before[:-1]


def _frame(text: str) -> list[str]:
    words = (word.strip(".") for word in _FRAME_WORD.findall(_ANEW.sub(" ", text).lower()))
    return [word for word in words if word and word not in _FILLERS]


def _puts_aside(later: StatedMatter, earlier: StatedMatter) -> bool:
    """Whether the later statement names what the earlier one was for."""
    refused = _singular(_put_aside(earlier.last.seen.excerpt))
    before = _singular(earlier.words) - refused - _PLACES
    aside = _singular(_put_aside(later.first.seen.excerpt)) & before
    shared = (_singular(later.words) & before) - aside
    return bool(aside) and (bool(shared) or not before - aside)


def _put_aside(text: str) -> frozenset[str]:
    names = (match["what"] or match["gone"] for match in _PUT_ASIDE.finditer(text))
    return frozenset(word for name in names for word in salient(name))


def _picked(text: str) -> frozenset[str]:
    picked = _PICKED.search(text)
    return salient(picked["what"]) if picked else frozenset()


def _singular(words: frozenset[str]) -> frozenset[str]:
    """Short words keep their plural when they are stemmed."""
    return frozenset(word[:-1] if word.endswith("s") and not word.endswith("ss") else word for word in words)
