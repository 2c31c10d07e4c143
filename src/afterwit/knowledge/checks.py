"""The checks of a repository and what became of them: proposed, off, on, strict, or removed. Pure.

They follow from the entries of the journal that stand: proposals are those of the last compilation of a repository,
and a check that a person decided about stays as they left it, whatever is proposed later. What was removed is not
proposed again.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

import msgspec

from afterwit.knowledge.check_forms import fault_of
from afterwit.model.check import Check
from afterwit.store.decisions import BriefCompiled, CheckDecided, CheckDecision, JournalEntry, KnowledgeEntry

CHECK_ENTRIES = (KnowledgeEntry.COMPILED, KnowledgeEntry.CHECK_DECIDED)


class CheckStatus(StrEnum):
    """How a check stands."""

    PROPOSED = "proposed"  # by whoever compiled the brief
    OFF = "off"
    ON = "on"
    STRICT = "strict"  # on, and the same call does not pass when it is made again
    REMOVED = "removed"

    @property
    def is_on(self) -> bool:
        return self in (CheckStatus.ON, CheckStatus.STRICT)


class CheckState(NamedTuple):
    """A check, and how it stands."""

    check: Check
    status: CheckStatus
    is_everywhere: bool = False  # in force in all repositories
    at_ms: int = 0  # of the decision, or of the proposal

    @property
    def in_words(self) -> str:
        """How it stands; where that is not its own repository alone, that too."""
        words = "on, strict" if self.status is CheckStatus.STRICT else str(self.status)
        return f"{words}, everywhere" if self.is_everywhere or not self.check.repo else words

    def holds_in(self, repo: str) -> bool:
        """Whether sessions of this repository are concerned."""
        return self.is_everywhere or self.check.repo in ("", repo)


def check_states(entries: Iterable[JournalEntry]) -> dict[str, CheckState]:
    """All checks by id, from the entries that stand, in their order; those that a person decided about first."""
    decided: dict[str, CheckState] = {}
    proposed: dict[str, list[CheckState]] = {}
    for entry in entries:
        if entry.kind == KnowledgeEntry.COMPILED:
            made = msgspec.convert(entry.body, BriefCompiled)
            given = (msgspec.structs.replace(check, repo=made.repo) for check in made.proposals)
            sound = (check for check in given if not fault_of(check))
            proposed[made.repo] = [CheckState(check, CheckStatus.PROPOSED, at_ms=entry.at_ms) for check in sound]
        elif entry.kind == KnowledgeEntry.CHECK_DECIDED:
            now = msgspec.convert(entry.body, CheckDecided)
            decided[now.check.id] = CheckState(now.check, _status(now), now.is_everywhere, entry.at_ms)
    states = dict(decided)
    for state in (state for states in proposed.values() for state in states):
        states.setdefault(state.check.id, state)
    return states


def _status(decided: CheckDecided) -> CheckStatus:
    if decided.decision is CheckDecision.REMOVED:
        return CheckStatus.REMOVED
    if decided.decision is CheckDecision.ON:
        return CheckStatus.STRICT if decided.is_strict else CheckStatus.ON
    return CheckStatus.OFF


def checks_in_force(entries: Iterable[JournalEntry]) -> list[CheckState]:
    """The checks that are on, wherever, in a stable order."""
    states = (state for state in check_states(entries).values() if state.status.is_on)
    return sorted(states, key=lambda state: (state.check.repo, state.check.id))
