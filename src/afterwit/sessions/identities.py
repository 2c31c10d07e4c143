"""Repositories, tools and users under their several names: what was resolved to what, and merging two."""

from collections.abc import Mapping

import msgspec

from afterwit.capture.assembly.parts import user_pseudonym
from afterwit.capture.commit import resolve_repos
from afterwit.config.run_rules import redactor_for
from afterwit.config.world import World, rules_for
from afterwit.model.errors import UsageError
from afterwit.repos.identity import domain_of
from afterwit.store.decide import ALIAS_REMOVED, ALIAS_SET, catch_up, decide, report_if_recorded
from afterwit.store.rows import repos as rows
from afterwit.store.rows.repos import ToolSummary, UserSummary, is_known, tool_summaries, user_summaries
from afterwit.store.store import Store, hold_lease, open_store, require

_WAIT_SECONDS = 60


class RepoSeen(msgspec.Struct, frozen=True):
    """One place that sessions named, and the repository it was resolved to."""

    repo: str
    domain: str
    root: str
    remote: str
    how: str
    sessions: int
    last_ms: int | None


def repos(world: World) -> list[RepoSeen]:
    require(world.layout)
    with open_store(world.layout) as store:
        domains = world.settings.domains
        return [
            RepoSeen(row.repo, domain_of(row.repo, domains), row.root, row.remote, row.how, row.sessions, row.last_ms)
            for row in rows.repo_summaries(store.db)
        ]


def tools(world: World) -> list[ToolSummary]:
    require(world.layout)
    with open_store(world.layout) as store:
        return tool_summaries(store.db)


def users(world: World) -> list[UserSummary]:
    require(world.layout)
    with open_store(world.layout) as store:
        return user_summaries(store.db)


def merge(world: World, subject: str, name: str, target: str) -> None:
    """Lets one name count as another. A journalled decision."""
    if name == target:
        raise UsageError(f"{name} is itself already.")
    _decide_alias(world, subject, ALIAS_SET, {"name": name, "target": target})


def unmerge(world: World, subject: str, name: str) -> None:
    """Takes a merge back."""
    _decide_alias(world, subject, ALIAS_REMOVED, {"name": name})


def _decide_alias(world: World, subject: str, kind: str, body: dict[str, str]) -> None:
    require(world.layout)
    with hold_lease(world.layout.lease, _WAIT_SECONDS), open_store(world.layout) as store:
        catch_up(store)
        name = _name_in_store(world, store, subject, body["name"])
        if kind == ALIAS_REMOVED and name not in rows.aliases(store.db, subject):
            raise UsageError(f"{body['name']} was not merged here; `[aliases]` in config.toml is changed there.")
        if kind == ALIAS_SET and _leads_to(rows.aliases(store.db, subject), body["target"], name):
            raise UsageError(f"{body['target']} counts as {body['name']} already. Undo that merge first.")
        if kind == ALIAS_SET and not is_known(store.db, subject, name):
            raise UsageError(f"No session knows {body['name']}. `afterwit sessions {subject}s` lists what there is.")
        with report_if_recorded(store):
            decide(store, kind, {**body, "subject": subject, "name": name}, world.now_ms)
            resolve_repos(store, world.settings)


def _name_in_store(world: World, store: Store, subject: str, name: str) -> str:
    """The name as the store has it: users go by pseudonym, in the journal too."""
    if subject != "user" or name.startswith("‹"):
        return name
    rules = rules_for(world, store)
    return user_pseudonym(name, redactor_for(rules.key, rules.people, rules.allow))


def _leads_to(aliases: Mapping[str, str], name: str, goal: str) -> bool:
    for _ in range(len(aliases) + 1):
        if name == goal:
            return True
        name = aliases.get(name, "")
    return False
