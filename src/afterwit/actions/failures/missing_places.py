"""Whether an error says of a path that it is not there, or is no file.

Light enough for a hook: plain searches in texts, no patterns.
"""

from afterwit.text.standing_alone import place_alone

_WRONG = ("no such file", "does not exist", "is a directory", "eisdir", "not a directory")
_BEFORE = ("_", ".", "-")
_AFTER = ("_", ".", "/", "-")


def says_missing(error: str) -> bool:
    """Whether an error speaks of a wrong path at all."""
    lowered = error.lower()
    return any(words in lowered for words in _WRONG)


def names_missing(path: str, error: str) -> bool:
    """Whether an error speaks of this wrong path: by itself, and not as a piece of another."""
    return says_missing(error) and place_alone(path, error, _BEFORE, _AFTER) >= 0
