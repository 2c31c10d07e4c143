"""How long work tells whoever watches how far it is."""

from typing import Protocol


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
