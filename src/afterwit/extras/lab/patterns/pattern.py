"""A pattern as it was found, before anybody decided about it. Its id is a hash of what it is about: the same on every
machine and whatever sessions come later.
"""

import hashlib
from enum import StrEnum

import msgspec

from afterwit.harvest.signals.signal import SignalKind, Subject
from afterwit.model.knowledge import Scope
from afterwit.redaction.markers import unkeyed

_DIGITS = 12


class PatternSide(StrEnum):
    PROBLEM = "problem"
    SUCCESS = "success"


class PatternEvidence(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where it was seen: redacted, as the digest has it."""

    agent: str
    session: str
    repo: str = ""
    step: int | None = None
    at_ms: int = 0
    excerpt: str = ""

    @property
    def hash(self) -> str:
        content = msgspec.json.encode((self.agent, self.session, self.step, unkeyed(self.excerpt)))
        return hashlib.sha256(content).hexdigest()[:_DIGITS]


class Pattern(msgspec.Struct, frozen=True, kw_only=True):
    """What recurs, with all that speaks for it."""

    id: str
    kind: SignalKind
    side: PatternSide
    title: str
    text: str  # what to do about it
    scope: Scope
    triggers: tuple[str, ...]
    frequency: int  # how often it was seen
    sessions: int
    stories: int  # independent sessions
    repos: tuple[str, ...]
    users: int
    agents: tuple[str, ...]
    first_ms: int
    last_ms: int
    failures: int
    mended: int  # of the failures
    actions: int
    tokens: int
    evidence: tuple[PatternEvidence, ...]

    @property
    def is_cross_agent(self) -> bool:
        return len(self.agents) > 1

    @property
    def rank(self) -> tuple[bool, int, int, int, str]:
        """Sorts the most worth sharing first."""
        return not self.is_cross_agent, -self.stories, -self.failures, -self.frequency, self.id


def pattern_id(subject: Subject) -> str:
    content = msgspec.json.encode([subject.kind, [unkeyed(name) for name in subject.names]])
    return hashlib.sha256(content).hexdigest()[:_DIGITS]
