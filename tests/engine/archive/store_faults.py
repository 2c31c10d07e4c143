"""Ways to harm a store, and what must be left of it whatever happened."""

import os
import random
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

from tests.homes import CLAUDE, claude_records, family_home, learned, mixed_home, put, world_of

from afterwit.config.world import World
from afterwit.sessions import pin as pinning
from afterwit.store import atomic
from afterwit.store.archive import Archive, ArchiveName
from afterwit.store.layout import Layout

FIRST, SECOND = (f"11111111-aaaa-4aaa-8aaa-00000000000{number}" for number in (1, 2))


def prepared(folder: Path) -> tuple[Path, Path]:
    """A home and a store that knows it: several agents, companions, two generations of a file, small frames, a pin."""
    home, store = family_home(mixed_home(folder / "home")), folder / "store"
    path = put(home / CLAUDE / "grown.jsonl", claude_records("grown", 2))
    learned(home, store)
    put(path, claude_records("grown", 5))
    first = min((home / CLAUDE).glob("1*.jsonl"))
    first.write_bytes(b"".join(first.read_bytes().splitlines(keepends=True)[5:]))
    learned(home, store)
    pinning.pin(world_of(home, store), [FIRST])
    return home, store


def copied(store: Path, target: Path) -> Path:
    shutil.copytree(store, target)
    return target


def originals(store: Path) -> dict[ArchiveName, bytes]:
    """All that the archive holds, unpacked."""
    archive = Archive(Layout(store).archive)
    return {name: b"".join(archive.read(name)) for name in archive.names() if not archive.is_remains(name)}


def lost(before: dict[ArchiveName, bytes], store: Path) -> list[ArchiveName]:
    """What was archived and no longer is, in any generation of its file."""
    after = originals(store)

    def is_there(name: ArchiveName, content: bytes) -> bool:
        same = (held for other, held in after.items() if other.partition("-")[0] == name.partition("-")[0])
        return any(held.startswith(content) for held in same)

    return [name for name, content in before.items() if not is_there(name, content)]


def flip(path: Path, chance: random.Random, count: int = 1) -> None:
    content = bytearray(path.read_bytes())
    for _ in range(count):
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


def empty_database(store: Path) -> None:
    for path in store.glob("afterwit.db*"):
        path.unlink()
    (store / "afterwit.db").touch(0o600)


def later(world: World, ms: int) -> World:
    return world._replace(now_ms=world.now_ms + ms)


def killed_at(number: int, call: Callable[[], object]) -> str | None:
    """Runs the call in a process of its own that is killed, without warning, at its n-th step. Returns the name of the
    step; None if the call ended before."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(writing, 2)
        atomic._KILL_AT, atomic._reached = number, 0
        try:
            call()
        except BaseException as error:  # noqa: BLE001 - this process is not the one that tests
            os.write(2, repr(error).encode())
            os._exit(9)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as said:
        text = said.read().decode("utf-8", "replace")
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, -signal.SIGKILL), text
    return text.strip().partition(": ")[2] if code else None
