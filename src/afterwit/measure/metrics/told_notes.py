"""Notes that sessions were told, and the sessions as far as figures ask about them.

A subagent has a context of its own: what it was told is looked for in the logs of the subagents of that session, what
the session itself was told in its own. One note that was told to a session several times counts once, from the first
time on.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from afterwit.agents.hook_payloads import ACTIVITY, AFTER, BEFORE, RUN
from afterwit.model.digest import Digest
from afterwit.model.kinds import Relation


class SessionKey(NamedTuple):
    """A session and whether its subagents are meant."""

    agent: str
    session: str
    is_subagent: bool = False


class ToldNote(NamedTuple):
    """A note in a session that was told it."""

    at_ms: int
    to: SessionKey
    item: str
    moment: str
    act: str = ""

    @property
    def is_at_its_moment(self) -> bool:
        """Whether it was told because what it waits for had just happened."""
        return self.moment in (BEFORE, AFTER) or self.act == ACTIVITY


def key_of(digest: Digest) -> SessionKey:
    is_subagent = digest.relation == Relation.SUBAGENT and bool(digest.parent)
    return SessionKey(digest.agent, digest.parent if is_subagent else digest.native_id, is_subagent)


def first_told(told: Iterable[ToldNote]) -> Iterator[ToldNote]:
    """Each note of a session once, as it was told first. What nobody knows the session of, is left out."""
    seen: set[tuple[SessionKey, str]] = set()
    for note in sorted(told):
        if (note.to, note.item) not in seen and not note.to.session.startswith(RUN):
            seen.add((note.to, note.item))
            yield note
