"""Which sessions are meant: the one place that turns filters into SQL.

A `Selection` is exact: repositories by their whole name, times in milliseconds. Turning what people type (patterns,
domains, days) into one is left to `sessions.filters`. The SQL text never changes; all values are named parameters.
"""

from typing import Any, NamedTuple

import msgspec

_SELECTED = """(:session IS NULL OR sessions.id = :session)
    AND (:agents IS NULL OR sessions.agent IN (SELECT value FROM json_each(:agents)))
    AND (:repos IS NULL OR sessions.repo IN (SELECT value FROM json_each(:repos)))
    AND (:outcomes IS NULL OR sessions.outcome IN (SELECT value FROM json_each(:outcomes)))
    AND (:task_types IS NULL OR sessions.task_type IN (SELECT value FROM json_each(:task_types)))
    AND (:branch = '' OR sessions.branch GLOB :branch)
    AND (:parent = '' OR sessions.parent = :parent)
    AND (NOT :is_top OR sessions.relation <> 'subagent')
    AND (:text = '' OR instr(lower(sessions.title), lower(:text)) OR instr(lower(sessions.task), lower(:text))
         OR instr(lower(sessions.first_prompt), lower(:text)))"""

STARTED = f"""{_SELECTED}
    AND (:since_ms IS NULL OR sessions.started_ms >= :since_ms)
    AND (:until_ms IS NULL OR sessions.started_ms < :until_ms)"""
"""Sessions that began in the time asked for."""

SPENT = f"""{_SELECTED}
    AND (:since_ms IS NULL OR ifnull(spends.at_ms, sessions.started_ms) >= :since_ms)
    AND (:until_ms IS NULL OR ifnull(spends.at_ms, sessions.started_ms) < :until_ms)"""
"""Responses that came in the time asked for, whenever their session began."""


SAID = f"""{_SELECTED}
    AND (:since_ms IS NULL OR ifnull(events.at_ms, sessions.started_ms) >= :since_ms)
    AND (:until_ms IS NULL OR ifnull(events.at_ms, sessions.started_ms) < :until_ms)"""
"""Events of the time asked for, whenever their session began."""


class Selection(NamedTuple):
    """Empty means all. `until_ms` itself is no longer in."""

    agents: frozenset[str] = frozenset()
    repos: frozenset[str] | None = None
    since_ms: int | None = None
    until_ms: int | None = None
    branch: str = ""  # a pattern, as GLOB has it
    text: str = ""  # in the title or the first prompt, whatever the case of ASCII letters
    outcomes: frozenset[str] = frozenset()
    task_types: frozenset[str] = frozenset()
    parent: str = ""  # native id
    is_top: bool = False  # without subagents
    session: int | None = None  # only this one, by its row

    def values(self) -> dict[str, Any]:
        """The named parameters of `STARTED` and `SPENT`."""
        return {
            "agents": _listed(self.agents) if self.agents else None,
            "repos": None if self.repos is None else _listed(self.repos),
            "outcomes": _listed(self.outcomes) if self.outcomes else None,
            "task_types": _listed(self.task_types) if self.task_types else None,
            "since_ms": self.since_ms,
            "until_ms": self.until_ms,
            "branch": self.branch,
            "text": self.text,
            "parent": self.parent,
            "is_top": int(self.is_top),
            "session": self.session,
        }


def _listed(names: frozenset[str]) -> str:
    return msgspec.json.encode(sorted(names)).decode()
