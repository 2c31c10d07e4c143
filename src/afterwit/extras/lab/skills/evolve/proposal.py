"""A proposal: another text for a skill, or a first one, why, and what keeps it from being offered.

Its id is made of what it is about and of both texts, so that the same proposal is the same tomorrow, and another text
is another proposal. Texts are whole files: what lies on disk is one of the two, byte for byte.
"""

import hashlib
from difflib import unified_diff
from enum import StrEnum

import msgspec

MOST_EVIDENCE = 8
_DIGITS = 12


class ProposalKind(StrEnum):
    MISSING = "missing"  # done by hand again and again, and no skill says it
    DEGRADED = "degraded"  # got worse, or harms


class ProposalEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """One session that speaks for it."""

    agent: str
    session: str
    repo: str
    at_ms: int
    step: int | None
    excerpt: str


class SkillProposal(msgspec.Struct, frozen=True, kw_only=True):
    kind: ProposalKind
    skill: str
    repo: str  # in which it was seen; where several are, the one with most uses
    agents: tuple[str, ...]  # that read it from these files
    paths: tuple[str, ...]  # of its file, one for each place; those below the home folder begin with `~`
    old: str | None  # None: there is no such skill
    new: str
    why: str
    changes: tuple[str, ...] = ()  # what is other in the new text, each in a sentence
    evidence: tuple[ProposalEvidence, ...] = ()
    sessions: int = 0  # independent ones behind the new text
    refusals: tuple[str, ...] = ()  # why it is not offered

    @property
    def id(self) -> str:
        told = [self.kind, self.skill, list(self.paths), self.old, self.new]
        return hashlib.sha256(msgspec.json.encode(told)).hexdigest()[:_DIGITS]

    @property
    def is_offered(self) -> bool:
        return not self.refusals

    @property
    def diff(self) -> str:
        return diff_of(self.paths[0] if self.paths else self.skill, self.old, self.new)


def diff_of(path: str, old: str | None, new: str | None) -> str:
    """What changes, as `diff -u` shows it."""
    names = (path if old is not None else "/dev/null", path if new is not None else "/dev/null")
    lines = unified_diff(_lines(old), _lines(new), *names, lineterm="")
    return "\n".join(lines)


def _lines(text: str | None) -> list[str]:
    return (text or "").splitlines()
