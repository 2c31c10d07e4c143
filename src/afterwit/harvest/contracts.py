"""Misuse of an agent's own tools, where the error does not say what to do instead.

Most of these errors explain themselves, and are left alone. What remains are names that do not exist: a skill, an agent
type or an MCP server that sessions keep calling. A later call of that name that works speaks against it. One
repository's names hold there, those of several for the agent.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from afterwit.harvest.harvester import (
    Grouped,
    by_repo,
    in_order,
    outcomes,
    quote,
    scope_of,
    sentence,
    stories_in,
    unique,
    when,
)
from afterwit.model.digest import Digest
from afterwit.model.kinds import FailureClass, Status
from afterwit.model.knowledge import Category, Channel, Draft, Scope, ScopeKind, Seen, Sighting, Trigger
from afterwit.model.text import regex
from afterwit.redaction.plain_names import is_plain_name

_UNKNOWN = regex(
    r"\b(?:unknown|no such|invalid)\s+(?P<what>skill|agent type|subagent type|MCP server|tool)\b:?\s+"
    r"['\"`\\]*(?P<name>[\w:.@/-]{2,60})",
    re.IGNORECASE,
)
_NOT_FOUND = regex(
    r"\b(?P<what>skill|agent type|subagent type|MCP server)\s+['\"`\\]*(?P<name>[\w:.@/-]{2,60})['\"`\\]*\s+"
    r"(?:was )?not found",
    re.IGNORECASE,
)
_TWO = 2


class Called(Seen, frozen=True, kw_only=True, omit_defaults=True):
    """A name that one of the agent's tools did not know; without a signature, one that it knew."""

    tool: str
    name: str
    what: str = ""
    signature: str = ""

    @property
    def is_telling(self) -> bool:
        return bool(self.signature)


class Contracts:
    name = "contracts"
    version = 2
    minimum_stories = 2
    seen = Called

    def see(self, digest: Digest) -> Iterable[Grouped[Called]]:
        calls = unique((*_unknown(digest), *_names_that_exist(digest)), lambda call: call.name)
        return (Grouped(f"{digest.agent}\n{call.name}", call) for call in calls)

    def conclude(self, group: str, sightings: Sequence[Sighting[Called]]) -> Iterable[Draft]:
        del group
        unknown = in_order(sighting for sighting in sightings if sighting.seen.signature)
        existing = in_order(sighting for sighting in sightings if not sighting.seen.signature)
        repos = by_repo(unknown)
        if len(repos) >= _TWO:
            yield _draft(Scope(ScopeKind.AGENT, unknown[0].session.agent), unknown, existing)
            return
        for scope, same in repos.items():
            yield _draft(scope, same, [sighting for sighting in existing if scope_of(sighting.session) == scope])


def _unknown(digest: Digest) -> Iterator[Called]:
    for failure in digest.failures:
        step = digest.steps[failure.at]
        match = _UNKNOWN.search(step.error) or _NOT_FOUND.search(step.error)
        name = match["name"].rstrip(".") if match else ""
        if failure.failure is FailureClass.TOOL_CONTRACT and match and is_plain_name(name):
            yield Called(
                at=failure.at,
                excerpt=step.error[:120],
                tool=step.tool,
                name=name,
                what=match["what"],
                signature=failure.signature,
            )


def _names_that_exist(digest: Digest) -> Iterator[Called]:
    tools = {step.target: step.tool for step in digest.steps if step.status is Status.SUCCEEDED}
    for name in digest.skills:
        if name in tools:
            yield Called(tool=tools[name], name=name)


def _draft(scope: Scope, unknown: Sequence[Sighting[Called]], existing: Sequence[Sighting[Called]]) -> Draft:
    last, stories = unknown[-1].seen, stories_in(unknown)
    against = (call for call in existing if when(call) > when(unknown[0]) and call.session.story not in stories)
    where = "here" if scope.kind is ScopeKind.REPO else f"in {scope.name}"
    return Draft(
        harvester=Contracts.name,
        key=(last.tool, last.name),
        scope=scope,
        category=Category.TOOL_QUIRK,
        sentence=sentence(f"There is no {last.what} named {quote(last.name)} {where}: do its work with other tools."),
        channel=Channel.OUTCOME,
        triggers=(Trigger(tool=last.tool, signature=last.signature), Trigger(tool=last.tool, words=(last.name,))),
        evidence=outcomes(unknown, against),
    )
