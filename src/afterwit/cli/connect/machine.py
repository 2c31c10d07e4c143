"""The machine that `connect`, `disconnect` and `doctor` work on, as the command finds it."""

import os
import sys
from pathlib import Path

from afterwit.cli.terminal.options import Here, own_command
from afterwit.config.show import StorePlace, default_root
from afterwit.connect.plan import Machine, notes_of
from afterwit.connect.schedule import Host
from afterwit.edits.edits import Surroundings

_HOOK = "afterwit-hook"


def this_host(here: Here) -> Host:
    uid = os.getuid() if sys.platform != "win32" else 0
    return Host(here.world.environ, sys.platform, here.world.user_home, uid, own_command())


def this_machine(here: Here, *, may_refuse: bool = False, may_rewrite: bool = False) -> Machine:
    """The machine on which agents are connected, in the project that the command was called in."""
    world = here.world
    at = Surroundings(
        user_home=world.user_home,
        environ=dict(world.environ),
        platform=sys.platform,
        project=_project(Path.cwd()),
        hook=_hook_command(),
        server=(*own_command(), "mcp"),
        store=_variables(here.configured.place, world.user_home),
        exists=lambda path: Path(path).exists(),
        may_refuse=may_refuse,
        may_rewrite=may_rewrite,
    )
    return Machine(world.layout, at, notes_of(world.layout, world.user_home), world.now_ms)


def _hook_command() -> tuple[str, ...]:
    """The small program beside the interpreter, else the interpreter with the module."""
    for name in (_HOOK, f"{_HOOK}.exe"):
        program = Path(sys.executable).with_name(name)
        if program.is_file():
            return (str(program),)
    return (sys.executable, "-I", "-m", "afterwit.hook")


def _variables(place: StorePlace, user_home: Path) -> dict[str, str]:
    """What leads a hook to this store; nothing for the usual one, which it finds by itself."""
    usual = Path(default_root({"HOME": str(user_home), "USERPROFILE": str(user_home)}, sys.platform))
    if place.store == usual:
        return {}
    return {"AFTERWIT_HOME": str(place.root), "AFTERWIT_PROFILE": place.profile}


def _project(folder: Path) -> Path:
    """The checkout around a folder, else the folder."""
    return next((parent for parent in (folder, *folder.parents) if (parent / ".git").exists()), folder)
