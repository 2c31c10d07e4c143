"""What every target can do, and what is said where it cannot."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol

from afterwit.model.errors import BackupError


class Target(Protocol):
    """Named bytes somewhere. All methods raise BackupError where the place cannot be used."""

    @property
    def place(self) -> str:
        """For people."""

    @property
    def leaves_machine(self) -> bool:
        """Whether what is put there is out of this machine's hands."""

    @property
    def keeps_at_once(self) -> bool:
        """Whether what is written is there at once, and not only when it is published."""

    @property
    def at_once(self) -> int:
        """How many may be read or written at the same time."""

    def names(self) -> dict[str, int | None]:
        """Everything of ours that is there, with its size where that is told."""

    def read(self, name: str, most_bytes: int) -> bytes | None:
        """None, where there is nothing of this name; at most one byte more than asked for."""

    def write(self, name: str, content: bytes) -> None:
        """Whole, or not at all."""

    def begin(self, name: str, content: bytes) -> bool:
        """Writes it where there is nothing of this name; False where there is."""

    def written_ms(self, name: str) -> int | None:
        """When it was written, by the clock of the target; None where that is not told."""

    def remove(self, names: Iterable[str]) -> None: ...

    def publish(self, message: str, *, is_pruned: bool = False) -> None:
        """Makes everything that was written and removed so far visible, where that is not so at once."""


@contextmanager
def told_as_failures(place: str, what: str) -> Iterator[None]:
    """Whatever a backend raises becomes an error of ours that names the place."""
    try:
        yield
    except BackupError:
        raise
    except Exception as error:
        said = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise BackupError(
            f"{what} {place} failed: {said}. The last complete backup is as it was. Check the place, then run the"
            " command again."
        ) from error
