"""What a session_meta says about the thread as a whole: where it runs, what started it, which thread it came from."""

from typing import Any, NamedTuple

from afterwit.agents.codex.records import Payload
from afterwit.model.kinds import Relation
from afterwit.model.readings import Facts


class Spawn(NamedTuple):
    """How a subagent was started; empty for any other thread."""

    is_subagent: bool = False
    parent: str = ""
    role: str = ""


def facts_of(meta: Payload, session: str, at_ms: int | None) -> Facts:
    spawn = _spawn(meta)
    base = meta.history_base.thread_id if meta.history_base else None
    parent = spawn.parent or meta.parent_thread_id or meta.forked_from_id or base or ""
    relation = Relation.SUBAGENT if spawn.is_subagent else Relation.FORK
    return Facts(
        session=session,
        at_ms=at_ms,
        cwd=meta.cwd or "",
        branch=(meta.git.branch if meta.git else None) or "",
        remote=(meta.git.repository_url if meta.git else None) or "",
        version=meta.cli_version or "",
        parent=parent,
        relation=relation if parent or spawn.is_subagent else None,
        origin=spawn.role or meta.originator or "",
        provider=meta.model_provider or "",
    )


def is_subagent(meta: Payload) -> bool:
    return _spawn(meta).is_subagent


def _spawn(meta: Payload) -> Spawn:
    how = meta.source.get("subagent") if isinstance(meta.source, dict) else None
    role = meta.agent_role or meta.agent_nickname or ""
    if isinstance(how, str):
        return Spawn(True, "", role or how)
    if isinstance(how, dict):
        spawned = how.get("thread_spawn")
        spawned = spawned if isinstance(spawned, dict) else {}
        role = role or _text(spawned, "agent_role") or _text(spawned, "agent_nickname") or _text(how, "other")
        return Spawn(True, _text(spawned, "parent_thread_id"), role)
    return Spawn(meta.thread_source == "subagent", "", role)


def _text(value: dict[str, Any], name: str) -> str:
    found = value.get(name)
    return found if isinstance(found, str) else ""
