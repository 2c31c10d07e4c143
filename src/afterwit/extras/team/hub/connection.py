"""A connection to a hub: opened, checked for its schema, and known to belong to a member of a team.

Names of tables are always written with their schema, and nothing is looked up along a path that others may have filled.
What PostgreSQL says goes into the error, with what to do next. A schema that is newer than this version is refused.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from afterwit.extras.team.hub import rows
from afterwit.extras.team.hub.address import HubAddress, HubError, driver_of
from afterwit.extras.team.hub.schema import newest, schema_number

if TYPE_CHECKING:
    import psycopg

_CONNECT_SECONDS = "10"
_STATEMENT_MS = "120000"
_STAYS = "Nothing is lost: what you decided goes with the next `afterwit store sync`."
_OFFLINE_CODES = ("08", "57", "53")


class OfflineError(HubError):
    """The hub does not answer now."""


class Hub(NamedTuple):
    """An open hub, and as whom."""

    db: "psycopg.Connection[tuple[Any, ...]]"
    id: str
    generation: int
    team: str
    role: str
    name: str  # of the member
    is_read_only: bool

    @property
    def key(self) -> str:
        """What this machine keeps of the hub is kept under this."""
        return f"{self.id}:{self.generation}:{self.team}:{self.role}"

    def source(self, repo: str) -> str:
        """How the journal calls what comes from here."""
        return f"{self.team}@{self.id[:8]}/{repo}"


@contextmanager
def connect(address: HubAddress) -> Iterator["psycopg.Connection[tuple[Any, ...]]"]:
    """A connection to the server, whoever one is there."""
    driver = driver_of()
    options = {"connect_timeout": _CONNECT_SECONDS, **address.options}
    try:
        with driver.connect(**options, autocommit=True, application_name="afterwit") as db:
            rows.prepare_session(db, _STATEMENT_MS)
            yield db
    except driver.Error as error:
        raise _translate(error, address) from error


@contextmanager
def join_hub(address: HubAddress) -> Iterator[Hub]:
    """The hub, as a member of one of its teams."""
    with connect(address) as db:
        refuse_other_schema(db)
        identity, member = rows.hub_identity(db), rows.own_membership(db)
        if identity is None or member is None:
            raise HubError(
                f"{rows.current_role(db)} is no member of the hub at {address.in_words}, or was revoked. Its owner can"
                " say `afterwit store hub members add`."
            )
        yield Hub(db, *identity, member.team, member.role, member.name, member.is_read_only)


def refuse_other_schema(db: "psycopg.Connection[tuple[Any, ...]]") -> None:
    """Raises where the tables are not those of this version."""
    number = schema_number(db)
    if number == 0:
        raise HubError("There is no hub in this database. `afterwit store hub init` makes one.")
    if number > newest():
        raise HubError(
            f"The hub has schema {number}, and this afterwit knows {newest()}. Upgrade afterwit; until then"
            " the hub is left alone."
        )
    if number < newest():
        raise HubError(
            f"The hub has schema {number}, and this afterwit needs {newest()}. Its owner brings it there with"
            " `afterwit store hub init`."
        )


def _translate(error: Any, address: HubAddress) -> HubError:
    code = error.sqlstate or ""
    what = " ".join(str(error).split()) or type(error).__name__
    if code.startswith("28") or "password" in what or "no pg_hba.conf entry" in what:
        return HubError(
            f"The hub at {address.in_words} refused the login ({what}). Check the user, and ~/.pgpass or PGPASSWORD."
        )
    if code == "42501":
        return HubError(
            f"The hub at {address.in_words} refused ({what}). You are no member of a team there, may only read, or were"
            " revoked: ask its owner."
        )
    if "certificate" in what or "SSL" in what:
        return HubError(f"The hub at {address.in_words} did not prove who it is ({what}). {_STAYS}")
    if not code or code.startswith(_OFFLINE_CODES):
        return OfflineError(f"The hub at {address.in_words} does not answer ({what}). {_STAYS}")
    return HubError(f"The hub at {address.in_words} failed ({what}). {_STAYS}")
