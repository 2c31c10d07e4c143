"""Whether capture sees what it should: sessions, files that could not be read, and actions whose end nobody knows.

An action is *unknown* where the log does not say how it ended, as behind a pipe; often its output suggests it all the
same. Where many are, failures are missed, and so are the notes that would come of them. `afterwit doctor` looks closer.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec

from afterwit.model.digest import Digest
from afterwit.model.kinds import Status


class AgentFiles(NamedTuple):
    """What `capture` noted of the logs of an agent."""

    files: int = 0
    unreadable: int = 0
    problems: int = 0  # places within files


class AgentCapture(NamedTuple):
    """The logs of one agent."""

    agent: str
    sessions: int
    files: int
    unreadable: int
    problems: int
    actions: int
    unknown: int
    suggested: int  # of these, by their output
    hook_faults: int


class CaptureHealth(msgspec.Struct, frozen=True, kw_only=True):
    sessions: int
    files: int
    unreadable: int
    problems: int
    actions: int
    unknown: int
    suggested: int
    unknown_share: float | None
    hook_faults: int
    agents: list[AgentCapture]


class CaptureTally:
    """Counts sessions and their actions by agent."""

    def __init__(self) -> None:
        self._sessions: Counter[str] = Counter()
        self._actions: Counter[str] = Counter()
        self._unknown: Counter[str] = Counter()
        self._suggested: Counter[str] = Counter()

    def take(self, digest: Digest) -> None:
        self._sessions[digest.agent] += 1
        self._actions[digest.agent] += len(digest.steps)
        unknown = [step for step in digest.steps if step.status is Status.UNKNOWN]
        self._unknown[digest.agent] += len(unknown)
        self._suggested[digest.agent] += sum(step.lean is not None for step in unknown)

    def rows(self, files: Mapping[str, AgentFiles], faults: Mapping[str, int]) -> list[AgentCapture]:
        agents = sorted({*self._sessions, *files, *faults})
        return [
            AgentCapture(
                agent,
                self._sessions[agent],
                *files.get(agent, AgentFiles()),
                self._actions[agent],
                self._unknown[agent],
                self._suggested[agent],
                faults.get(agent, 0),
            )
            for agent in agents
        ]


def capture_health(rows: Iterable[AgentCapture]) -> CaptureHealth:
    rows = list(rows)
    sums = {name: sum(getattr(row, name) for row in rows) for name in AgentCapture._fields if name != "agent"}
    share = sums["unknown"] / sums["actions"] if sums["actions"] else None
    return CaptureHealth(**sums, unknown_share=share, agents=rows)
