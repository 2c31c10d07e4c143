"""The notes of a backtest on disk: written session by session, so that a run that was stopped can be gone on with.

While a run is under way its notes are in `NAME.part`, one line per session; when it is complete they become one file
per player, one note per line, in the form that an outside examiner reads: sessions by the name of their file, and only
those that have a file of their own. A part that belongs to other sessions or other players is begun anew.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

import msgspec

from afterwit.measure.replay import Notes, Outline, Played, PlayerNote
from afterwit.model.errors import UsageError
from afterwit.store.atomic import READABLE, replace_file
from afterwit.store.regular_files import read_regular

_MARKS = ("{strategy}", "{player}")  # in a file's name; the second is of earlier versions


class _Head(msgspec.Struct):
    mark: str


class _Page(msgspec.Struct):
    session: str
    notes: dict[str, list[PlayerNote]]


class Notebook:
    """Keeps nothing."""

    def open(self, mark: str) -> None:
        """The run begins; `mark` tells it from others."""

    def noted(self, outline: Outline) -> Notes | None:
        """What an earlier run noted for this session, or None."""
        del outline
        return None

    def put(self, played: Played) -> None:
        """A session was played."""

    def close(self) -> None:
        """All sessions were played."""


class NotesFile(Notebook):
    """Keeps the notes in files: `path` for one player; for several, `{strategy}` in the name stands for each."""

    def __init__(self, path: Path, players: Iterable[str], own_files: frozenset[str]) -> None:
        self._paths = _paths(path, list(players))
        self._part = path.with_name(f"{path.name}.part")
        self._own_files = own_files
        self._pages: dict[str, Notes] = {}
        self._file: BinaryIO | None = None

    def open(self, mark: str) -> None:
        kept = _read(self._part, mark)
        self._pages = {page.session: page.notes for page in kept}
        replace_file(self._part, b"".join(map(_line, [_Head(mark), *kept])), READABLE, is_durable=False)
        self._file = self._part.open("ab")

    def noted(self, outline: Outline) -> Notes | None:
        return self._pages.get(outline.here.session)

    def put(self, played: Played) -> None:
        session = played.outline.here.session
        if session not in self._pages:
            self._pages[session] = played.notes
            self._write(_Page(session, played.notes))

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        for player, path in self._paths.items():
            replace_file(path, b"".join(self._lines(player)), READABLE, is_durable=False)
        self._part.unlink(missing_ok=True)

    def _write(self, value: object) -> None:
        assert self._file is not None
        self._file.write(_line(value))
        self._file.flush()

    def _lines(self, player: str) -> Iterable[bytes]:
        for session, notes in self._pages.items():
            if session not in self._own_files:
                continue
            for note in notes.get(player, ()):
                yield _line(msgspec.structs.replace(note, session=examined_as(session)))


def _line(value: object) -> bytes:
    return msgspec.json.encode(value) + b"\n"


def examined_as(native_id: str) -> str:
    """The name of a session's file: the last part of its id."""
    return native_id.rpartition("/")[2]


def _paths(path: Path, players: list[str]) -> dict[str, Path]:
    if len(players) == 1:
        return {players[0]: path}
    mark = next((mark for mark in _MARKS if mark in path.name), None)
    if mark is None:
        raise UsageError(
            "For the notes of several strategies, write `{strategy}` into the file's name, or name one strategy."
        )
    return {player: path.with_name(path.name.replace(mark, player)) for player in players}


def _read(part: Path, mark: str) -> list[_Page]:
    """The whole pages of a run that was stopped, if it was this one."""
    try:
        lines = read_regular(part).split(b"\n")[:-1]
        head = msgspec.json.decode(lines[0], type=_Head) if lines else None
        if head is None or head.mark != mark:
            return []
        return [msgspec.json.decode(line, type=_Page) for line in lines[1:]]
    except (FileNotFoundError, msgspec.DecodeError):
        return []
