"""Where a hub is: the connection string as the user wrote it, and how the way there is protected.

A password does not belong into a command line or a configuration: it comes from ~/.pgpass, PGPASSWORD or a service
file, as PostgreSQL's own programs have it. Where the connection leaves this machine it is encrypted and the server
has to prove its name, unless the string says otherwise; then there is a warning.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from afterwit.extras.memory.backend import is_this_machine
from afterwit.model.errors import AfterwitError, UsageError, install_command

SAFE = "verify-full"


class HubError(AfterwitError):
    """The hub could not be used. What was decided here stays here, and goes with the next sync."""


class HubAddress(NamedTuple):
    options: Mapping[str, str]  # as libpq takes them
    warning: str = ""

    @property
    def in_words(self) -> str:
        """Without whatever should not be shown."""
        host = self.options.get("host") or self.options.get("hostaddr") or self.options.get("service") or "this machine"
        return f"{host}/{self.options.get('dbname', '')}".rstrip("/")


def address_of(text: str, environ: Mapping[str, str], home: Path) -> HubAddress:
    """The address that a connection string or URL names. Raises UsageError where it names none, or holds a password."""
    driver = driver_of()
    try:
        parts = {name: str(value) for name, value in driver.conninfo.conninfo_to_dict(text).items()}
    except driver.ProgrammingError as error:
        what = " ".join(str(error).split())
        raise UsageError(
            f"This is no address of a hub ({what}). It looks like postgresql://ada@db.example.org/hub."
        ) from None
    if parts.get("password") or parts.get("sslpassword"):
        raise UsageError(
            "The address of a hub may not hold a password: others could read it. Put it into ~/.pgpass or PGPASSWORD."
        )
    if not _leaves_machine(parts, environ):
        return HubAddress(parts)
    mode = parts.setdefault("sslmode", SAFE)
    if mode != SAFE:
        return HubAddress(parts, _warning(mode))
    has_roots = "sslrootcert" in parts or "PGSSLROOTCERT" in environ or (home / ".postgresql" / "root.crt").exists()
    if has_roots or _service(parts, environ):  # a service may name its own, which ours would hide
        return HubAddress(parts)
    return HubAddress({**parts, "sslrootcert": "system"})


def _leaves_machine(parts: Mapping[str, str], environ: Mapping[str, str]) -> bool:
    """Every name and address counts: a name from elsewhere whose address is here is the end of a tunnel. What a service
    file says is not known here, so it counts as elsewhere."""
    named = (parts.get("host") or environ.get("PGHOST", ""), parts.get("hostaddr") or environ.get("PGHOSTADDR", ""))
    hosts = (host for listed in named for host in listed.split(","))
    return _service(parts, environ) or not all(map(is_this_machine, hosts))


def _service(parts: Mapping[str, str], environ: Mapping[str, str]) -> bool:
    return bool(parts.get("service") or environ.get("PGSERVICE"))


def _warning(mode: str) -> str:
    lacks = "anybody on the way can pretend to be it" if mode in ("require", "verify-ca") else "others may read along"
    return f"sslmode={mode} leaves the connection to the hub open to attack: {lacks}. Without it, {SAFE} is used."


def driver_of() -> Any:
    """PostgreSQL's driver, imported when it is needed."""
    try:
        import psycopg
        import psycopg.conninfo
    except ImportError as error:
        raise HubError(
            f"The PostgreSQL driver is not installed ({error}). Install it: `{install_command('postgres')}`."
        ) from error
    return psycopg
