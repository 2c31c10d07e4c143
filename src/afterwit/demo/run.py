"""Writes the invented home of the demo into a folder, learns from it, and removes such a folder again.

Nothing of the user's own is read or written: the run has an environment of its own, with the demo's home and store and
nothing else. A script beside them runs any command in that environment.
"""

import datetime as dt
import os
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from afterwit.agents.registry import AGENTS
from afterwit.config.show import Configured, load
from afterwit.config.world import World
from afterwit.demo.home import home_files
from afterwit.learn.learn import learn
from afterwit.model.errors import UsageError
from afterwit.model.learn_run import Options, Progress, Report
from afterwit.store.layout import Layout

_MARK = "afterwit-demo.txt"
_ABOUT = "Everything in this folder was invented by `afterwit demo`. It can be deleted.\n"
_CONFIG = '[domains]\nfruit = ["github.com/acme/orchard"]\nsea = ["github.com/acme/harbour"]\n'


class DemoPlace(NamedTuple):
    """Where the parts of a demo lie."""

    folder: Path
    platform: str

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def store(self) -> Path:
        return self.folder / "store"

    @property
    def script(self) -> Path:
        return self.folder / ("afterwit.cmd" if self.platform == "win32" else "afterwit")


class Demo(NamedTuple):
    configured: Configured
    world: World


def write_demo(place: DemoPlace, day: dt.date, command: tuple[str, ...]) -> None:
    """Fills a folder that is empty or not there yet. `command` starts afterwit."""
    folder = place.folder
    if folder.is_symlink() or (folder.exists() and (not folder.is_dir() or any(folder.iterdir()))):
        raise UsageError(f"{folder} is there already and not empty. Name a new folder.")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _MARK).write_text(_ABOUT, encoding="utf-8")
    for path, file in home_files(day, place.home.as_posix()).items():
        target = place.home / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.content)
        os.utime(target, (file.at_ms / 1000, file.at_ms / 1000))
    place.store.mkdir(mode=0o700)
    (place.store / "config.toml").write_text(_CONFIG, encoding="utf-8")
    (place.store / "config.toml").chmod(0o600)
    place.script.write_text(script_text(place, command), encoding="utf-8")
    place.script.chmod(0o755)


def demo_of(place: DemoPlace, now_ms: int) -> Demo:
    """The demo's own surroundings."""
    environ = {"HOME": str(place.home), "USERPROFILE": str(place.home), "AFTERWIT_HOME": str(place.store)}
    configured = load(environ, place.platform)
    return Demo(configured, World(Layout(place.store), configured.settings, place.home, environ, now_ms))


def learn_demo(demo: Demo, progress: Progress) -> Report:
    return learn(demo.world, Options(), progress)


def remove_demo(folder: Path) -> None:
    """Removes a folder that a demo wrote, and no other."""
    if folder.is_symlink() or not (folder / _MARK).is_file():
        raise UsageError(f"{folder} was not written by `afterwit demo`; nothing was removed.")
    shutil.rmtree(folder)


def script_text(place: DemoPlace, command: tuple[str, ...]) -> str:
    """A script that runs afterwit on the demo, whatever the surroundings say."""
    moved = sorted({variable.name for agent in AGENTS for variable in agent.variables})
    foreign = ["AFTERWIT_CONFIG", "AFTERWIT_PROFILE", *moved]
    if place.platform == "win32":
        own = (f'@set "USERPROFILE={place.home}"', f'@set "AFTERWIT_HOME={place.store}"')
        cleared = [f'@set "{name}="' for name in foreign]
        return "\r\n".join([*cleared, *own, f"@{subprocess.list2cmdline(command)} %*", ""])
    own = (
        f"export HOME={shlex.quote(str(place.home))}",
        f"export AFTERWIT_HOME={shlex.quote(str(place.store))}",
    )
    return "\n".join(["#!/bin/sh", f"unset {' '.join(foreign)}", *own, f'exec {shlex.join(command)} "$@"', ""])
