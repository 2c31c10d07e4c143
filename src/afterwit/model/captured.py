"""What capture makes of one file: the rows that go into the store. All texts in here are redacted and clean.

A *part* is what one file says of one session. Ordinals count within a part and never change once given, so that a file
which grows adds rows and updates its open calls, whichever way it was cut into appends. Records that may have copies
elsewhere are claimed and compared by 64-bit numbers.
"""

import hashlib

import msgspec

from afterwit.model.kinds import ActionKind, EventKind, Lean, NoteKind, Status

CAPTURE_VERSION = 11  # of the rows made of a transcript; files with older rows are derived again
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


class NoteRow(msgspec.Struct, frozen=True, array_like=True):
    """Something that a digest needs and no other row holds."""

    part: int
    kind: NoteKind
    place: int  # ordinal of the action for what belongs to one, else of the event; of a file: a hash of its path
    at_ms: int | None
    text: str


class ProblemRow(msgspec.Struct, frozen=True, array_like=True):
    offset: int
    length: int
    reason: str
    is_passing: bool = False  # more bytes may mend it


class Captured(msgspec.Struct, kw_only=True):
    """The rows of one reading of one file, from its cursor on."""

    parts: list[PartFacts]
    events: list[EventRow]
    actions: list[ActionRow]
    spends: list[SpendRow]
    texts: list[TextRow]
    problems: list[ProblemRow]
    claims: list[list[int]]  # per part: the keys of the records read now that may have copies elsewhere
    resume: bytes
    notes: list[NoteRow] = msgspec.field(default_factory=list)


def key_of(identity: str) -> int:
    """A signed 64-bit number for a record's identity: equal for a record and its copies, on every machine."""
    digest = hashlib.blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
