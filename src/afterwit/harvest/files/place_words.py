"""What a session was about, in a few words: of its title, its task and the messages of its commits, most telling first.

A topic is one word, or two that stand side by side. A word tells more the more places it comes from. So many are kept
that those of an ordinary task all are: a topic must be known from the stories that changed other files too, or it
looks surer than it is. Words keep their endings, so that people can read them; `stemmed` gives what matching compares.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from afterwit.guard.placeholders import PLACEHOLDER
from afterwit.model.digest import Digest
from afterwit.text.words import words_of

MOST_WORDS = 60
MOST_PAIRS = 16
_IN_TITLE, _IN_SUBJECT, _IN_TASK, _FURTHER_DOWN = 3.0, 2.0, 2.0, 0.5
_TASK_CHARS = 400
_MOST_CHARS = 3_000
_MOST_SUBJECTS = 12
_TOKEN = re.compile(r"[A-Z]?[a-z][a-z0-9]+|[A-Z]{2,}[a-z0-9]*|[^\sA-Za-z0-9_.-]+|\.(?=\s)|\n")
_NO_WORDS = re.compile(rf"{PLACEHOLDER.pattern}|\b\w++://\S+|(?<!\S)[^\s@]++@\S+|```.*?(?:```|\Z)", re.DOTALL)
_FOLDERS = re.compile(r"(?<![\w@.~/-])(?:[\w@.~-]*+/)+(?=[\w@-]+\.\w+)")


class Topics(NamedTuple):
    words: tuple[str, ...] = ()  # the most telling first
    pairs: tuple[str, ...] = ()  # two words with a blank between


class _Source(NamedTuple):
    text: str
    weight: float


def topics_of(digest: Digest) -> Topics:
    """What a session was about."""
    words: defaultdict[str, float] = defaultdict(float)
    pairs: defaultdict[str, float] = defaultdict(float)
    for text, weight in _sources(digest):
        chain = _chain(text)
        for word in dict.fromkeys(filter(None, chain)):
            words[word] += weight
        for pair in dict.fromkeys(f"{one} {two}" for one, two in pairwise(chain) if one and two and one != two):
            pairs[pair] += weight
    for pair in pairs:
        pairs[pair] += sum(words[word] for word in pair.split())
    return Topics(_best(words, MOST_WORDS), _best(pairs, MOST_PAIRS))


@lru_cache(maxsize=8192)
def stemmed(word: str) -> str:
    """The form in which a word is compared; "" for one that says nothing."""
    found = words_of(word)
    return found[0] if len(found) == 1 else ""


def _sources(digest: Digest) -> Iterator[_Source]:
    task = _bare(digest.task[: 2 * _MOST_CHARS])
    yield _Source(_bare(digest.title), _IN_TITLE)
    yield _Source(task[:_TASK_CHARS], _IN_TASK)
    yield _Source(task[_TASK_CHARS:_MOST_CHARS], _FURTHER_DOWN)
    for publication in digest.publications[:_MOST_SUBJECTS]:
        yield _Source(_bare(publication.text.partition("\n")[0]), _IN_SUBJECT)


def _bare(text: str) -> str:
    """The text without addresses, blocks of code and the folders of paths."""
    return _FOLDERS.sub(" ", _NO_WORDS.sub(" ", text))


def _chain(text: str) -> list[str]:
    """The words in order, with "" where a sentence ends or a word says nothing."""
    return [token.lower() if stemmed(token) else "" for token in _TOKEN.findall(text)]


def _best(weights: Mapping[str, float], most: int) -> tuple[str, ...]:
    """The heaviest; of equals the first that was met."""
    return tuple(sorted(weights, key=lambda term: -weights[term])[:most])
