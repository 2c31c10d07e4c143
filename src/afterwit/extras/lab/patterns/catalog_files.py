"""The folder of the catalog: one TOML file for each pattern, for people, git and code review.

Fields have one order and a line each, so that a change shows as a small difference. What a person may change in the
file itself is the title, the text, what it applies to and when it is shown.

A file is written whole or not at all, and replaced only if it holds what was written here before. One that somebody
changed or broke stops the decision about its pattern before anything is decided, and is left alone by others.
"""

import hashlib
import json
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path

import msgspec

from afterwit.config.world import World
from afterwit.extras.lab.patterns.catalog import Catalog, CatalogEntry, EntryVersion
from afterwit.model.errors import PartlyDoneError, UsageError
from afterwit.model.knowledge import EVERYWHERE
from afterwit.model.times import iso_from_ms
from afterwit.store.atomic import PRIVATE, READABLE, replace_file, step
from afterwit.store.regular_files import read_regular

_HEAD = "# Decided with `afterwit patterns`. To change it here, then: afterwit patterns edit {id} --from-file"
_DAY = len("2026-05-01")


class WrittenEntry(msgspec.Struct, frozen=True, kw_only=True):
    """What a person may have changed in a file."""

    id: str
    title: str
    text: str
    applies_to: str
    shown_when: tuple[str, ...] = ()


def file_name(kind: str, own: str) -> str:
    return f"{kind or 'pattern'}-{own}.toml"


def file_hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def entry_text(entry: CatalogEntry, history: Sequence[EntryVersion] = ()) -> str:
    """The file of a pattern."""
    return "\n".join((_HEAD.format(id=entry.id), *_lines(entry, history), ""))


def _lines(entry: CatalogEntry, history: Sequence[EntryVersion]) -> Iterator[str]:
    for name in ("id", "version", "status", "kind", "side", "title", "text"):
        yield f"{name} = {_text(getattr(entry, name))}"
    yield f"applies_to = {_text(in_words(entry.scope))}"
    yield f"shown_when = {_list(entry.triggers)}"
    if entry.made_from:
        yield f"made_from = {_list(entry.made_from)}"
    if entry.became:
        yield f"became = {_list(entry.became)}"
    for piece in entry.evidence:
        yield from ("", "[[evidence]]", f"hash = {_text(piece.hash)}", f"agent = {_text(piece.agent)}")
        yield f"session = {_text(piece.session)}"
        if piece.repo:
            yield f"repo = {_text(piece.repo)}"
        if piece.step is not None:
            yield f"step = {piece.step}"
        yield f"date = {_text(_day(piece.at_ms))}"
        yield f"excerpt = {_text(piece.excerpt)}"
    for version in history:
        yield from (
            "",
            "[[history]]",
            f"version = {_text(version.entry.version)}",
            f"date = {_text(_day(version.at_ms))}",
        )
        yield f"decision = {_text(version.what or version.decision)}"


def in_words(scope: str) -> str:
    """Where a pattern counts, as people write it."""
    return "everywhere" if scope == str(EVERYWHERE) else scope


def _text(value: str) -> str:
    """A basic string of TOML: one of JSON, but for the character that only TOML forbids."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _list(values: Iterable[str]) -> str:
    return f"[{', '.join(map(_text, values))}]"


def _day(at_ms: int) -> str:
    return iso_from_ms(at_ms)[:_DAY] if at_ms else ""


def read_entry(content: bytes, path: str) -> WrittenEntry:
    """What a file says that a person changed. Raises where it is none."""
    try:
        return msgspec.convert(tomllib.loads(content.decode("utf-8")), WrittenEntry)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise UsageError(
            f"{path} cannot be read as a pattern: {error}. Mend it, or move it away: the next decision about a pattern"
            " writes it anew."
        ) from error


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
        if content == _current_bytes(catalog, own):
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
            path, expected, state = self.path(catalog, own), _current_bytes(catalog, own), self.state(catalog, own)
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


def _current_bytes(catalog: Catalog, own: str) -> bytes | None:
    """The file as it should be; None where every decision about the pattern was taken back."""
    history = catalog.history(own)
    return entry_text(history[-1].entry, history).encode() if history else None


def file_hashes(catalog: Catalog, touched: Iterable[str]) -> dict[str, str]:
    """Hashes of the files that these patterns should have."""
    contents = {own: _current_bytes(catalog, own) for own in touched}
    return {own: file_hash(content) for own, content in contents.items() if content is not None}
