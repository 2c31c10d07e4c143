"""A network that ends at this machine: a Linux network namespace that holds nothing but the loopback device.

Promises: where the kernel or the rights do not allow that, `fenced` gives the command as it is, and `is_fenced` is
false.
"""

import fcntl
import shutil
import socket
import struct
import subprocess
from collections.abc import Sequence

_WAYS = (("unshare", "--net"), ("unshare", "--net", "--map-root-user"))
_READ_FLAGS, _WRITE_FLAGS, _UP = 0x8913, 0x8914, 0x1
_REQUEST = "16sH22x"
_LOOPBACK = "lo"


def fenced(command: Sequence[str]) -> list[str]:
    """The command, in a namespace of its own if that is possible."""
    for way in _WAYS:
        if shutil.which(way[0]) and not subprocess.run([*way, "true"], capture_output=True, check=False).returncode:
            return [*way, *command]
    return list(command)


def raise_loopback() -> None:
    """Brings the loopback device of a new namespace up."""
    if is_fenced():
        with _control() as control:
            flags = _flags(control, _LOOPBACK) | _UP
            fcntl.ioctl(control, _WRITE_FLAGS, struct.pack(_REQUEST, _LOOPBACK.encode(), flags))


def is_fenced() -> bool:
    """Whether no device leads out of this machine."""
    names = [name for _, name in socket.if_nameindex()]
    with _control() as control:
        return _LOOPBACK in names and not any(_flags(control, name) & _UP for name in names if name != _LOOPBACK)


def _control() -> socket.socket:
    return socket.socket(socket.AF_INET, socket.SOCK_DGRAM)


def _flags(control: socket.socket, device: str) -> int:
    answer = fcntl.ioctl(control, _READ_FLAGS, struct.pack(_REQUEST, device.encode(), 0))
    flags: int = struct.unpack(_REQUEST, answer)[1]
    return flags
