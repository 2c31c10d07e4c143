"""Pieces of one archived file, read without unpacking the rest.

Where the frames lie is found once, and only as far as it is needed; the frame that was unpacked last stays at hand. So
many pieces of one file, asked for in the order in which they lie, cost little more than the frames that hold them.
"""

from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from types import TracebackType
from typing import Any, BinaryIO, Self

from afterwit.model.errors import DamagedError
from afterwit.store import frames
from afterwit.store.frames import Frame


class Held:
    """An archived file that is open. Close it, or use it in a `with`."""

    def __init__(self, name: str, file: BinaryIO) -> None:
        self._name = name
        self._file = file
        self._known: list[Frame] = []
        self._further = frames.walk(file)
        self._last: tuple[Frame, bytes] | None = None

    @cached_property
    def header(self) -> dict[str, Any]:
        return frames.read_header(self._file)

    def read(self, offset: int, length: int) -> bytes:
        """Some of the original bytes. Raises DamagedError where they are not all there."""
        if self.header.get("role") == frames.REMAINS:
            raise DamagedError(f"The archived file {self._name} holds its remains only; the original was dropped.")
        end = offset + length
        whole = b"".join(
            self._unpacked(frame)[max(0, offset - frame.offset) : end - frame.offset]
            for frame in self._frames(offset, end)
        )
        if len(whole) != length:
            raise DamagedError(f"The archived file {self._name} holds {len(whole)} of {length} bytes at {offset}.")
        return whole

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _frames(self, start: int, end: int) -> Iterator[Frame]:
        """The frames that hold bytes from `start` to before `end`."""
        while not self._known or self._known[-1].offset + self._known[-1].length < end:
            frame = next(self._further, None)
            if frame is None:
                break
            self._known.append(frame)
        first = bisect_right(self._known, start, key=_beginning) - 1
        for frame in self._known[max(0, first) :]:
            if frame.offset >= end:
                return
            yield frame

    def _unpacked(self, frame: Frame) -> bytes:
        if self._last is None or self._last[0] != frame:
            self._last = (frame, frames.unpack_at(self._file, frame))
        return self._last[1]


def _beginning(frame: Frame) -> int:
    return frame.offset
