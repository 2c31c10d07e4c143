"""The words that a task must hold for a statement to be about it.

Names come first (what stands in backticks, identifiers, words with a dash), then the longest of the other words. Two
are enough to be about something and few enough to be met. How a task is matched with them is up to recall.
"""

import re

from afterwit.harvest.stated.statements import salient
from afterwit.text.words import words_of

_MOST = 2
_NAME = re.compile(r"`([^`]{2,60})`|\b(\w+(?:[_.-]\w+)+|[a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w*)\b")


def topic_of(text: str) -> tuple[str, ...]:
    """At most two stemmed words."""
    telling = salient(text)
    named = [word for found in _NAME.finditer(text) for word in words_of(found[1] or found[2]) if word in telling]
    others = sorted(telling, key=lambda word: (-len(word), word))
    return tuple(dict.fromkeys([*named, *others]))[:_MOST]
