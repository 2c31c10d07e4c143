"""Afterwit as people get it: the wheel of this clone, by `pipx install`, by `uv tool install` and by `uvx`.

Installing needs the registry, for what Afterwit needs; so it is done before the tests, which run without a network.
Every way has a home and folders of its own in a temporary folder, which ends with the run. Settings of the machine
(registry, certificates) are used as they are. A way that fails leaves the reason, and stops nothing else; where the
registry answers, that reason is a fault of ours.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.e2e.clients import PIPX, UV, Client
from tests.e2e.install import obstacle

_ROOT = Path(__file__).parents[2]
_PLACE = "AFTERWIT_PACKAGED"
_LIMIT_SECONDS = 600


class Way(NamedTuple):
    """A way to install, and how a program is called then."""

    name: str
    installer: Client
    install: tuple[str, ...]  # before the wheel
    call: tuple[str, ...] = ()  # before the name of a program; the wheel is filled in

    @property
    def folder(self) -> Path:
        return Path(os.environ[_PLACE]) / self.name.replace(" ", "-")

    @property
    def bin(self) -> Path:
        return self.folder / "bin"

    @property
    def excuse(self) -> Path:
        """The file that says why nothing could be installed here."""
        return self.folder / "excuse.txt"

    @property
    def fault(self) -> Path:
        """The file that says why the package could not be installed, although the registry is there."""
        return self.folder / "fault.txt"

    def environ(self) -> dict[str, str]:
        """Variables that keep all that an installer writes in the folder."""
        own = {
            "HOME": "home",
            "XDG_CACHE_HOME": "home/.cache",
            "XDG_DATA_HOME": "home/.local/share",
            "XDG_STATE_HOME": "home/.local/state",
            "PIPX_HOME": "pipx",
            "PIPX_BIN_DIR": "bin",
            "PIPX_MAN_DIR": "man",
            "UV_TOOL_DIR": "tools",
            "UV_TOOL_BIN_DIR": "bin",
            "UV_CACHE_DIR": "cache",
        }
        fixed = {"UV_PYTHON": sys.executable, "UV_PYTHON_DOWNLOADS": "never", "PIPX_DEFAULT_PYTHON": sys.executable}
        path = f"{self.installer.programs}:/usr/local/bin:/usr/bin:/bin"
        return {**{name: str(self.folder / place) for name, place in own.items()}, **fixed, "PATH": path}

    def words(self, program: str) -> list[str]:
        """The beginning of a command line that runs one of our programs."""
        if not self.call:
            return [str(self.bin / program)]
        return [str(self.installer.programs / self.call[0]), *self.call[1:], str(wheel()), program]


WAYS = (
    Way("pipx install", PIPX, ("pipx", "install")),
    Way("uv tool install", UV, ("uv", "tool", "install")),
    Way("uvx", UV, ("uvx", "--from"), ("uvx", "--offline", "--from")),
)


def wheel() -> Path:
    return next(Path(os.environ[_PLACE]).glob("*.whl"))


def require(way: Way) -> None:
    """Skips the test where nothing can be installed that way, and fails where only our package cannot."""
    if _PLACE not in os.environ:
        pytest.skip("packages are installed by `make e2e` alone, before its tests")
    if way.excuse.exists():
        pytest.skip(way.excuse.read_text(encoding="utf-8"))
    if way.fault.exists():
        pytest.fail(way.fault.read_text(encoding="utf-8"))


@contextmanager
def packaged() -> Iterator[dict[str, str]]:
    """Builds the wheel and installs it every way; the environment in which tests find that."""
    with tempfile.TemporaryDirectory(prefix="afterwit-packaged-") as folder:
        os.environ[_PLACE] = folder
        build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
        subprocess.run(build, cwd=_ROOT, stdout=subprocess.DEVNULL, check=True)
        for way in WAYS:
            _install(way)
        yield dict(os.environ)


def _install(way: Way) -> None:
    begun = time.monotonic()
    (way.folder / "home").mkdir(parents=True)
    if reason := obstacle(way.installer):
        way.excuse.write_text(reason, encoding="utf-8")
    elif reason := _complaint(way):
        note = way.fault if _answers_registry(way.installer) else way.excuse
        note.write_text(f"{way.name}: {reason}", encoding="utf-8")
    how = f"not installed: {reason}" if reason else f"installed in {time.monotonic() - begun:.0f} s"
    sys.stderr.write(f"afterwit by {way.name}: {how}\n")


def _answers_registry(installer: Client) -> bool:
    """Whether a small package can be fetched that hardly lies on the machine already."""
    with tempfile.TemporaryDirectory() as folder:
        fetch = ("-m", "pip", "download", "-q", "--no-cache-dir", "--no-deps", "-d", folder, PIPX.package)
        command = [str(installer.programs / "python"), *fetch]
        return not subprocess.run(command, capture_output=True, check=False).returncode


def _complaint(way: Way) -> str:
    settings = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    more = ("afterwit", "--version") if way.call else ()
    installer = str(way.installer.programs / way.install[0])
    try:
        ran = subprocess.run(
            [installer, *way.install[1:], str(wheel()), *more],
            env={**os.environ, **way.environ(), "XDG_CONFIG_HOME": settings},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_LIMIT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it took longer than {_LIMIT_SECONDS} s"
    return (ran.stderr + ran.stdout).strip()[-2000:] if ran.returncode else ""
