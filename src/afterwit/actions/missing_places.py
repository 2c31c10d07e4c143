"""Whether an error says of a path that it is not there, or is no file.

Light enough for a hook: plain searches in texts, no patterns.
"""

_WRONG = ("no such file", "does not exist", "is a directory", "eisdir", "not a directory")
_BEFORE = ("_", ".", "-")
_AFTER = ("_", ".", "/", "-")


def says_missing(error: str) -> bool:
    """Whether an error speaks of a wrong path at all."""
    lowered = error.lower()
    return any(words in lowered for words in _WRONG)


def names_missing(path: str, error: str) -> bool:
    """Whether an error speaks of this wrong path: by itself, and not as a piece of another."""
    return says_missing(error) and _stands_alone(path, error)


def _stands_alone(path: str, text: str) -> bool:
    at = text.find(path)
    while at >= 0:
        before, after = text[max(0, at - 1) : at], text[at + len(path) : at + len(path) + 1]
        if not (before.isalnum() or before in _BEFORE or after.isalnum() or after in _AFTER):
            return True
        at = text.find(path, at + 1)
    return False
