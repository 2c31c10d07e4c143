"""Which files are databases of one kind: told by name, with the files that SQLite keeps beside them."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath

import apsw

from afterwit.sources.discovery import Found
from afterwit.sources.foreign_sqlite import reading
from afterwit.sources.gathering import is_rendering

_BESIDE = ("-wal", "-journal")


class DatabaseFiles:
    """The part of `gathering.Gatherer` that is the same for all databases. `names` is a pattern for the file's name."""

    def __init__(self, names: str) -> None:
        self._names = re.compile(names)

    def collection(self, path: PurePosixPath) -> PurePosixPath | None:
        name = path.name
        for ending in _BESIDE:
            name = name.removesuffix(ending)
        return path.with_name(name) if self._names.fullmatch(name) else None

    def renders(self, path: PurePosixPath) -> bool:
        return is_rendering(path) and self._names.fullmatch(path.parent.name) is not None

    def sessions(self, home: Path, collection: PurePosixPath, files: Sequence[Found]) -> list[Found]:
        mtime_ns = max((found.mtime_ns for found in files), default=0)
        return reading(home / collection, self._listing(collection, mtime_ns))

    def _listing(self, collection: PurePosixPath, mtime_ns: int) -> Callable[[apsw.Connection], list[Found]]:
        """What lists the sessions of an open database."""
        raise NotImplementedError
