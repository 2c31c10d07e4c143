"""A script that gives up what a test of a repository must not have, and then becomes that test. Linux alone.

It is started as root of fresh namespaces: `confined.py FOLDER PROTECTED... -- COMMAND...`. Everything becomes read-only
but FOLDER and the shared places for temporary files; PROTECTED is read-only even there. No device but harmless ones can
be opened, and the sockets of the desktop and of container engines are out of sight. Then all capabilities go, also
those that a program could be started with, and no privilege can be gained again. In a namespace that the test makes for
itself the kernel keeps these mounts locked. Without a FOLDER ("") files stay as they are. It imports nothing of ours.
"""

import ctypes
import fcntl
import os
import socket
import struct
import sys
from pathlib import Path

_LIBC = ctypes.CDLL(None, use_errno=True)
_BIND, _RECURSIVE_BIND = 4096, 4096 | 16384
_READ_ONLY, _NO_SUID, _NO_DEVICES = 1, 2, 4
_MOUNT_SETATTR, _HERE, _RECURSIVE = 442, -100, 0x8000
_DROP_BOUNDING, _NO_NEW_PRIVILEGES, _AMBIENT, _CLEAR_ALL = 24, 38, 47, 4
_CAPABILITIES_3 = 0x20080522
_SET_FLAGS, _UP = 0x8914, 1
_TEMPORARY = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108 - what programs expect to find, whose ever it is
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "pts")
_HIDDEN = ("/run/user", "/run/dbus", "/run/docker.sock", "/run/containerd", "/run/podman")


def main(folder: str, protected: list[str], command: list[str]) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        fcntl.ioctl(asking, _SET_FLAGS, struct.pack("16sh14x", b"lo", _UP))
    if folder:
        _seal(folder, protected)
        os.chdir(Path.cwd())  # through the mounts that are new
    _drop_privileges()
    os.execvp(command[0], command)  # noqa: S606 - that is its purpose


def _seal(folder: str, protected: list[str]) -> None:
    _change("/", added=_READ_ONLY | _NO_SUID | _NO_DEVICES, flags=_RECURSIVE)
    for device in filter(os.path.exists, (f"/dev/{name}" for name in _DEVICES)):
        _mount(device, device)
        _change(device, removed=_NO_DEVICES)
    for place in filter(os.path.isdir, _TEMPORARY):
        _mount(place, place, _RECURSIVE_BIND)
        _change(place, removed=_READ_ONLY)
    for place in filter(os.path.exists, protected):
        _mount(place, place, _RECURSIVE_BIND)
        _change(place, added=_READ_ONLY, flags=_RECURSIVE)
    for place in filter(os.path.exists, _HIDDEN):
        if Path(place).is_dir():
            _mount("none", place, kind=b"tmpfs")
        else:
            _mount("/dev/null", place)
    _mount(folder, folder)
    _change(folder, removed=_READ_ONLY)


def _drop_privileges() -> None:
    _check(_LIBC.prctl(_AMBIENT, _CLEAR_ALL, 0, 0, 0), "ambient capabilities")
    number = 0
    while _LIBC.prctl(_DROP_BOUNDING, number, 0, 0, 0) == 0:
        number += 1
    header, nothing = struct.pack("Ii", _CAPABILITIES_3, 0), bytes(24)
    _check(_LIBC.capset(header, nothing), "capabilities")
    _check(_LIBC.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "no new privileges")


def _mount(source: str, target: str, flags: int = _BIND, kind: bytes | None = None) -> None:
    how = ctypes.c_ulong(0 if kind else flags)
    _check(_LIBC.mount(os.fsencode(source), os.fsencode(target), kind, how, None), target)


def _change(target: str, added: int = 0, removed: int = 0, flags: int = 0) -> None:
    """The attributes of a mount, those of all below it with `_RECURSIVE`; what is not named stays."""
    attributes = struct.pack("QQQQ", added, removed, 0, 0)
    done = _LIBC.syscall(_MOUNT_SETATTR, _HERE, os.fsencode(target), flags, attributes, ctypes.c_size_t(32))
    _check(done, target)


def _check(result: int, what: str) -> None:
    if result:
        sys.exit(f"This command cannot be confined: {what}: {os.strerror(ctypes.get_errno())}.")


if __name__ == "__main__":
    _end = sys.argv.index("--")
    main(sys.argv[1], sys.argv[2:_end], sys.argv[_end + 1 :])
