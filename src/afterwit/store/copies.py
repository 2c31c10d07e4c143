"""Copies of the databases of a store while others use them, and other parts put in the place of those of a store, so
that at every instant it is known which of them count.

Copies go through SQLite's own backup interface, which keeps pages where they are. New parts lie ready in a folder
beside, whole and durable; what is to be moved is written down, the parts of now are moved aside and the new ones into
their places, then the note is removed. A run that was stopped is ended by the next. Nothing is deleted.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import apsw
import msgspec

from afterwit.model.errors import DamagedError
from afterwit.store.atomic import PRIVATE, replace_file, step, sync
from afterwit.store.checks import content_hash
from afterwit.store.database import connect_readonly, is_damage, release_database, translate_error
from afterwit.store.layout import Layout
from afterwit.store.regular_files import read_regular
from afterwit.store.rows.sessions import count_sessions

_BESIDE = ("-wal", "-shm", "-journal")


class Replacement(msgspec.Struct, frozen=True, kw_only=True):
    """What is under way. Folders are named below the store's own."""

    ready: str  # the folder with the new parts
    aside: str  # the folder for those of now
    leaving: tuple[str, ...]  # parts that were there at the beginning
    coming: tuple[str, ...]


def replace_parts(layout: Layout, ready: Path, aside: Path, parts: Sequence[str]) -> None:
    """All of these parts: those that are not ready are gone afterwards. The caller holds the lease."""
    try:
        with _nobody_inside(layout):
            names = [name for part in parts for name in (part, *(f"{part}{ending}" for ending in _BESIDE))]
            replacement = Replacement(
                ready=str(ready.relative_to(layout.root)),
                aside=str(aside.relative_to(layout.root)),
                leaving=tuple(name for name in names if os.path.lexists(layout.root / name)),
                coming=tuple(name for name in names if os.path.lexists(ready / name)),
            )
            step("new parts of the store are ready")
            replace_file(layout.replacing, msgspec.json.encode(replacement))
            _finish(layout, replacement)
    except (OSError, apsw.Error) as error:
        raise translate_error(error, layout.root) from error


def finish_replacing(layout: Layout) -> bool:
    """Ends what a killed run began. Whether there was anything. The caller holds the lease."""
    replacement = _under_way(layout)
    if replacement is None:
        return False
    try:
        _finish(layout, replacement)
    except OSError as error:
        raise translate_error(error, layout.root) from error
    return True


def _finish(layout: Layout, replacement: Replacement) -> None:
    """All parts leave before the first comes: so one that is not aside yet is the one of before."""
    ready, aside = layout.root / replacement.ready, layout.root / replacement.aside
    step("it is written down which parts of the store are replaced")
    aside.mkdir(mode=0o700, parents=True, exist_ok=True)  # not before: an empty one could be taken for a store
    sync(aside.parent)
    for name in replacement.leaving:
        if not os.path.lexists(aside / name):
            (layout.root / name).rename(aside / name)
            step("a part of the store is set aside")
    for name in replacement.coming:
        if os.path.lexists(ready / name):
            (ready / name).rename(layout.root / name)
            step("a part of the store is put in its place")
    sync(aside)
    sync(layout.root)
    layout.replacing.unlink()
    sync(layout.root)
    shutil.rmtree(ready, ignore_errors=True)


def _under_way(layout: Layout) -> Replacement | None:
    try:
        return msgspec.json.decode(read_regular(layout.replacing), type=Replacement)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise DamagedError(
            f"{layout.replacing} cannot be read ({error}), so that a restore cannot be ended. Its two sets of parts lie"
            f" in {layout.backups}."
        ) from error


@contextmanager
def _nobody_inside(layout: Layout) -> Iterator[None]:
    """Raises BusyError where another program has a database open. One that is damaged is not asked."""
    with ExitStack() as stack:
        for place in (layout.database, layout.journal):
            if not place.is_file():
                continue
            try:
                connection = stack.enter_context(release_database(place))
            except apsw.Error as error:
                if not is_damage(error):
                    raise
            else:
                if os.name == "nt":  # where a file that is open cannot be moved
                    connection.close()
        yield


_PAGES_AT_ONCE = 10_000


class CopiedFacts(NamedTuple):
    """What a copied database says of itself."""

    sessions: int
    content_hash: str


def copy_database(source: Path, copy: Path) -> None:
    """A consistent copy, in a new file."""
    try:
        copy.touch(mode=PRIVATE, exist_ok=False)
        with closing(connect_readonly(source)) as db, closing(apsw.Connection(str(copy))) as into:
            into.pragma("synchronous", "off")
            with into.backup("main", db, "main") as backup:
                while not backup.done:
                    backup.step(_PAGES_AT_ONCE)
            into.pragma("journal_mode", "delete")
    except (apsw.Error, OSError) as error:
        raise translate_error(error, copy) from error


def facts_of_copy(copy: Path) -> CopiedFacts:
    """Raises where the copy, and so the database, is damaged."""
    with closing(connect_readonly(copy)) as db:
        try:
            fault = db.execute("PRAGMA quick_check(1)").get
            if fault == "ok":
                return CopiedFacts(count_sessions(db), content_hash(db))
        except apsw.Error as error:
            raise translate_error(error, copy) from error
    raise DamagedError(
        f"The database is damaged ({fault}), and is not backed up so. `afterwit store rebuild` makes it again."
    )


def machine_of_copy(copy: Path) -> str:
    """Whose journal it is."""
    with closing(connect_readonly(copy)) as db:
        row = db.execute("SELECT id FROM machine").fetchone()
        return str(row[0]) if row else ""
