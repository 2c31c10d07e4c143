"""What remains of a transcript whose original was given up: its rows, without the places where they lay.

Everything that digests, lists and costs are made of stays as it was. Places mean nothing without the original: an event
lies at its own ordinal, an action points at the ordinals of its call and its result. Remains outlive versions of this
program, so they name their columns: one that is missing gets its default, one that is not known is passed over.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from afterwit.model.captured import ActionRow, Captured, EventRow, NoteRow, PartFacts, ProblemRow, SpendRow, TextRow
from afterwit.model.errors import DamagedError
from afterwit.model.kinds import EventKind, NoteKind

FORMAT = 1
_SAID = (NoteKind.PROMPT, NoteKind.REPLY, NoteKind.SUMMARY)
_PLACELESS = ("offset", "length")
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
    content = _Packed(
        parts=captured.parts,
        events=_columns(captured.events, EventRow, _PLACELESS),
        actions=_columns(captured.actions, ActionRow),
        spends=_columns(captured.spends, SpendRow),
        notes=_columns(captured.notes, NoteRow),
        problems=_columns(captured.problems, ProblemRow),
        owned=captured.claims,
        keys=remains.keys,
        known=remains.known,
        unknown=remains.unknown,
        cursor=remains.cursor,
        companions=remains.companions,
    )
    return msgspec.msgpack.encode(content)


def unpacked(content: bytes) -> Remains:
    """Raises DamagedError where it cannot be read."""
    try:
        content_packed = msgspec.msgpack.decode(content, type=_Packed)
        if content_packed.format > FORMAT:
            raise DamagedError(f"the remains have format {content_packed.format}; upgrade afterwit to read them")
        places = {
            "offset": content_packed.events.get("ordinal", []),
            "length": [0] * len(content_packed.events.get("ordinal", [])),
        }
        captured = Captured(
            parts=content_packed.parts,
            events=_rows(content_packed.events | places, EventRow),
            actions=_rows(content_packed.actions, ActionRow),
            spends=_rows(content_packed.spends, SpendRow),
            texts=[],
            notes=_rows(content_packed.notes, NoteRow),
            problems=_rows(content_packed.problems, ProblemRow),
            claims=content_packed.owned,
            resume=b"",
        )
    except (msgspec.DecodeError, ValueError) as error:
        raise DamagedError(f"the remains cannot be read: {error}") from error
    return Remains(
        captured=captured,
        keys=content_packed.keys,
        known=content_packed.known,
        unknown=content_packed.unknown,
        cursor=content_packed.cursor,
        companions=content_packed.companions,
    )


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


def _columns(rows: Iterable[Row], kind: type[Row], left_out: Sequence[str] = ()) -> dict[str, list[Any]]:
    all_rows = list(rows)
    return {name: [getattr(row, name) for row in all_rows] for name in kind.__struct_fields__ if name not in left_out}


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
