"""What a reader makes of an agent's log: a stream of readings, in file order.

A reader turns bytes into these and nothing else. It knows the format of its agent; it does not know repositories,
actions, redaction or the database. Every value names its session by native id, because one file can hold several
sessions (subagents inside their parent's file) and one session can lie in several files.

Times are whole milliseconds since 1970 UTC, or None where the log has none. Texts are as the log has them: redaction
and hygiene come later, in one place.
"""

from typing import Any

import msgspec

from afterwit.model.kinds import EventKind, RecordedEnd, Relation


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What the log itself says about how a call ended. None means that it does not say."""

    is_error: bool | None = None
    exit_code: int | None = None
    is_denied: bool = False
    said: str = ""  # what a person typed to the call: why they refused it, what they answered; never a tool's words
    is_worded: bool = False  # both stand where tools write too: they count for calls of the agent's own tools alone
    is_cancelled: bool = False
    is_running: bool = False  # the command went to the background; this is not its end
    running_as: str = ""  # the name under which later calls poll it
    duration_ms: int | None = None


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that happened, and where its record lies in the original."""

    session: str
    kind: EventKind
    offset: int  # of the record in the original file
    length: int
    at_ms: int | None = None
    key: str = ""  # equal for a record and its copies in other files; "" where the format has no such identity
    text: str = ""  # prompt, reply, thought, notice, summary, error text, or the output of a call
    call_id: str = ""  # calls and results
    tool: str = ""  # calls: the agent's own name of the tool
    arguments: dict[str, Any] | None = None  # calls: decoded; {"raw": text} where the log has a string that is no JSON
    result: Result | None = None  # results
    file: tuple[str, str] | None = None  # an instruction file that the record holds whole: its path and its text


class Usage(msgspec.Struct, frozen=True):
    """Tokens of one model response. `input` excludes what was read from or written to a cache; reasoning is part of
    `output`, what was written to be kept for an hour is part of `cache_write`."""

    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    reasoning: int = 0
    cache_write_1h: int = 0


class Spend(msgspec.Struct, frozen=True, kw_only=True):
    """One response of a model and what it used. Equal keys are one response; the largest figures count."""

    session: str
    key: str
    model: str
    usage: Usage
    at_ms: int | None = None
    cost_usd: float | None = None  # only where the log states it
    is_nested: bool = False  # a subagent's, read from a copy inside a record of its parent's log


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What a record says about its session as a whole. Empty means that it says nothing."""

    session: str
    at_ms: int | None = None
    cwd: str = ""
    branch: str = ""
    remote: str = ""  # a git remote or a host/owner/name, as the log has it
    is_remote_linked: bool = False  # the session links to it, say by a pull request; it may have run elsewhere
    version: str = ""  # of the agent
    title: str = ""
    is_title_manual: bool = False
    parent: str = ""  # native id
    relation: Relation | None = None
    parent_call: str = ""  # the call in the parent that started this subagent
    origin: str = ""  # how the agent was started: cli, editor, sdk, the subagent's type …
    provider: str = ""
    is_partial: bool = False  # this log holds the session's prompts and nothing else of it
    end: RecordedEnd | None = None  # as recorded up to here: what is said or done later takes it back


class Problem(msgspec.Struct, frozen=True, array_like=True):
    """Bytes that could not be read, or a record that does not have the shape it should. Becomes a row."""

    offset: int
    length: int
    reason: str
    is_passing: bool = False  # more bytes may mend it


Reading = Event | Spend | Facts | Problem
