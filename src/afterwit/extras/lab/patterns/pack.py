"""Packs: approved patterns in one file that another machine installs, where they wait until a person approves them.

A pack holds words and versions, no evidence: nothing of a session leaves with it. Whatever could not be published from
the catalog stops packing, and so does a secret. What comes in is bounded and taken apart piece by piece; a pattern
whose words would not be fit to publish is refused by its number, and one that the catalog knows stays as it was
decided. Names in a pack become neither paths nor commands.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec.structs import replace

from afterwit.config.world import World
from afterwit.extras.lab.patterns.catalog import Bump, CatalogDecision, CatalogEntry, EntryStatus
from afterwit.extras.lab.patterns.curate import CatalogDesk, catalog_desk, find_entry
from afterwit.extras.lab.patterns.detect import PatternSide
from afterwit.extras.lab.patterns.published_words import refuse_unfit, unfit
from afterwit.extras.lab.patterns.show import catalog_of
from afterwit.extras.lab.patterns.signals import SignalKind
from afterwit.model.errors import UsageError
from afterwit.model.knowledge import SENTENCE_LIMIT
from afterwit.redaction.hygiene import clean
from afterwit.redaction.redaction import Redactor
from afterwit.store.atomic import READABLE, replace_file
from afterwit.store.regular_files import read_regular

PACK_FORMAT = 1
MOST_BYTES = 1_000_000
MOST_PATTERNS = 1_000
_KIND = "afterwit-patterns"
_Sentence = Annotated[str, msgspec.Meta(min_length=1, max_length=SENTENCE_LIMIT)]
_Word = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class PackedPattern(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One pattern as it travels."""

    id: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{12}\Z")]
    version: Annotated[str, msgspec.Meta(pattern=r"^[0-9]{1,6}\.[0-9]{1,6}\.[0-9]{1,6}\Z")]
    kind: _Word
    side: PatternSide
    title: _Sentence
    text: _Sentence
    scope: _Word
    triggers: Annotated[tuple[_Word, ...], msgspec.Meta(max_length=50)] = ()


class _Pack(msgspec.Struct, frozen=True, kw_only=True):
    kind: str
    format: int
    patterns: list[msgspec.Raw]


class Packed(msgspec.Struct, frozen=True, kw_only=True):
    """What was packed."""

    file: str
    patterns: list[PackedPattern]
    is_dry_run: bool = False


class RefusedPattern(msgspec.Struct, frozen=True, kw_only=True):
    number: int  # its place in the pack, from 1 on
    why: str


class InstalledPack(msgspec.Struct, frozen=True, kw_only=True):
    """What a pack brings."""

    file: str
    new: list[PackedPattern]
    known: list[str]  # ids that the catalog has; what was decided about them stays
    refused: list[RefusedPattern]
    is_dry_run: bool = False


def pack(world: World, path: Path, names: Sequence[str] = (), *, is_dry_run: bool = False) -> Packed:
    """Writes approved patterns into one file; without names, all. A file that is no pack is not overwritten."""
    entries = catalog_of(world).entries
    chosen = [find_entry(name, entries, dict) for name in names] or [
        entry for entry in entries.values() if entry.status is EntryStatus.APPROVED
    ]
    if not chosen:
        raise UsageError("No pattern is approved. `afterwit patterns review` asks about what was found.")
    for entry in chosen:
        if entry.status is not EntryStatus.APPROVED:
            raise UsageError(f"{entry.id} is not approved. `afterwit patterns approve {entry.id}` does that.")
        refuse_unfit(entry)
        _refuse_secrets(entry)
    patterns = [_pack_entry(entry) for entry in sorted(chosen, key=lambda entry: entry.id)]
    content = msgspec.json.encode({"kind": _KIND, "format": PACK_FORMAT, "patterns": patterns})
    _refuse_foreign(path)
    if not is_dry_run:
        replace_file(path, msgspec.json.format(content, indent=2) + b"\n", READABLE)
    return Packed(file=str(path), patterns=patterns, is_dry_run=is_dry_run)


def install(
    world: World,
    path: Path,
    agree: Callable[[InstalledPack], bool],
    folder: Path | None = None,
    *,
    is_dry_run: bool = False,
) -> InstalledPack | None:
    """Takes a pack in, if `agree` says so; None: it did not. Everything in it waits for a person."""
    patterns, refused = _read(path)
    with catalog_desk(world, folder, is_new=True) as desk:
        new = [pattern for pattern in patterns if _is_new(desk, pattern)]
        planned = InstalledPack(
            file=str(path),
            new=new,
            known=[pattern.id for pattern in patterns if pattern not in new],
            refused=refused,
            is_dry_run=is_dry_run,
        )
        if is_dry_run or not new:
            return planned
        if not agree(planned):
            return None
        entries = [desk.with_version(_entry(pattern), Bump.PATCH) for pattern in new]
        file = re.sub(r"[^\w.-]", "_", clean(path.name), flags=re.ASCII)[:80]
        origins = ", ".join(f"{pattern.id} {pattern.version}" for pattern in new)
        desk.decide(CatalogDecision.INSTALL, entries, f"installed from {file}: {origins}")
        return planned


def _pack_entry(entry: CatalogEntry) -> PackedPattern:
    named = replace(entry, kind=entry.kind or "pattern", side=entry.side or PatternSide.PROBLEM)
    return msgspec.convert(named, PackedPattern, from_attributes=True)


def _entry(pattern: PackedPattern) -> CatalogEntry:
    """A pattern of a pack, to be looked at. Its kind is part of a file's name, so it is one that we know."""
    fields = {"kind": pattern.kind if pattern.kind in frozenset(SignalKind) else "", "version": ""}
    return CatalogEntry(**(msgspec.structs.asdict(pattern) | fields), status=EntryStatus.QUARANTINED)


def _is_new(desk: CatalogDesk, pattern: PackedPattern) -> bool:
    """Whether nobody decided about it here, and it says something else than what waits already."""
    entry = desk.catalog.entries.get(pattern.id)
    if entry is None:
        return True
    waits = entry.status is EntryStatus.QUARANTINED
    return waits and replace(_entry(pattern), version=entry.version) != entry


def _refuse_secrets(entry: CatalogEntry) -> None:
    redactor = Redactor(bytes(32))
    for text in (entry.title, entry.text, entry.scope, *entry.triggers):
        if redactor.text(text) != text:
            raise UsageError(
                f"{entry.id} holds something that looks like a secret or names a person, and nothing was packed."
                f" `afterwit patterns edit {entry.id}` gives it other words."
            )


def _refuse_foreign(path: Path) -> None:
    try:
        content = read_regular(path, MOST_BYTES)
    except FileNotFoundError:
        return
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}. Name another file.") from error
    try:
        is_ours = msgspec.json.decode(content, type=_Pack).kind == _KIND
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        is_ours = False
    if not is_ours:
        raise UsageError(f"{path} is there and is no pack, so it is not overwritten. Name another file.")


def _read(path: Path) -> tuple[list[PackedPattern], list[RefusedPattern]]:
    """What a file brings. Raises where it is no pack."""
    try:
        content = read_regular(path, MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}. Name a pack.") from error
    if len(content) > MOST_BYTES:
        raise UsageError(f"{path} is larger than {MOST_BYTES // 1_000_000} MB, and no pack is. Nothing was installed.")
    try:
        whole = msgspec.json.decode(content, type=_Pack)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{path} is no pack: {error}. `afterwit patterns pack` writes one.") from error
    if whole.kind != _KIND or whole.format != PACK_FORMAT:
        raise UsageError(f"{path} is no pack of a format that this afterwit knows. Upgrade, or name another file.")
    if len(whole.patterns) > MOST_PATTERNS:
        raise UsageError(f"{path} holds {len(whole.patterns)} patterns; {MOST_PATTERNS} are the most.")
    patterns: dict[str, PackedPattern] = {}
    refused: list[RefusedPattern] = []
    for number, raw in enumerate(whole.patterns, 1):
        pattern, why = _parse_pattern(raw)
        if pattern is None or pattern.id in patterns:
            refused.append(RefusedPattern(number=number, why=why or "It is there twice."))
        else:
            patterns[pattern.id] = pattern
    return list(patterns.values()), refused


def _parse_pattern(raw: msgspec.Raw) -> tuple[PackedPattern | None, str]:
    """A pattern, or why it is none that may wait here."""
    try:
        pattern = msgspec.json.decode(raw, type=PackedPattern)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None, "It does not have the form of a pattern."
    texts = (pattern.title, pattern.text, pattern.scope, *pattern.triggers)
    if any(clean(text) != text or not text.isprintable() for text in texts):
        return None, "It holds characters that cannot be seen."
    why = unfit(_entry(pattern))
    return (None, why) if why else (pattern, "")
