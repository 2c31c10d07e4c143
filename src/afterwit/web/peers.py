"""Whose program is at the other end of a connection on this machine, where the system tells.

Linux does, in its tables of sockets. Elsewhere, and for a connection that no table has, nothing is known: then the link
and the cookie are all that stands before the page.
"""

import os
import socket
import sys
from contextlib import suppress
from pathlib import Path

Address = tuple[str, int]
TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_LOCAL, _REMOTE, _USER = 1, 2, 7  # columns
_MAPPED = f"{int.from_bytes(bytes((0, 0, 255, 255)), sys.byteorder):024X}"  # before an address, in the newer table
_ROOT = "0"  # may read everything in any case, and is named for sockets that were closed already


def is_of_another_user(client: Address, server: Address) -> bool:
    """Whether the client's end belongs to neither this user nor the administrator."""
    ends = tuple(map(_written, (client, server)))
    users: set[str] = set()
    for table in TABLES:
        with suppress(OSError):
            rows = (line.replace(_MAPPED, "").split() for line in table.read_text("ascii", "replace").splitlines())
            users |= {row[_USER] for row in rows if len(row) > _USER and (row[_LOCAL], row[_REMOTE]) == ends}
    return bool(users) and not users <= {str(os.getuid()), _ROOT}


def _written(address: Address) -> str:
    """As the kernel writes it: the address as a number of this machine."""
    return f"{int.from_bytes(socket.inet_aton(address[0]), sys.byteorder):08X}:{address[1]:04X}"
