"""The folder of one Grok session, as far as it stands beside the stream of updates.

    summary.json         what the session is: folder, branch, title, parent
    events.jsonl         how each tool call ended, and how long it took
    chat_history.jsonl   what the model was shown: which messages no person typed, the names of tools
    usage.json           there since versions that state the tokens of each turn
    ../.cwd              the folder, where the name of the group is too long to tell it

Each is read once, when it is first asked for. A file that is missing or damaged says nothing; a line that cannot be
read is left out. Pure: the bytes come through the caller.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import unquote

import msgspec

from afterwit.agents import fields
from afterwit.agents.places import Place
from afterwit.model.kinds import Relation
from afterwit.model.readings import Facts, Spend
from afterwit.model.times import ms_from_any

_TICKS_PER_USD = 10**10
COMPANIONS = frozenset(["summary.json", "events.jsonl", "chat_history.jsonl", "usage.json"])
CWD = ".cwd"
_HUMAN = frozenset(["", "human", "interjection"])  # reasons of messages that a person typed
_RELATIONS = {
    "fork": Relation.FORK,
    "worktree": Relation.FORK,
    "subagent": Relation.SUBAGENT,
    "subagent_fork": Relation.SUBAGENT,
    "subagent_resume": Relation.SUBAGENT,
}


class GrokEnding(NamedTuple):
    """How a call ended, by the events."""

    outcome: str
    duration_ms: int | None


class GrokTurn(NamedTuple):
    """A message in the name of the user that began a turn."""

    is_human: bool
    interrupt: str  # how the person stopped the turn before


class Folder:
    """What lies beside the updates of one session."""

    def __init__(self, updates: PurePosixPath, companion: Callable[[PurePosixPath], bytes | None]) -> None:
        self._updates = updates
        self._companion = companion
        self.session = updates.parent.name

    @property
    def is_delegated(self) -> bool:
        """Whether another agent started this session, so that no person speaks in it."""
        return self.facts.relation is Relation.SUBAGENT

    @property
    def states_usage(self) -> bool:
        return self._bytes("usage.json") is not None

    @cached_property
    def endings(self) -> Mapping[str, GrokEnding]:
        """By call. Rows of the workspace repeat the timing of others."""
        return {
            fields.plain_id(event, "tool_call_id"): GrokEnding(
                fields.text(event, "outcome"), fields.duration_ms(event, "duration_ms")
            )
            for event in self._lines("events.jsonl")
            if event.get("type") == "tool_completed" and event.get("source") != "workspace"
        }

    @cached_property
    def tools(self) -> Mapping[str, str]:
        """The name of the tool, by call."""
        started = [event for event in self._lines("events.jsonl") if event.get("type") == "tool_started"]
        asked = [call for item in self._lines("chat_history.jsonl") for call in fields.mappings(item, "tool_calls")]
        named = [(fields.plain_id(start, "tool_call_id"), fields.text(start, "tool_name")) for start in started]
        named += [(fields.plain_id(call, "id"), _tool(call)) for call in asked]
        return {call_id: name for call_id, name in named if call_id and name}

    @cached_property
    def turns(self) -> Mapping[int, GrokTurn]:
        """The messages that began turns, by the number of their prompt."""
        turns: dict[int, GrokTurn] = {}
        for item in self._lines("chat_history.jsonl"):
            number = item.get("prompt_index")
            if item.get("type") == "user" and isinstance(number, int):
                reason = fields.text(item, "synthetic_reason")
                turns[number] = GrokTurn(reason in _HUMAN, fields.text(item, "prior_turn_interrupt"))
        return turns

    @cached_property
    def summary(self) -> Mapping[str, Any]:
        return _object(self._bytes("summary.json")) or {}

    @cached_property
    def facts(self) -> Facts:
        """What is known of the session as a whole."""
        about = self.summary
        kind = fields.text(about, "session_kind")
        parent = fields.plain_id(about, "parent_session_id")
        if not parent and self._updates.parents[1].name == "subagents":
            parent, kind = self._updates.parents[2].name, kind or "subagent"
        relation = _RELATIONS.get(kind, Relation.FORK) if parent else None
        remotes = about.get("git_remotes")
        return Facts(
            session=self.session,
            at_ms=ms_from_any(about.get("created_at")),
            cwd=fields.text(fields.mapping(about, "info"), "cwd") or self._cwd_by_name(),
            branch=fields.text(about, "head_branch"),
            remote=next((remote for remote in remotes if isinstance(remote, str)), "")
            if isinstance(remotes, list)
            else "",
            title=fields.text(about, "generated_title", "session_summary"),
            is_title_manual=fields.flag(about, "title_is_manual") is True,
            parent=parent,
            relation=relation,
            origin=fields.text(about, "agent_name"),
        )

    def _cwd_by_name(self) -> str:
        """The group of a session is named after its folder, percent-encoded; where that is too long, a file has it."""
        group = group_of(self._updates)
        if group is None:
            return ""
        stated = b"" if "%" in group.name else self._companion(group / CWD) or b""
        cwd = unquote(group.name) if "%" in group.name else stated.decode("utf-8", "replace").strip()
        return cwd if cwd.startswith("/") or cwd[1:2] == ":" else ""

    def _bytes(self, name: str) -> bytes | None:
        return self._companion(self._updates.with_name(name))

    def _lines(self, name: str) -> Iterator[dict[str, Any]]:
        for line in (self._bytes(name) or b"").splitlines():
            value = _object(line)
            if value is not None:
                yield value


def group_of(updates: PurePosixPath) -> PurePosixPath | None:
    """The folder with all sessions that ran in the same place."""
    is_kept = updates.parts[:1] == ("sessions",) and len(updates.parts) > len(("sessions", "group", "session"))
    return PurePosixPath(*updates.parts[:2]) if is_kept else None


def _tool(call: Mapping[str, Any]) -> str:
    """The tool of a call; early histories have calls in the manner of OpenAI's chats."""
    return fields.text(call, "name") or fields.text(fields.mapping(call, "function"), "name")


def _object(raw: bytes | None) -> dict[str, Any] | None:
    try:
        return msgspec.json.decode(raw or b"", type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def by_turn(usage: Mapping[str, Any], turn: str, model: str, place: Place) -> Iterator[Spend]:
    """The spends of one turn, by model. The first has the turn's own key, also where the context's growth had told of
    it. The stated input includes what was read from the cache; costs are in ticks."""
    models = fields.mapping(usage, "modelUsage")
    rows = {name: fields.mapping(models, name) for name in models} or {model: usage}
    for number, (name, row) in enumerate(rows.items()):
        used = fields.usage(
            row, "inputTokens", "outputTokens", "cachedReadTokens", reasoning="reasoningTokens", is_cache_given=True
        )
        ticks = fields.number(row, "costUsdTicks")
        key = f"{place.session}:{turn}" + (f":{name}" if number else "")
        yield from place.spent(key, name, used, ticks / _TICKS_PER_USD if ticks is not None and ticks > 0 else None)
