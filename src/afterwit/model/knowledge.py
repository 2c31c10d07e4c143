"""Knowledge: what was seen, what follows from it, and the items that people and agents get.

A harvester *sees* things in single digests (`Seen`) and *concludes* drafts from all that was seen of one matter.
Belief, trust and people's decisions make items of drafts. All texts are redacted and clean.
"""

from enum import StrEnum
from typing import Generic, NamedTuple, TypeVar

import msgspec

from afterwit.model.kinds import Activity as Activity  # noqa: PLC0414 - part of this vocabulary; hooks read it there

SENTENCE_LIMIT = 320  # of a note, whoever made it: what is longer is refused, never cut
EXCERPT_LIMIT = 300
IMPORT = "import"  # the harvester of what people bring from elsewhere
PERSON = "person"  # the harvester of what people add
READ = "read"  # the harvester of what a model read in sessions
GIT = "git"  # stands for the agent where a commit stands for a session
GUARDED_FIXES = "guarded-fixes"  # what makes notes of fixes that tests were seen to guard
SHARED_BY = "share:"  # before the name of who shares a note: where its evidence comes from
DENIALS = "denials"  # the harvester of what users refused
STANDING = "standing-rules"  # the harvester of what a user said that says of itself that it lasts
REPEATED = "repeated-words"  # the harvester of what a user keeps saying


class Category(StrEnum):
    FACT = "fact"
    PITFALL = "pitfall"
    PATTERN = "pattern"
    TOOL_QUIRK = "tool-quirk"
    QUESTION = "question"


class ItemStatus(StrEnum):
    CANDIDATE = "candidate"  # not enough stands behind it
    ACTIVE = "active"
    QUARANTINED = "quarantined"  # came from elsewhere, or looks like an attack: a person has to decide
    SUPERSEDED = "superseded"  # something else took its place
    STALE = "stale"  # not seen for long, or what it speaks of is gone
    RETIRED = "retired"  # a person took it out, or a question that was answered

    @property
    def in_words(self) -> str:
        """As people and agents read it; the value is for files, the database and JSON."""
        return _STATUS_WORDS[self.value]


_STATUS_WORDS = {
    "candidate": "waiting",
    "active": "in use",
    "quarantined": "needs your approval",
    "superseded": "replaced",
    "stale": "outdated",
    "retired": "retired",
}


class Authority(StrEnum):
    """How an item may be worded where an agent reads it."""

    GUIDANCE = "guidance"
    OBSERVATION = "observation"  # quoted data, never an instruction

    @property
    def in_words(self) -> str:
        """As people read it."""
        return "advice" if self is Authority.GUIDANCE else "quote"


class Channel(StrEnum):
    """Where words came from."""

    USER = "user-typed"
    ASSISTANT = "assistant-said"
    OUTCOME = "verified-outcome"  # no words: something was done and how it ended was seen
    TOOL = "tool-output"
    FILE = "file"
    WEB = "web"
    MCP = "mcp"
    IMPORTED = "imported"
    HOST = "host-memory"

    @property
    def in_words(self) -> str:
        """As people read it."""
        return _CHANNEL_WORDS.get(self.value, self.value)


_CHANNEL_WORDS = {
    "user-typed": "the user's words",
    "assistant-said": "an agent's words",
    "verified-outcome": "seen to happen",
    "tool-output": "a tool's output",
    "file": "a file",
    "web": "a web page",
    "mcp": "an MCP server",
    "host-memory": "a memory file",
}


class ScopeKind(StrEnum):
    GLOBAL = "global"
    REPO = "repo"
    AGENT = "agent"


class ItemKind(StrEnum):
    """What an item is, where that changes how it is told."""

    PLAIN = ""
    DECISION = "decision"
    PROCEDURE = "procedure"
    THREAD = "thread"  # about work in progress: of no use once that is over


class Scope(NamedTuple):
    """Where an item holds."""

    kind: ScopeKind
    name: str = ""  # of the repository or the agent

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}" if self.name else str(self.kind)


EVERYWHERE = Scope(ScopeKind.GLOBAL)


class SessionRef(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The session in which something was seen."""

    agent: str
    native_id: str
    story: str  # counted once: a session with its subagents, forks and resumes, and the same task given again
    root: str = ""  # the session at the root of subagents, forks and resumes; "" where that is the story
    repo: str = ""
    user: str = ""
    machine: str = ""
    version: str = ""  # of the agent
    at_ms: int = 0  # when it began
    worked: bool | None = None  # how it ended; None: cannot be told


class Seen(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a harvester saw in one session. Each harvester adds fields of its own."""

    at: int | None = None  # the step
    at_ms: int | None = None
    excerpt: str = ""

    @property
    def is_telling(self) -> bool:
        """Whether something may follow from it alone; else it only speaks for or against what others tell."""
        return True


S_co = TypeVar("S_co", bound=Seen, covariant=True)


class Sighting(NamedTuple, Generic[S_co]):
    """Something seen, and where."""

    session: SessionRef
    seen: S_co


class Evidence(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One piece of evidence for or against an item."""

    session: SessionRef
    channel: Channel
    source: str = ""  # what it truly comes from, where that is not the story: a page's address, a file
    at: int | None = None  # the step of the session
    at_ms: int = 0
    excerpt: str = ""
    is_against: bool = False

    @property
    def origin(self) -> str:
        """Equal for pieces of evidence that are not independent of each other."""
        return self.source or self.session.story


class Trigger(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What makes an item fire. All fields that are set must match; what is not set matches everything."""

    program: str = ""  # of a command: its first word, without folders
    words: tuple[str, ...] = ()  # that follow in the command, in this order, perhaps with others between
    signature: str = ""  # of a failure
    error: tuple[str, ...] = ()  # words that a failed command and its output hold, all of them, in lower case
    tool: str = ""  # the agent's own tool
    path: str = ""  # of a file below the repository; `*` and `**` as in gitignore
    rule: str = ""  # a lint or compiler rule
    topic: tuple[str, ...] = ()  # words of a task, all of them, stemmed as `model.text` does
    activity: Activity | None = None  # the first action of this kind in a session
    lines: tuple[str, ...] = ()  # of a file: an edit that tells its text holds one of them


class Draft(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What follows from all that was seen of one matter, before belief and people have had their say."""

    harvester: str
    key: tuple[str, ...]  # with harvester and scope, what the id is made of
    scope: Scope
    category: Category
    sentence: str
    channel: Channel  # of its words; templates of ours that only quote have that of the evidence
    triggers: tuple[Trigger, ...] = ()
    advice: str = ""  # the command line to use
    takes: str = ""  # what following the sentence takes that only a person may grant
    own_tools: tuple[str, ...] = ()  # programs that nobody knows, and no text from elsewhere brought
    files: tuple[str, ...] = ()  # it speaks of, best first
    evidence: tuple[Evidence, ...] = ()
    agents: tuple[str, ...] = ()  # that it concerns; empty: all
    is_closed: bool = False  # a question that was answered
    supersedes: tuple[str, ...] = ()  # ids
    saves: float = 1.0  # actions that knowing it spares when it fires
    when: str = ""  # a later session needs it, in words
    kind: ItemKind = ItemKind.PLAIN
    branch: str = ""  # of the work that a note of a thread is about
    names: tuple[str, ...] = ()  # by which a prompt names that work
    whose: str = ""  # a wish, where several people work: "user", "other" or "all"
    stated_confidence: float = 0.0  # of the model that proposed it; 0.0 where none did


class Belief(NamedTuple):
    """A Beta distribution: the chance that something is true and useful the next time it is checked."""

    a: float
    b: float

    @property
    def mean(self) -> float:
        return self.a / (self.a + self.b)


class HostLine(NamedTuple):
    """A line of an instruction or memory file because of which an item is not told."""

    file: str  # below the checkout or the home folder
    line: int
    is_otherwise: bool = False  # it says the opposite; else it says the same
    repo: str = ""  # where sessions are given that file; "": wherever the item holds

    @property
    def in_words(self) -> str:
        """Why the item is not told, as people read it."""
        where = f" (in {self.repo})" if self.repo else ""
        if self.is_otherwise:
            return f"{self.file}, line {self.line}, says otherwise{where}"
        return f"{self.file}, line {self.line}, says it already{where}"


class Item(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The atom of knowledge."""

    id: str
    harvester: str  # that made it, or "person", "import", "assistant"
    scope: Scope
    category: Category
    sentence: str
    status: ItemStatus
    authority: Authority
    channel: Channel
    belief: Belief
    triggers: tuple[Trigger, ...] = ()
    advice: str = ""
    files: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    agents: tuple[str, ...] = ()  # that it concerns; empty: all
    first_ms: int = 0
    last_ms: int = 0
    saves: float = 1.0
    when: str = ""
    kind: ItemKind = ItemKind.PLAIN
    branch: str = ""
    names: tuple[str, ...] = ()
    whose: str = ""
    reason: str = ""  # for its status, in words
    superseded_by: str = ""
    supersedes: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()  # ids of drafts that went into it
    contradicts: tuple[str, ...] = ()  # ids of items that say the opposite: a person should look
    is_pinned: bool = False
    is_decided: bool = False  # a person approved or pinned it, and so stands behind its words
    is_known_to_host: bool = False  # the repository's own instructions say it already
    host_lines: tuple[HostLine, ...] = ()  # that say it already, or otherwise
    repeated: int = 0  # sessions in which the user said it again after it had been told

    @property
    def is_denied(self) -> bool:
        """Whether the hosts' files say otherwise wherever it holds. A person who pins it has the last word."""
        return not self.is_pinned and any(line.is_otherwise and not line.repo for line in self.host_lines)

    @property
    def silent_in(self) -> tuple[str, ...]:
        """Repositories whose files say it already, or otherwise."""
        lines = (line for line in self.host_lines if line.repo and not (self.is_pinned and line.is_otherwise))
        return tuple(sorted({line.repo for line in lines}))

    @property
    def confidence(self) -> float:
        return round(self.belief.mean, 2)

    @property
    def stories(self) -> int:
        """Independent sessions that speak for it."""
        return len({piece.session.story for piece in self.evidence if not piece.is_against})

    @property
    def rests_on(self) -> str:
        """In words: who stands behind it, or in how many independent sessions it was said, worked or was seen. A chance
        would mostly be the one that all notes of a kind begin with."""
        if self.harvester == PERSON:
            return "written by a person"
        if self.is_decided:
            return "approved by a person"
        against = len({piece.session.story for piece in self.evidence if piece.is_against})
        times = "once" if self.stories <= 1 else f"in {self.stories} sessions"
        return f"{self._how} {times}{f', {against} against' if against else ''}"

    @property
    def _how(self) -> str:
        if self.channel is Channel.USER:
            return "said"
        if self.channel is Channel.ASSISTANT:
            return "said by an agent"
        is_rule = any(trigger.rule for trigger in self.triggers)
        return "worked" if self.channel is Channel.OUTCOME and self.advice and not is_rule else "seen"
