"""What remains of a transcript whose original was given up: its rows, without the places where they lay.

Everything that digests, lists and costs are made of stays as it was. Places mean nothing without the original: an event
lies at its own ordinal, an action points at the ordinals of its call and its result. Remains outlive versions of this
program, so they name their columns: one that is missing gets its default, one that is not known is passed over.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from afterwit.model.captured import ActionRow, Captured, EventRow, NoteRow, PartFacts, ProblemRow, SpendRow, TextRow
from afterwit.model.errors import DamagedError
from afterwit.model.kinds import EventKind, NoteKind

FORMAT = 1
_SAID = (NoteKind.PROMPT, NoteKind.REPLY, NoteKind.SUMMARY)
_PLACELESS = ("offset", "length")
_TABLES: dict[str, type[Any]] = {
    "events": EventRow,
    "actions": ActionRow,
    "spends": SpendRow,
    "notes": NoteRow,
    "problems": ProblemRow,
}
_SAME = ("keys", "known", "unknown", "cursor", "companions")  # packed as they are
Row = TypeVar("Row", bound=msgspec.Struct)


class LeftCompanion(msgspec.Struct, frozen=True, kw_only=True):
    """A companion that went with its transcript."""

    path: bytes  # as the file system has it
    generation: int
    dropped_bytes: int
    sha256: str


class Remains(msgspec.Struct, kw_only=True):
    """What is kept of one transcript. `captured.claims` are the keys that its parts own."""

    captured: Captured
    keys: dict[str, list[int]]  # of all records that it held, by session
    known: dict[str, int]
    unknown: dict[str, int]
    cursor: int
    companions: list[LeftCompanion]


class _Packed(msgspec.Struct, kw_only=True):
    format: int = FORMAT
    parts: list[PartFacts]
    events: dict[str, list[Any]]
    actions: dict[str, list[Any]]
    spends: dict[str, list[Any]]
    notes: dict[str, list[Any]]
    problems: dict[str, list[Any]]
    owned: list[list[int]]
    keys: dict[str, list[int]]
    known: dict[str, int]
    unknown: dict[str, int]
    cursor: int
    companions: list[LeftCompanion]


def packed(remains: Remains) -> bytes:
    captured = remains.captured
    tables: dict[str, Any] = {name: _columns(getattr(captured, name), kind) for name, kind in _TABLES.items()}
    tables["events"] = {name: column for name, column in tables["events"].items() if name not in _PLACELESS}
    same = {name: getattr(remains, name) for name in _SAME}
    return msgspec.msgpack.encode(_Packed(parts=captured.parts, owned=captured.claims, **tables, **same))


def unpacked(content: bytes) -> Remains:
    """Raises DamagedError where it cannot be read."""
    try:
        left = msgspec.msgpack.decode(content, type=_Packed)
        if left.format > FORMAT:
            raise DamagedError(f"what is kept of it has format {left.format}; upgrade afterwit to read it")
        ordinals = left.events.get("ordinal", [])
        left.events |= {"offset": ordinals, "length": [0] * len(ordinals)}
        tables = {name: _rows(getattr(left, name), kind) for name, kind in _TABLES.items()}
        captured = Captured(parts=left.parts, texts=[], claims=left.owned, resume=b"", **tables)
    except (msgspec.DecodeError, ValueError) as error:
        raise DamagedError(f"what is kept of it cannot be read: {error}") from error
    return Remains(captured=captured, **{name: getattr(left, name) for name in _SAME})


def unplaced(captured: Captured) -> Captured:
    """The rows with ordinals of events where they had places in the original."""
    calls: dict[int, list[int]] = {}
    results: dict[tuple[int, int], list[int]] = {}
    for event in captured.events:
        if event.kind is EventKind.CALL and not event.is_copied:
            calls.setdefault(event.part, []).append(event.ordinal)
        elif event.kind is EventKind.RESULT:
            results.setdefault((event.part, event.offset), []).append(event.ordinal)
    events = [msgspec.structs.replace(event, offset=event.ordinal, length=0) for event in captured.events]
    actions = [_unplaced(action, calls.get(action.part, []), results) for action in captured.actions]
    return msgspec.structs.replace(captured, events=events, actions=actions, texts=[])


def searchable(captured: Captured) -> list[TextRow]:
    """What can still be found of it: prompts, summaries, stated sentences, commands and errors."""
    texts = {(note.part, note.place): note.text for note in captured.notes if note.kind in _SAID}
    for action in captured.actions:
        if action.target:
            texts[action.part, action.offset] = action.target
        if action.error and action.result_offset is not None:
            texts[action.part, action.result_offset] = action.error
    places = {(event.part, event.ordinal) for event in captured.events}
    return [TextRow(*place, text) for place, text in sorted(texts.items()) if place in places]


def packed_keys(keys: Mapping[str, list[int]]) -> bytes:
    """The keys of a dropped file, as its row holds them."""
    return msgspec.msgpack.encode(keys)


def unpacked_keys(content: bytes) -> dict[str, list[int]]:
    return msgspec.msgpack.decode(content, type=dict[str, list[int]])


def _unplaced(action: ActionRow, calls: Sequence[int], results: Mapping[tuple[int, int], list[int]]) -> ActionRow:
    """The n-th action belongs to the n-th call that is no copy; results of one record come in the order of calls."""
    call = calls[action.ordinal] if action.ordinal < len(calls) else 0
    result: int | None = None
    if action.result_offset is not None:
        same = results.get((action.part, action.result_offset), [])
        result = same.pop(0) if len(same) > 1 else same[0] if same else None
    return msgspec.structs.replace(action, offset=call, result_offset=result)


def _columns(rows: Sequence[Row], kind: type[Row]) -> dict[str, list[Any]]:
    return {name: [getattr(row, name) for row in rows] for name in kind.__struct_fields__}


def _rows(columns: Mapping[str, list[Any]], kind: type[Row]) -> list[Row]:
    count = max((len(column) for column in columns.values()), default=0)
    ordered = [_column(columns, field, count) for field in msgspec.structs.fields(kind)]
    return [msgspec.convert(values, kind) for values in zip(*ordered, strict=True)]


def _column(columns: Mapping[str, list[Any]], field: msgspec.structs.FieldInfo, count: int) -> list[Any]:
    if field.name in columns:
        return columns[field.name]
    if field.required:
        raise ValueError(f"a column {field.name} is missing")
    return [field.default] * count
