"""Whose program is at the other end of a connection on this machine, where the system tells.

Linux does, in its tables of sockets. Elsewhere, and for a connection that no table has, nothing is known: then the link
and the cookie are all that stands before the page.
"""

import os
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

Address = tuple[str, int]
_TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_LOCAL, _REMOTE, _USER = 1, 2, 7  # columns
_ROOT = 0  # may read everything in any case, and is named for sockets that were closed already


def is_of_another_user(client: Address, server: Address, tables: Sequence[Path] = _TABLES) -> bool:
    """Whether the client's end belongs to neither this user nor the administrator."""
    if sys.platform != "linux" and tables is _TABLES:
        return False
    users: set[int] = set()
    for table in tables:
        try:
            users |= users_of(table.read_bytes(), client, server)
        except OSError:
            continue
    return not users <= {os.getuid(), _ROOT}


def users_of(table: bytes, client: Address, server: Address) -> set[int]:
    """The users to whom a table of the kernel gives the socket of the client."""
    ends = {tuple(prefix + _written(address) for address in (client, server)) for prefix in ("", _mapped())}
    rows = (row.split() for row in table.decode("ascii", "replace").splitlines()[1:])
    return {int(row[_USER]) for row in rows if len(row) > _USER and (row[_LOCAL], row[_REMOTE]) in ends}


def _written(address: Address) -> str:
    """As the kernel writes it: the address as a number of this machine."""
    return f"{int.from_bytes(socket.inet_aton(address[0]), sys.byteorder):08X}:{address[1]:04X}"


def _mapped() -> str:
    """What stands before an address of the fourth version in the table of the sixth."""
    return "0" * 16 + f"{int.from_bytes(bytes((0, 0, 255, 255)), sys.byteorder):08X}"
