"""One pattern as a TOML file, for people, git and code review. Pure: text in, text out.

Fields have one order and a line each, so that a change shows as a small difference. What a person may change in the
file itself is the title, the text, what it applies to and when it is shown.
"""

import hashlib
import json
import tomllib
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from afterwit.extras.lab.patterns.catalog import CatalogEntry, EntryVersion
from afterwit.model.errors import UsageError
from afterwit.model.knowledge import EVERYWHERE
from afterwit.model.times import iso_from_ms

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


def written(entry: CatalogEntry, history: Sequence[EntryVersion] = ()) -> str:
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
