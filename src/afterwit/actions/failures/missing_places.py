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


def _stands_alone(path: str, error: str) -> bool:
    at = error.find(path)
    while at >= 0:
        end = at + len(path)
        if _is_free(error[max(0, at - 1) : at], _BEFORE) and _is_free(error[end : end + 1], _AFTER):
            return True
        at = error.find(path, at + 1)
    return False


def _is_free(neighbour: str, taken: tuple[str, ...]) -> bool:
    return not neighbour.isalnum() and neighbour not in taken
