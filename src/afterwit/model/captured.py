"""What capture makes of one file: the rows that go into the store. All texts in here are redacted and clean.

A *part* is what one file says of one session. Ordinals count within a part and never change once given. Records that
may have copies elsewhere are claimed and compared by 64-bit numbers. `Remains` are what is kept of a transcript whose
original was given up: an event lies at its own ordinal then, an action points at the ordinals of its call and its
result. They outlive versions of this program, so they name their columns: one that is missing gets its default, one
that is not known is passed over.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from afterwit.model.errors import DamagedError
from afterwit.model.kinds import ActionKind, EventKind, Lean, NoteKind, Status
from afterwit.model.readings import Problem

CAPTURE_VERSION = 12  # of the rows made of a transcript; files with older rows are derived again
ORDINAL_BITS = 24  # a part holds at most 2^24 events


class PartFacts(msgspec.Struct, kw_only=True):
    """What one file says of one session as a whole. Grows while the file is read."""

    native_id: str
    cwd: str = ""
    root: str = ""
    remote: str = ""
    user: str = ""
    branch: str = ""
    branch_at_ms: int | None = None  # when it was first said
    versions: list[str] = msgspec.field(default_factory=list)
    title: str = ""
    is_title_manual: bool = False
    title_at_ms: int = 0
    first_prompt: str = ""  # typed by a person
    task: str = ""  # the same, or what a subagent was told by its parent
    first_prompt_ms: int | None = None
    parent: str = ""
    relation: str = ""
    parent_call: str = ""
    origin: str = ""
    provider: str = ""
    first_ms: int | None = None  # of any record, copied ones and notes about the session included
    started_ms: int | None = None  # of the session's own events
    ended_ms: int | None = None
    prompts: int = 0
    replies: int = 0
    events: int = 0  # own and copied ones: also the next event's ordinal
    copied: int = 0
    calls: int = 0  # also the next action's ordinal
    stated: int = 0  # replies of which sentences were noted
    unkeyed: int = 0  # prompts and calls that the format gives no identity
    interrupts: int = 0
    compactions: int = 0
    model_errors: int = 0
    is_partial: bool = False  # comes from a history of prompts
    is_tracked: bool = False  # the log came with a checkout: nobody here typed or did what it says
    is_placeless: bool = True  # the log names neither a repository nor a folder that could be one
    worked: dict[str, int] = msgspec.field(default_factory=dict)  # then: how often folders and remotes were named
    last_kind: str = ""  # of the last own event that is no notice: how the session ended
    end: str = ""  # a `RecordedEnd`, if nothing happened after it

    @property
    def is_empty(self) -> bool:
        """Nothing was said or done, so there is no session to keep."""
        return not (self.prompts or self.replies or self.calls or self.copied)


class EventRow(msgspec.Struct, frozen=True, array_like=True):
    part: int  # position of the part in `Captured.parts`
    ordinal: int
    kind: EventKind
    at_ms: int | None
    offset: int
    length: int
    is_copied: bool


class ActionRow(msgspec.Struct, frozen=True, array_like=True):
    part: int
    ordinal: int
    call_id: str
    tool: str
    kind: ActionKind
    target: str
    status: Status
    lean: Lean | None
    exit_code: int | None
    error: str
    at_ms: int | None
    duration_ms: int | None
    offset: int
    result_offset: int | None


class SpendRow(msgspec.Struct, frozen=True, array_like=True):
    part: int
    key: int
    at_ms: int | None
    model: str
    input: int
    cache_read: int
    cache_write: int
    output: int
    reasoning: int
    cost_usd: float | None
    cache_write_1h: int = 0  # part of cache_write
    is_nested: bool = False  # false if any copy is not


class TextRow(msgspec.Struct, frozen=True, array_like=True):
    """What of an event can be found by searching."""

    part: int
    ordinal: int  # of the event
    text: str


class Extract(msgspec.Struct, frozen=True, array_like=True):
    """Something that a digest needs and no other row holds: a prompt, the rules that an output reports, a commit …"""

    part: int
    kind: NoteKind
    place: int  # ordinal of the action for what belongs to one (in a digest's material: its position in the session),
    # else of the event; of a file: a hash of its path
    at_ms: int | None
    text: str


class Captured(msgspec.Struct, kw_only=True):
    """The rows of one reading of one file, from its cursor on."""

    parts: list[PartFacts]
    events: list[EventRow]
    actions: list[ActionRow]
    spends: list[SpendRow]
    texts: list[TextRow]
    problems: list[Problem]
    claims: list[list[int]]  # per part: the keys of the records read now that may have copies elsewhere
    resume: bytes
    notes: list[Extract] = msgspec.field(default_factory=list)


def key_of(identity: str) -> int:
    """A signed 64-bit number for a record's identity: equal for a record and its copies, on every machine."""
    digest = hashlib.blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


REMAINS_FORMAT = 1
_SAID = (NoteKind.PROMPT, NoteKind.REPLY, NoteKind.SUMMARY)
_PLACELESS = ("offset", "length")
_TABLES: dict[str, type[Any]] = {
    "events": EventRow,
    "actions": ActionRow,
    "spends": SpendRow,
    "notes": Extract,
    "problems": Problem,
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
    format: int = REMAINS_FORMAT
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


def pack_remains(remains: Remains) -> bytes:
    captured = remains.captured
    tables: dict[str, Any] = {name: _columns_of(getattr(captured, name), kind) for name, kind in _TABLES.items()}
    tables["events"] = {name: column for name, column in tables["events"].items() if name not in _PLACELESS}
    same = {name: getattr(remains, name) for name in _SAME}
    return msgspec.msgpack.encode(_Packed(parts=captured.parts, owned=captured.claims, **tables, **same))


def unpack_remains(content: bytes) -> Remains:
    """Raises DamagedError where it cannot be read."""
    try:
        left = msgspec.msgpack.decode(content, type=_Packed)
        if left.format > REMAINS_FORMAT:
            raise DamagedError(f"what is kept of it has format {left.format}; upgrade afterwit to read it")
        ordinals = left.events.get("ordinal", [])
        left.events |= {"offset": ordinals, "length": [0] * len(ordinals)}
        tables = {name: _rows_of(getattr(left, name), kind) for name, kind in _TABLES.items()}
        captured = Captured(parts=left.parts, texts=[], claims=left.owned, resume=b"", **tables)
    except (msgspec.DecodeError, ValueError) as error:
        raise DamagedError(f"what is kept of it cannot be read: {error}") from error
    return Remains(captured=captured, **{name: getattr(left, name) for name in _SAME})


def without_places(captured: Captured) -> Captured:
    """The rows with ordinals of events where they had places in the original."""
    calls: dict[int, list[int]] = {}
    results: dict[tuple[int, int], list[int]] = {}
    for event in captured.events:
        if event.kind is EventKind.CALL and not event.is_copied:
            calls.setdefault(event.part, []).append(event.ordinal)
        elif event.kind is EventKind.RESULT:
            results.setdefault((event.part, event.offset), []).append(event.ordinal)
    events = [msgspec.structs.replace(event, offset=event.ordinal, length=0) for event in captured.events]
    actions = [_without_place(action, calls.get(action.part, []), results) for action in captured.actions]
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


def pack_keys(keys: Mapping[str, list[int]]) -> bytes:
    """The keys of a dropped file, as its row holds them."""
    return msgspec.msgpack.encode(keys)


def unpack_keys(content: bytes) -> dict[str, list[int]]:
    return msgspec.msgpack.decode(content, type=dict[str, list[int]])


def _without_place(action: ActionRow, calls: Sequence[int], results: Mapping[tuple[int, int], list[int]]) -> ActionRow:
    """The n-th action belongs to the n-th call that is no copy; results of one record come in the order of calls."""
    call = calls[action.ordinal] if action.ordinal < len(calls) else 0
    result: int | None = None
    if action.result_offset is not None:
        same = results.get((action.part, action.result_offset), [])
        result = same.pop(0) if len(same) > 1 else same[0] if same else None
    return msgspec.structs.replace(action, offset=call, result_offset=result)


def _columns_of(rows: Sequence[Row], kind: type[Row]) -> dict[str, list[Any]]:
    return {name: [getattr(row, name) for row in rows] for name in kind.__struct_fields__}


def _rows_of(columns: Mapping[str, list[Any]], kind: type[Row]) -> list[Row]:
    count = max((len(column) for column in columns.values()), default=0)
    ordered = [_column_of(columns, field, count) for field in msgspec.structs.fields(kind)]
    return [msgspec.convert(values, kind) for values in zip(*ordered, strict=True)]


def _column_of(columns: Mapping[str, list[Any]], field: msgspec.structs.FieldInfo, count: int) -> list[Any]:
    if field.name in columns:
        return columns[field.name]
    if field.required:
        raise ValueError(f"a column {field.name} is missing")
    return [field.default] * count
