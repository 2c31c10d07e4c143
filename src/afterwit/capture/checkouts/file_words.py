"""What a file of a repository is found by: the words of its contents, those of its path, and its name.

Identifiers are taken apart. A word stands out where it occurs often for the length of the file, or where something is
defined by it. Words that are numbers in disguise, or longer than people write, are left out. Pure.
"""

from collections import Counter

from afterwit.capture.checkouts.tree_words import NAME_MARK, PATH_MARK
from afterwit.model.text.definitions import definitions_in
from afterwit.model.text.words import words_of
from afterwit.redaction.markers import PLACEHOLDER

MOST_CHARS = 200_000  # of a file that are looked at
_LONGEST_WORD = 24
_MOST_DIGITS = 2
_MOST_DEFINITIONS = 200
_USUAL_WORDS = 600  # of a file
_OFTEN = 3.0  # times, in a file of that length


def terms_of(path: str, text: str) -> dict[str, bool]:
    """The terms under which a file is found, and whether each stands out in it. The text is redacted."""
    counts = Counter(words_of(PLACEHOLDER.sub(" ", text[:MOST_CHARS])))
    words = Counter({word: count for word, count in counts.items() if _is_word(word)})
    often = max(2.0, _OFTEN * (0.5 + 0.5 * words.total() / _USUAL_WORDS))
    defined = set(words_of(" ".join(definitions_in(text, _MOST_DEFINITIONS))))
    terms = {word: count >= often or word in defined for word, count in words.items()}
    terms |= {PATH_MARK + word: False for word in words_of(path)}
    return terms | {NAME_MARK + path.rpartition("/")[2].lower(): False}


def _is_word(word: str) -> bool:
    return len(word) <= _LONGEST_WORD and sum(letter.isdigit() for letter in word) <= _MOST_DIGITS
