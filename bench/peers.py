"""Other programs that read the same logs: agentsview, whose `sync` keeps them in a database, and ccusage, which counts.

Taken from the PATH, or, where that is asked for, installed from their registries into a folder, in the versions named
here. What is neither there nor can be installed is left out of the table. Each gets a home of its own, no daemon, and
tells nobody about its use.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from bench.processes import Run, run

AGENTSVIEW, CCUSAGE = "agentsview", "ccusage"
VERSIONS = {AGENTSVIEW: "0.46.1", CCUSAGE: "20.0.24"}
_COMMANDS = {AGENTSVIEW: ("sync",), CCUSAGE: ("daily", "--json", "--offline")}
_QUIET = {
    "AGENTSVIEW_NO_DAEMON": "1",
    "AGENTSVIEW_DISABLE_UPDATE_CHECK": "1",
    "AGENTSVIEW_TELEMETRY_ENABLED": "0",
    "DO_NOT_TRACK": "1",
}


class Peer(NamedTuple):
    """A program that is there."""

    name: str
    place: str

    def read(self, home: Path, data: Path) -> Run:
        """Lets it read a home; what it keeps goes to `data`, where it finds it again the next time."""
        environ = {"HOME": str(home), "PATH": os.environ.get("PATH", ""), "AGENTSVIEW_DATA_DIR": str(data), **_QUIET}
        done = run([self.place, *_COMMANDS[self.name]], environ)
        if done.code:
            raise RuntimeError(f"{self.name} ended with {done.code}.")
        return done

    def version(self) -> str:
        """What it says of itself."""
        done = subprocess.run([self.place, "--version"], check=True, capture_output=True, text=True)
        return done.stdout.strip()


def found(folder: Path | None = None) -> list[Peer]:
    """The peers that are on the PATH; with a folder, those that could be installed into it too."""
    places = {name: place_of(name, folder) for name in VERSIONS}
    return [Peer(name, place) for name, place in places.items() if place is not None]


def place_of(name: str, folder: Path | None) -> str | None:
    """Where the program is."""
    return shutil.which(name) or (_installed(name, folder) if folder is not None else None)


def _installed(name: str, folder: Path) -> str | None:
    """Installs it, with nothing outside the folder."""
    if name == AGENTSVIEW:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder)]
        place = folder / name / "bin" / name  # the program itself; beside it lies a script that starts it
        asked = f"{name}=={VERSIONS[name]}"
    else:
        command = ["npm", "install", "--silent", "--prefix", str(folder)]
        place = folder / "node_modules" / ".bin" / name
        asked = f"{name}@{VERSIONS[name]}"
    if shutil.which(command[0]) is None or subprocess.run([*command, asked], check=False).returncode:
        return None
    place.chmod(place.stat().st_mode | 0o111)
    return str(place)
