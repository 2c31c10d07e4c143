"""What several harvesters ask of a digest, one after the other, is made once."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from afterwit.model.digest import Digest

Look = TypeVar("Look")


def once_per_digest(look: Callable[[Digest], Look]) -> Callable[[Digest], Look]:
    """The same function; it remembers what it gave for the last digest."""
    last: list[tuple[Digest, Look]] = []

    @wraps(look)
    def remembered(digest: Digest) -> Look:
        if not last or last[0][0] is not digest:
            last[:] = [(digest, look(digest))]
        return last[0][1]

    return remembered
