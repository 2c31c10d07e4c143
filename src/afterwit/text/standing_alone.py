"""Where a path or an operand stands by itself in a text, and not as a piece of another.

What may not touch it is the caller's: an error puts quotes around a path, while in a command line they belong to the
word. Plain searches and no patterns, so that a hook can ask. Imports nothing.
"""


def place_alone(piece: str, text: str, before: tuple[str, ...], after: tuple[str, ...]) -> int:
    """Where the piece first stands with neither a letter, a digit nor one of these beside it; -1 where it does not."""
    at = text.find(piece)
    while at >= 0:
        end = at + len(piece)
        if _is_free(text[max(0, at - 1) : at], before) and _is_free(text[end : end + 1], after):
            return at
        at = text.find(piece, at + 1)
    return -1


def _is_free(neighbour: str, taken: tuple[str, ...]) -> bool:
    return not neighbour.isalnum() and neighbour not in taken
