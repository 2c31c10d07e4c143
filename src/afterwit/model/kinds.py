"""The closed sets of the vocabulary.

Standard library only: the hook imports this module, so nothing heavy may come in here. The values are what the
database, `--json` output and exports contain; renaming one is a migration.
"""

from enum import StrEnum


class EventKind(StrEnum):
    """One thing that happened in a session."""

    PROMPT = "prompt"  # a person typed it
    REPLY = "reply"
    THOUGHT = "thought"
    CALL = "call"
    RESULT = "result"
    NOTICE = "notice"  # system, meta, hook output, injected context: shown to the model, typed by nobody
    COMPACTION = "compaction"
    INTERRUPT = "interrupt"
    MODEL_ERROR = "model-error"


class ActionKind(StrEnum):
    """What an action does, whatever the agent calls its tool."""

    SHELL = "shell"
    READ = "read"
    EDIT = "edit"
    WRITE = "write"
    SEARCH = "search"
    WEB = "web"
    MCP = "mcp"
    SKILL = "skill"
    DELEGATE = "delegate"
    PLAN = "plan"
    OTHER = "other"


class Status(StrEnum):
    """How an action ended."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    DENIED = "denied"  # a person or a policy said no
    CANCELLED = "cancelled"  # a sibling failed, or the turn was interrupted
    UNKNOWN = "unknown"


class Lean(StrEnum):
    """What the output suggests where the status itself cannot be known."""

    FINE = "probably-fine"
    FAILED = "probably-failed"


class Relation(StrEnum):
    """How a session came out of its parent."""

    SUBAGENT = "subagent"
    FORK = "fork"
    RESUME = "resume"
