"""The closed sets of the vocabulary, and the step that most of them describe.

Standard library only: the hook imports this module, so nothing heavy may come in here. The values are what the
database, `--json` output and exports contain; renaming one is a migration.
"""

from enum import StrEnum
from typing import NamedTuple


class ReaderEvidence(StrEnum):
    """On what evidence a reader was written: shown by `doctor`, so that users know how far to trust it."""

    REAL_DATA = "real data"
    REAL_CLIENT = "a run of the real client"
    DOCUMENTATION = "documentation only"
    DESCRIPTION = "a description of your own"


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


class RecordedEnd(StrEnum):
    """How a session ended, where its log has a record of that besides what was said and done."""

    DONE = "done"  # the agent handed in a result, or declared the task complete
    FORCED = "forced"  # a limit was reached, and what there was by then was handed in
    LIMIT = "limit"  # it ran out of money, steps, context or time
    ERROR = "error"  # the program or its model broke down
    UNSOLVED = "unsolved"  # the agent gave up, or what it handed in was judged and did not solve the task


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


CHANGES = (ActionKind.EDIT, ActionKind.WRITE)
"""Kinds of actions that change files."""


class Activity(StrEnum):
    """What an agent does, as far as its first action of the kind is a moment to say something."""

    EDIT = "edit"  # of a file; the trigger's path says where
    TEST = "test"
    LINT = "lint"
    BUILD = "build"
    INSTALL = "install"
    COMMIT = "commit"
    PUSH = "push"
    REVIEW = "review"  # a comment on, or a change of, a pull request or an issue


class Status(StrEnum):
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


class NoteKind(StrEnum):
    """What is kept of a transcript besides its actions, so that a session can be digested without its original."""

    PROMPT = "prompt"  # what a person typed
    REPLY = "reply"  # sentences of a reply that state a rule, a decision or a cause
    ENDING = "ending"  # the last reply
    REPORT = "report"  # the last reply to each prompt: how it begins and ends
    SUMMARY = "summary"  # what the agent wrote at a compaction
    FILES = "files"  # of an action that changes several: JSON list of paths
    SYMBOLS = "symbols"  # names defined in what an edit removed or wrote, separated by blanks
    RULES = "rules"  # lint and compiler rules in an output: JSON object, rule to message
    COMMIT = "commit"  # the message
    PULL = "pull"  # title and text of a pull request
    SAID = "said"  # to an action, by a person: why it was refused, or what was answered
    RUNNING = "running"  # the name under which a command that went to the background is polled
    SKILL = "skill"  # that a person called: the path of its text, or its name
    INSTRUCTIONS = "instructions"  # an instruction file as it was seen last: a line with its path, then the text


class FailureClass(StrEnum):
    """What kind of thing went wrong, and so who has to change what."""

    INVOCATION = "invocation"  # the command: a flag, a path, a name, quoting
    ENVIRONMENT = "environment"  # the machine: something is missing, refused or not running
    WORK = "work"  # the code being written: tests, lint, compilation, a state of the repository
    TOOL_CONTRACT = "tool-contract"  # the agent misused its own edit, read or search tool
    TRANSIENT = "transient"  # the same call may work later
    DENIED = "denied"
    CANCELLED = "cancelled"
    ANSWER = "answer"  # a non-zero exit that says no, and nothing failed
    UNCLEAR = "unclear"


class ResolutionKind(StrEnum):
    """What made a failure good."""

    CHANGED = "changed"  # a changed call of the same program or tool worked, nothing edited in between
    EDITED = "edited"  # files were edited, then the same check worked
    RETRIED = "retried"  # the same call worked later
    PREPARED = "prepared"  # another command put the machine right, then the same call worked
    REPLACED = "replaced"  # another program or tool reached the aim
    UNRESOLVED = "unresolved"


class TaskType(StrEnum):
    """What most of a session's actions do, whichever tool they do it with."""

    CODE = "code"  # run programs
    FILE = "file"  # read, edit, write, search files
    RESEARCH = "research"  # web, browser
    MIXED = "mixed"


class Outcome(StrEnum):
    SUCCESS = "success"
    PARTIAL = "partial"
    FAILURE = "failure"
    ABANDONED = "abandoned"
    UNKNOWN = "unknown"


class Step(NamedTuple):
    """One action as analysis sees it. The order of the fields is how digests store it."""

    kind: ActionKind
    tool: str
    target: str  # in a digest, the beginning of it
    status: Status
    lean: Lean | None = None
    exit_code: int | None = None
    at_s: int | None = None  # seconds since the session began
    duration_ms: int | None = None
    error: str = ""
    files: tuple[str, ...] = ()  # that it changed
    started_by: int | None = None  # the step whose background command this one polls
    said: str = ""  # by a person to it: why they refused it, or what they answered

    @property
    def is_unwanted(self) -> bool:
        """Whether a call that was stopped was turned down, as far as the log tells. Claude Code notes a plan that is
        accepted and carried out in a session of its own as stopped, without a word, as it does with one that is turned
        down; in real histories nearly all such plans were carried out minutes later."""
        return self.kind is not ActionKind.PLAN or bool(self.said)

    @property
    def has_worked(self) -> bool:
        return self.status is Status.SUCCEEDED or (self.status is Status.UNKNOWN and self.lean is Lean.FINE)

    @property
    def may_have_worked(self) -> bool:
        """The same, or the log says nothing of how it ended, and its output no more."""
        return self.has_worked or (self.status is Status.UNKNOWN and self.lean is None)

    @property
    def has_failed(self) -> bool:
        return self.status is Status.FAILED or (self.status is Status.UNKNOWN and self.lean is Lean.FAILED)

    @property
    def has_changed(self) -> bool:
        """Whether it changed files."""
        return bool(self.files) or (self.kind in CHANGES and self.has_worked)
