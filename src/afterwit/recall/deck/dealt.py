"""The deck that is there, as far as the next one can be made out of it.

Only what lies there as it was written counts: the deck by its fingerprint, which the caller checks before, and its
parts by their sizes and times, because reading all of them would cost more than making one anew.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import apsw

from afterwit.recall.deck.reader import PARTS, VERSION, opened_immutable
from afterwit.store.marks import fingerprint


class DealtPart(NamedTuple):
    """A part, as the deck names it."""

    repo: str
    file: str  # ends with its fingerprint
    size_bytes: int = 0
    changed_ns: int = 0
    prompts: str = ""  # the mark of what its sessions and commits were read with

    def found_in(self, folder: Path) -> "DealtPart | None":
        """The part, if it lies there as it was written: a glance at its size and times is enough; where they are
        others, as in a store that was restored from a backup, it is read."""
        try:
            now = self.seen_in(folder)
        except OSError:
            return None
        return now if now == self or self.is_sound_in(folder) else None

    def seen_in(self, folder: Path) -> "DealtPart":
        """With the size and the time that it has now. The time is that of any change: nobody can turn it back."""
        about = (folder / self.file).lstat()
        return self._replace(size_bytes=about.st_size, changed_ns=about.st_ctime_ns)

    def is_sound_in(self, folder: Path) -> bool:
        """Whether it lies there byte for byte."""
        return fingerprint(folder / self.file) == self.file.removesuffix(".db").rpartition("-")[2]


class DealtMarks(NamedTuple):
    """What the lines and blocks of a repository were made from."""

    items: str = ""
    lines: str = ""
    blocks: str = ""
    stories: int = 0


class DealtDeck(NamedTuple):
    """What there is to go on from; nothing by default."""

    marks: Mapping[str, DealtMarks] = MappingProxyType({})
    named: Sequence[DealtPart] = ()
    parts: Mapping[str, DealtPart] = MappingProxyType({})  # those that are sound, by repository
    db: apsw.Connection | None = None

    def blocks(self, repo: str) -> list[tuple[str, str, str]]:
        query = "SELECT repo, agent, body FROM blocks WHERE repo = ?"
        rows = self.db.execute(query, (repo,)) if self.db is not None else ()
        return [(str(repo), str(agent), str(body)) for repo, agent, body in rows]

    def personal(self, repo: str) -> list[str]:
        rows = self.db.execute("SELECT item FROM personal WHERE repo = ?", (repo,)) if self.db is not None else ()
        return [str(item) for (item,) in rows]

    def rows(self, table: str) -> list[tuple[object, ...]]:
        return self.db.execute(f"SELECT * FROM {table}").fetchall() if self.db is not None else []  # noqa: S608


NOTHING_DEALT = DealtDeck()


def parts_folder(deck: Path) -> Path:
    return deck.with_name(PARTS)


@contextmanager
def dealt_deck(path: Path) -> Iterator[DealtDeck]:
    """The deck at this path; nothing where there is none of this version."""
    db = _opened(path)
    if db is None:
        yield NOTHING_DEALT
        return
    with closing(db):
        marks = {repo: DealtMarks(*row) for repo, *row in db.execute("SELECT * FROM dealt")}
        named = [DealtPart(*row) for row in db.execute("SELECT * FROM parts")]
        sound = (part.found_in(parts_folder(path)) for part in named)
        yield DealtDeck(marks, named, {part.repo: part for part in sound if part is not None}, db)


def _opened(path: Path) -> apsw.Connection | None:
    if not path.is_file():
        return None
    try:
        db = opened_immutable(str(path))
        if db.pragma("user_version") == VERSION:
            return db
        db.close()
    except apsw.Error:
        return None
    return None
