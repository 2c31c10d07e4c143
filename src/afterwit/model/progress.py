"""How long work tells whoever watches how far it is."""

from collections.abc import Iterator, Sequence
from typing import Protocol, TypeVar

Work = TypeVar("Work")


class Progress(Protocol):
    """Whoever wants to watch."""

    def begin(self, files: int, total_bytes: int) -> None:
        """This much is to be done."""
        ...

    def advance(self, files: int, done_bytes: int) -> None:
        """This much more is done."""
        ...

    def stage(self, label: str, count: int, unit: str) -> None:
        """What was begun is done; so many of something else follow, and `advance` counts them."""
        ...


def in_batches(
    work: Sequence[Work], size: int, progress: Progress | None, label: str, unit: str
) -> Iterator[Sequence[Work]]:
    """The work of one stage in batches; when the next one is asked for, the last is done."""
    if progress is not None:
        progress.stage(label, len(work), unit)
    for start in range(0, len(work), size):
        batch = work[start : start + size]
        yield batch
        if progress is not None:
            progress.advance(len(batch), len(batch))
