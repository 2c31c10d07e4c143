"""What a description of a log says, as values: one struct for each table of the TOML file.

A path may be one text or several; of several the first that leads to something counts (texts are joined instead).
Everything here is frozen and hashable, so a description goes to other processes and serves as the key of a cache.
What is allowed and what is wrong with a file is told by `parsing`; what paths and conditions mean, by `paths`.
"""

from enum import StrEnum

import msgspec

from afterwit.agents.declared.paths import Condition
from afterwit.model.kinds import EventKind, Relation

Paths = tuple[str, ...]


class TimeUnit(StrEnum):
    """In what a number in the log counts time."""

    AUTO = "auto"  # ISO text, seconds or milliseconds, as the value looks
    SECONDS = "s"
    MILLISECONDS = "ms"
    MICROSECONDS = "us"
    NANOSECONDS = "ns"


class SessionFrom(StrEnum):
    """What names the session where no record does."""

    FILE = "file"
    FOLDER = "folder"


class Arguments(msgspec.Struct, frozen=True, kw_only=True):
    """Where the arguments of a call are: an object with all of them, or a field for each."""

    whole: Paths = ()
    single: tuple[tuple[str, Paths], ...] = ()


class EventRule(msgspec.Struct, frozen=True, kw_only=True):
    """Records, or elements of a list in them, that become events of one kind."""

    kind: EventKind
    when: Condition | None = None  # of the record
    each: str = ""  # the list whose elements become events
    where: Condition | None = None  # of the element
    text: Paths = ()
    id: Paths = ()
    tool: Paths = ()
    tool_name: str = ""  # where all calls are of one tool
    arguments: Arguments = Arguments()
    is_error: Paths = ()
    exit_code: Paths = ()
    duration_ms: Paths = ()
    duration_seconds: Paths = ()
    failed: Condition | None = None
    succeeded: Condition | None = None
    denied: Condition | None = None
    cancelled: Condition | None = None
    running: Condition | None = None


class SpendRule(msgspec.Struct, frozen=True, kw_only=True):
    """Records that say what a response of the model used."""

    when: Condition | None = None
    id: Paths = ()
    model: Paths = ()
    input: Paths = ()
    cache_read: Paths = ()
    cache_write: Paths = ()
    output: Paths = ()
    reasoning: Paths = ()
    cost_usd: Paths = ()
    input_includes_cache: bool = False


class FactsRule(msgspec.Struct, frozen=True, kw_only=True):
    """Records that say something about the session as a whole."""

    when: Condition | None = None
    cwd: Paths = ()
    branch: Paths = ()
    remote: Paths = ()
    version: Paths = ()
    title: Paths = ()
    origin: Paths = ()
    provider: Paths = ()
    parent: Paths = ()
    parent_call: Paths = ()
    relation: Relation = Relation.SUBAGENT  # to the parent, where one is named


class Description(msgspec.Struct, frozen=True, kw_only=True):
    """A log that people have described."""

    name: str
    transcripts: tuple[str, ...]
    sniff: tuple[Condition, ...]  # one of the first records fits one of these
    homes: tuple[str, ...] = ()
    session: Paths = ()
    session_from: SessionFrom = SessionFrom.FILE
    time: Paths = ()
    time_unit: TimeUnit = TimeUnit.AUTO
    type: Paths = ("type", "event", "kind", "role")  # names a record in the counts of what is known and unknown
    key: Paths = ()  # the record's own id, equal in copies of it
    model: Paths = ()  # remembered from record to record
    ignore: tuple[Condition, ...] = ()  # records that are known to say nothing
    event: tuple[EventRule, ...] = ()
    spend: tuple[SpendRule, ...] = ()
    facts: tuple[FactsRule, ...] = ()
