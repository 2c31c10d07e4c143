"""One pass of a reading over the bytes of its file, whatever shape the file has.

`consumed` says where the next append begins. Documents and texts have no appends: they are read whole, every time, up
to the size at which a file is no transcript any more.
"""

from collections.abc import Iterator
from typing import BinaryIO

from afterwit.agents.protocol import FileReading, Shape
from afterwit.model.readings import Problem, Reading
from afterwit.sources.documents import read_document, read_text
from afterwit.sources.framing import Framing
from afterwit.sources.lines import whole_content, whole_lines


class Feeding:
    """Feeds a reading from a given place on."""

    def __init__(self, reading: FileReading, shape: Shape, start: int = 0) -> None:
        self._reading = reading
        self._shape = shape
        self.consumed = start

    def read(self, lines: BinaryIO) -> Iterator[Reading]:
        """All readings of these bytes, in order; what could not be unpacked or is too long comes last."""
        problems: list[Problem] = []
        if self._shape is Shape.LINES:
            yield from self._read_lines(lines, problems)
        else:
            yield from self._read_whole(lines, problems)
        yield from problems

    def _read_lines(self, lines: BinaryIO, problems: list[Problem]) -> Iterator[Reading]:
        framing = Framing(self._reading, self.consumed)
        yield from framing.read(whole_lines(lines, framing, problems))
        self.consumed = framing.consumed

    def _read_whole(self, lines: BinaryIO, problems: list[Problem]) -> Iterator[Reading]:
        raw = whole_content(lines, problems)
        if not problems:
            read = read_document if self._shape is Shape.DOCUMENT else read_text
            yield from read(self._reading, raw)
            self.consumed = len(raw)
