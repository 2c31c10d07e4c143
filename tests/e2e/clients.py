"""Which real clients and installers there are, in which versions (`clients.toml`), and where each is installed.

They lie in a cache outside the clone: the folder that `AFTERWIT_CLIENTS` names, else `afterwit-clients` in the user's
cache folder. Each client has a folder of its own there. Putting it there is left to `install`.
"""

import os
import tomllib
from pathlib import Path

import msgspec

_LIST = Path(__file__).with_name("clients.toml")


class Client(msgspec.Struct, frozen=True):
    """One client: a package of one of the two registries."""

    name: str
    version: str
    command: str
    npm: str = ""
    pypi: str = ""
    python: str = ""  # the one version that it runs with

    @property
    def label(self) -> str:
        return f"{self.name} {self.version}"

    @property
    def package(self) -> str:
        return f"{self.npm}@{self.version}" if self.npm else f"{self.pypi}=={self.version}"

    @property
    def folder(self) -> Path:
        return cache_folder() / self.name

    @property
    def programs(self) -> Path:
        """The folder with its command."""
        return self.folder / ("node_modules/.bin" if self.npm else "bin")

    @property
    def program(self) -> Path:
        return self.programs / self.command


def cache_folder() -> Path:
    chosen = os.environ.get("AFTERWIT_CLIENTS")
    if chosen:
        return Path(chosen).absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "afterwit-clients"


def _listed() -> dict[str, Client]:
    tables = tomllib.loads(_LIST.read_text(encoding="utf-8"))
    return {name: msgspec.convert({"name": name, **table}, Client) for name, table in tables.items()}


_ALL = _listed()
NODE, PIPX, UV = _ALL["node"], _ALL["pipx"], _ALL["uv"]
INSTALLERS = (PIPX, UV)
CLIENTS = tuple(client for client in _ALL.values() if client not in (NODE, *INSTALLERS))
