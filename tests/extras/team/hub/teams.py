"""Members of teams on a hub, each with a role in PostgreSQL and a store of their own."""

from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from psycopg.conninfo import make_conninfo
from tests.extras.memory.postgres_server import PostgresServer
from tests.extras.team.members import REPO, Member, member

from afterwit.extras.team.hub.address import HubAddress, address_of
from afterwit.extras.team.hub.owner import add_member, init
from afterwit.extras.team.hub.sync import Synced, SyncRequest, sync


class HubServer(NamedTuple):
    """A database with its own names for roles, which are shared by all databases of a server."""

    server: PostgresServer
    number: int

    @classmethod
    def made(cls, server: PostgresServer, number: int) -> "HubServer":
        made = cls(server, number)
        with psycopg.connect(server.dsn, autocommit=True) as db:
            db.execute(f"CREATE ROLE {made.role('keeper')} LOGIN".encode())
            db.execute(f"CREATE DATABASE hub_{number} OWNER {made.role('keeper')}".encode())
        return made

    def role(self, name: str) -> str:
        return f"{name}_{self.number}"

    def address(self, name: str) -> HubAddress:
        server = self.server
        host = server.dsn.split()[0].removeprefix("host=")
        dsn = f"host={host} port={server.port} user={self.role(name)} dbname=hub_{self.number}"
        return address_of(dsn, {}, Path("/nowhere"))

    @property
    def keeper(self) -> HubAddress:
        return self.address("keeper")

    def login(self, name: str) -> None:
        """Makes a role that may log in, and nothing else."""
        with psycopg.connect(self.server.dsn, autocommit=True) as db:
            db.execute(f"CREATE ROLE {self.role(name)} LOGIN".encode())

    def begins(self, *teams: str) -> None:
        for team in teams:
            init(self.keeper, team)

    def joins(self, name: str, team: str = "growers", *, is_read_only: bool = False) -> None:
        self.login(name)
        add_member(self.keeper, self.role(name), team, name, is_read_only=is_read_only)

    def connection(self, name: str, *, autocommit: bool = True) -> "psycopg.Connection[tuple[Any, ...]]":
        return psycopg.connect(make_conninfo(**self.address(name).options), autocommit=autocommit)

    def asked(self, name: str, query: str, *values: object) -> list[tuple[Any, ...]]:
        """What a role gets for a query of its own."""
        with self.connection(name) as db:
            cursor = db.execute(query.encode(), values or None)
            return cursor.fetchall() if cursor.description else []


class HubMate(NamedTuple):
    """Somebody with a store and a place in a team."""

    local: Member
    address: HubAddress

    def syncs(self, minutes: int = 0, **request: Any) -> Synced:
        wanted = SyncRequest(**{"repos": (REPO,), **request})
        done = sync(self.local.later(minutes).world, self.address, wanted, lambda _: True)
        assert done is not None
        (synced,) = done
        return synced


def mate(server: HubServer, folder: Path, name: str, team: str = "growers", **options: Any) -> HubMate:
    """Somebody new in a team."""
    config = options.pop("config", "")
    server.joins(name, team, **options)
    return HubMate(member(folder, name, config=config), server.address(name))
