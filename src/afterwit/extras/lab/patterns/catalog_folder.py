"""The folder of the catalog: one file for each pattern, written whole or not at all.

A file is replaced only if it holds what was written here before. One that somebody changed or broke stops the decision
about its pattern before anything is decided, and is left alone by decisions about others.
"""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path

from afterwit.config.world import World
from afterwit.extras.lab.patterns.catalog import Catalog
from afterwit.extras.lab.patterns.catalog_file import file_hash, file_name, written
from afterwit.model.errors import PartlyDoneError, UsageError
from afterwit.store.atomic import PRIVATE, READABLE, replace_file, step
from afterwit.store.regular_files import read_regular


class FileState(StrEnum):
    CURRENT = "current"
    EARLIER = "earlier"  # ours, of an earlier version
    MISSING = "missing"
    CHANGED = "changed"  # by somebody else

    @property
    def in_words(self) -> str:
        """As people read it; nothing where all is well."""
        return _STATE_WORDS[self.value]


_STATE_WORDS = {"current": "", "earlier": "not up to date", "missing": "missing", "changed": "changed by hand"}


class CatalogFolder:
    """Files in the store are the user's alone; those in a folder of the user's are as readable as others there."""

    def __init__(self, world: World, named: Path | None = None) -> None:
        chosen = named or world.settings.patterns.catalog
        self.folder = chosen or world.layout.patterns
        self._mode = READABLE if chosen else PRIVATE
        self._folder_mode = 0o777 if chosen else 0o700

    def path(self, catalog: Catalog, own: str) -> Path:
        return self.folder / file_name(catalog.kind_of(own), own)

    def state(self, catalog: Catalog, own: str) -> FileState:
        """How the file of a pattern stands to what was decided."""
        content = self._content(catalog, own)
        if content is None:
            return FileState.MISSING
        if content == _expected(catalog, own):
            return FileState.CURRENT
        return FileState.EARLIER if catalog.has_written(own, file_hash(content)) else FileState.CHANGED

    def refuse_changed(self, catalog: Catalog, touched: Iterable[str]) -> None:
        """Raises where a file would be overwritten that somebody changed."""
        for own in touched:
            if own in catalog.ids and self.state(catalog, own) is FileState.CHANGED:
                path = self.path(catalog, own)
                raise UsageError(
                    f"{path} was changed by hand, and is not overwritten. `afterwit patterns edit {own} --from-file`"
                    " takes over what it says; or move it away, and the next decision writes it anew."
                )

    def content(self, catalog: Catalog, own: str) -> bytes:
        """What the file of a pattern holds. Raises where there is none."""
        content = self._content(catalog, own)
        if content is None:
            raise UsageError(f"{self.path(catalog, own)} is not there.")
        return content

    def write(self, catalog: Catalog, *, forced: Iterable[str] = ()) -> list[Path]:
        """Brings all files up to what was decided, but for those that somebody changed. `forced`: what these say was
        taken over. Returns those that were written or removed."""
        try:
            return list(self._write(catalog, frozenset(forced)))
        except OSError as error:
            raise PartlyDoneError(
                f"This is decided and recorded, but {error.filename or self.folder} could not be written"
                f" ({error.strerror or error}). The next decision about a pattern writes it."
            ) from error

    def _write(self, catalog: Catalog, forced: frozenset[str]) -> Iterator[Path]:
        self.folder.mkdir(mode=self._folder_mode, parents=True, exist_ok=True)
        for own in sorted(catalog.ids):
            path, expected, state = self.path(catalog, own), _expected(catalog, own), self.state(catalog, own)
            if state is FileState.CHANGED and own not in forced:
                continue
            if expected is None and state is not FileState.MISSING:
                path.unlink()
                yield path
            elif expected is not None and state is not FileState.CURRENT:
                replace_file(path, expected, self._mode)
                yield path
            step("a file of the catalog is written, others are not")

    def _content(self, catalog: Catalog, own: str) -> bytes | None:
        try:
            return read_regular(self.path(catalog, own))
        except FileNotFoundError:
            return None


def _expected(catalog: Catalog, own: str) -> bytes | None:
    """The file as it should be; None where every decision about the pattern was taken back."""
    history = catalog.history(own)
    return written(history[-1].entry, history).encode() if history else None


def file_hashes(catalog: Catalog, touched: Iterable[str]) -> dict[str, str]:
    """Hashes of the files that these patterns should have."""
    contents = {own: _expected(catalog, own) for own in touched}
    return {own: file_hash(content) for own, content in contents.items() if content is not None}
