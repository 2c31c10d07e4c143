"""What a hub holds in sums (`status`, `search`), and what its owner does: makes it, brings it to a newer schema, and
says who belongs to which team.

A member is a role of PostgreSQL, which the owner makes there as usual; passwords are none of our business. A role that
could pass by the policies is refused as a member. Who is revoked can neither read nor write from that moment on, with
open connections, too; what they said stays until they are removed.
"""

import secrets
from typing import TYPE_CHECKING, Any

import msgspec

from afterwit.extras.team.hub import rows
from afterwit.extras.team.hub.address import HubAddress, HubError
from afterwit.extras.team.hub.connection import connect, join_hub, migrate_hub, newest, refuse_other_schema
from afterwit.extras.team.hub.rows import HubHit, HubRepo, MemberSum
from afterwit.extras.team.records import AUTHOR_LIMIT, one_line
from afterwit.model.errors import UsageError
from afterwit.model.text import regex

if TYPE_CHECKING:
    import psycopg

TEAM = "team"
_TEAM_NAME = regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}\Z")


class HubMade(msgspec.Struct, frozen=True, kw_only=True):
    hub: str
    schema: int
    applied: list[str]  # migrations
    team: str
    is_new_team: bool


class MemberRemoved(msgspec.Struct, frozen=True, kw_only=True):
    role: str
    notes_taken_back: int


def init(address: HubAddress, team: str = TEAM, *, is_restored: bool = False) -> HubMade:
    """Makes the tables, or brings them to the newest schema, and makes a team."""
    if not _TEAM_NAME.match(team):
        raise UsageError(f"{team!r} is no name for a team: up to 60 letters, digits, dots and hyphens.")
    with connect(address) as db:
        applied = migrate_hub(db)
        with db.transaction():
            rows.put_identity(db, secrets.token_hex(16))
            if is_restored:
                rows.raise_generation(db)
            is_new = rows.put_team(db, team)
            for number in rows.team_numbers(db).values():
                rows.index_team(db, number)
            for member in rows.members(db) if applied else ():
                if not member.is_revoked and member.role != rows.current_role(db):
                    rows.grant(db, member.role, is_read_only=member.is_read_only)
        identity = rows.hub_identity(db)
        return HubMade(
            hub=identity[0][:8] if identity else "", schema=newest(), applied=applied, team=team, is_new_team=is_new
        )


def members(address: HubAddress) -> list[rows.MemberRow]:
    """All members that one may see: the owner sees those of all teams, others see themselves."""
    with connect(address) as db:
        refuse_other_schema(db)
        return rows.members(db)


def add_member(
    address: HubAddress, role: str, team: str, name: str = "", *, is_read_only: bool = False
) -> rows.MemberRow:
    """Makes a role a member of a team, or changes what it may do there; one that was revoked is let in again."""
    author = one_line(name or role, AUTHOR_LIMIT)
    if not author or author != (name or role):
        raise UsageError(f"{name or role!r} is no name for a member: up to {AUTHOR_LIMIT} plain characters.")
    with connect(address) as db:
        refuse_other_schema(db)
        if team not in rows.team_numbers(db):
            raise UsageError(
                f"There is no team {team!r} on this hub. `afterwit store hub init --team {team}` makes it."
            )
        _refuse_power(db, role)
        present = {row.role: row for row in rows.members(db)}
        if role in present and present[role].team != team:
            raise UsageError(
                f"{role} belongs to the team {present[role].team!r}. A role belongs to one team: take another role, or"
                " remove it there first."
            )
        if any(row.name == author and row.team == team and row.role != role for row in present.values()):
            raise UsageError(f"There is a {author!r} in the team {team!r} already. Take another --name.")
        with db.transaction():
            rows.put_member(db, role, team, author, is_read_only=is_read_only)
            if role != rows.current_role(db):  # an owner has all rights, and needs them
                rows.grant(db, role, is_read_only=is_read_only)
        return next(row for row in rows.members(db) if row.role == role)


def revoke_member(address: HubAddress, role: str) -> rows.MemberRow:
    """Shuts a member out; what they said stays."""
    with connect(address) as db:
        refuse_other_schema(db)
        _require_member(db, role)
        with db.transaction():
            rows.revoke_member(db, role)
            if role != rows.current_role(db):
                rows.take_grants(db, role)
        return next(row for row in rows.members(db) if row.role == role)


def remove_member(address: HubAddress, role: str) -> MemberRemoved:
    """Shuts a member out and takes back all that they said, for everybody."""
    with connect(address) as db:
        refuse_other_schema(db)
        _require_member(db, role)
        with db.transaction():
            if role != rows.current_role(db):
                rows.take_grants(db, role)
            return MemberRemoved(role=role, notes_taken_back=rows.remove_member(db, role))


def _require_member(db: "psycopg.Connection[tuple[Any, ...]]", role: str) -> None:
    if role not in {row.role for row in rows.members(db)}:
        raise UsageError(f"{role} is no member here. `afterwit store hub members list` shows who is.")


def _refuse_power(db: "psycopg.Connection[tuple[Any, ...]]", role: str) -> None:
    power = rows.role_power(db, role)
    if power is None:
        raise HubError(
            f"PostgreSQL has no role {role!r}. Make it there (`createuser --pwprompt {role}`), then try again."
        )
    is_self = role == rows.current_role(db)
    if not is_self and (power.is_super or power.bypasses or power.is_owner):
        raise HubError(
            f"The role {role!r} could read all teams: it is a superuser, bypasses row-level security, or may act as the"
            " hub's owner. Take a role without such rights."
        )


_SHOWN = 400


class HubStatus(msgspec.Struct, frozen=True, kw_only=True):
    hub: str
    schema: int
    team: str
    name: str  # of who asks
    is_read_only: bool
    repos: list[HubRepo]
    members: list[MemberSum]


def status(address: HubAddress) -> HubStatus:
    with join_hub(address) as hub:
        return HubStatus(
            hub=hub.id[:8],
            schema=newest(),
            team=hub.team,
            name=hub.name,
            is_read_only=hub.is_read_only,
            repos=rows.repo_counts(hub.db, hub.team),
            members=rows.member_sums(hub.db, hub.team),
        )


def search(address: HubAddress, words: str, limit: int | None) -> list[HubHit]:
    """What fits all of the words, the best first."""
    with join_hub(address) as hub:
        hits = rows.search(hub.db, hub.team, words, limit)
    return [msgspec.structs.replace(hit, text=one_line(hit.text, _SHOWN)) for hit in hits]
