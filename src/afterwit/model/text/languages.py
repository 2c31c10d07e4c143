"""Whether a sentence is written as somebody types: in English, or in words and letters that they use themselves.

A language shows in its short words, so those are compared, and not a dictionary: of the short words of a sentence most
must be English or stand in what was typed. Letters of other scripts must have been typed too. A word of two alphabets
that look alike is a disguise in every language. Pure.
"""

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from afterwit.model.text.patterns import regex

_WORD = regex(r"[^\W\d_]+")
_CODE = regex(r"`[^`]*`|[\"“][^\"“”]*[\"”]|\S{0,80}[/_=@]\S{0,80}|\w{1,40}\.\w{1,40}")
_ALIKE = frozenset("LATIN CYRILLIC GREEK ARMENIAN CHEROKEE COPTIC LISU FULLWIDTH MATHEMATICAL".split())  # noqa: SIM905
_SHORT = 3  # letters
_FEWEST = 3  # plain words that make a sentence
_ENGLISH = frozenset(
    """a about after all also always an and any are as at be because been before both but by can cannot did do does each
    else even every fails fail fix for from get had has have how if in instead into is it its just keep look make may
    more most must need needs never new no not now of off old on once one only or other out over own per put read run
    same see set so still such take than that the their them then there these they this those through to too try two
    under until up use used uses using via was way we were what when where which while will with without works you
    your""".split()  # noqa: SIM905
)
_ANYWHERE = frozenset(  # which every language has
    """api app cli dev log pr prs sql ssh tag ui url web test tests file files code commit branch error line git
    npm""".split()  # noqa: SIM905
)


def has_disguised_word(text: str) -> bool:
    """Whether a word mixes letters of alphabets that look alike."""
    return not text.isascii() and any(len(_scripts(word[0]) & _ALIKE) > 1 for word in _WORD.finditer(text))


def has_strange_letters(text: str, typed: Iterable[str]) -> bool:
    """Whether a word is in letters of a script that is neither Latin nor in what was typed."""
    if text.isascii():
        return False
    own = {"LATIN"}.union(*(_scripts(word[0]) for said in typed for word in _WORD.finditer(said)))
    words = (match[0] for match in _WORD.finditer(text) if not match[0].isascii())
    return any(strange if len(word) > 1 else strange & _ALIKE for word in words if (strange := _scripts(word) - own))


def is_of_another_language(sentence: str, typed: Iterable[str]) -> bool:
    """Whether most of a sentence is in a script or a language that is neither English nor in what was typed."""
    prose = _CODE.sub(" ", sentence)
    said = {word[0].lower() for text in typed for word in _WORD.finditer(text)}
    if has_strange_letters(prose, said):
        return True
    words = [word for match in _WORD.finditer(prose) if (word := match[0].lower()) not in _ANYWHERE]
    if 2 * sum(word in said for word in words) >= len(words):
        return False
    small = [word for word in words if len(word) <= _SHORT or word in _ENGLISH]
    usual = [word for word in small if word in _ENGLISH or word in said]
    return len(words) >= _FEWEST and (not usual or 2 * len(usual) < len(small))


@lru_cache(maxsize=1 << 14)
def _scripts(word: str) -> frozenset[str]:
    if word.isascii():
        return frozenset(("LATIN",))
    return frozenset(unicodedata.name(letter, "UNNAMED").split()[0] for letter in word)
