"""Installs the clients from their registries into the cache, several at once, and says how that went.

Promises: a client of the right version is left alone; one that cannot be installed leaves the reason, and stops no
other. Nothing but the cache is written: npm gets a temporary cache of its own, and settings of the machine (registry,
certificates) are used as they are. Running the clients is left to the tests.
"""

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path

from tests.e2e.clients import CLIENTS, INSTALLERS, NODE, Client, cache_folder

_LIMIT_SECONDS = 600
_AT_ONCE = 3
NPM = ("npm", "install", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error")
_PIP = ("-m", "pip", "install", "-q", "--no-cache-dir", "--disable-pip-version-check")


class InstallError(Exception):
    """A client that cannot be installed; the message is the reason."""


def install_all() -> None:
    """Brings every client into the cache that can be brought there."""
    with _alone(), ThreadPoolExecutor(_AT_ONCE) as pool:
        _bring(NODE)
        wanted = [client for client in (*INSTALLERS, *CLIENTS) if not (client.npm and obstacle(NODE))]
        for done in as_completed([pool.submit(_bring, client) for client in wanted]):
            done.result()


def obstacle(client: Client) -> str:
    """Why the client cannot be run; empty if it can."""
    if client.npm and client is not NODE and (reason := obstacle(NODE)):
        return f"{client.label} needs Node: {reason}"
    if _is_installed(client):
        return ""
    note = _note(client)
    return note.read_text(encoding="utf-8") if note.exists() else f"{client.label} is not installed"


@contextmanager
def _alone() -> Iterator[None]:
    """Two runs on one machine install one after the other."""
    cache_folder().mkdir(parents=True, exist_ok=True)
    with (cache_folder() / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _bring(client: Client) -> None:
    if _is_installed(client):
        return
    begun = time.monotonic()
    shutil.rmtree(client.folder, ignore_errors=True)
    _note(client).unlink(missing_ok=True)
    try:
        _install(client)
    except InstallError as error:
        shutil.rmtree(client.folder, ignore_errors=True)
        _note(client).write_text(f"{client.label} cannot be installed: {error}", encoding="utf-8")
        _say(f"{client.label}: not installed: {error}")
    else:
        _stamp(client).write_text(client.package, encoding="utf-8")
        _say(f"{client.label}: installed in {time.monotonic() - begun:.0f} s")


def _install(client: Client) -> None:
    client.folder.mkdir(parents=True)
    if client.npm:
        _install_from_npm(client)
    else:
        _install_from_pypi(client)
    if not client.program.exists():
        raise InstallError(f"the package brings no command {client.command}")


def _install_from_npm(client: Client) -> None:
    downloads = client.folder / ".npm"
    run_installer([*NPM, "--prefix", str(client.folder), "--cache", str(downloads), client.package])
    shutil.rmtree(downloads, ignore_errors=True)


def _install_from_pypi(client: Client) -> None:
    run_installer([_python(client.python), "-m", "venv", str(client.folder)])
    run_installer([str(client.programs / "python"), *_PIP, client.package])


def _python(version: str) -> str:
    """An interpreter of that version; without one, that of the tests."""
    if not version or sys.version.startswith(f"{version}."):
        return sys.executable
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    places = [shutil.which(f"python{version}"), *sorted(pyenv.glob(f"versions/{version}.*/bin/python"))]
    for program in filter(None, places):
        asked = [str(program), "-c", "import sys; print(sys.version)"]
        said = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
        if said.startswith(f"{version}."):
            return str(program)
    raise InstallError(f"it needs Python {version}, which is not on this machine")


def run_installer(command: Sequence[str]) -> None:
    """Runs it to its end. Raises with the telling lines where it fails."""
    try:
        code, output = _finished(command)
    except FileNotFoundError:
        raise InstallError(f"{command[0]} is missing on this machine") from None
    except subprocess.TimeoutExpired:
        raise InstallError(f"{Path(command[0]).name} took longer than {_LIMIT_SECONDS} s") from None
    if code:
        raise InstallError(_told(output) or f"{Path(command[0]).name} ended with exit code {code}")


def _finished(command: Sequence[str]) -> tuple[int, str]:
    """Runs an installer with the pinned Node first on the path, because scripts of packages may need it."""
    environ = os.environ | {"PATH": f"{NODE.programs}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}
    with subprocess.Popen(
        command,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as installer:
        try:
            output, _ = installer.communicate(timeout=_LIMIT_SECONDS)
        except BaseException:
            os.killpg(installer.pid, signal.SIGKILL)
            raise
    return installer.returncode, output


def _told(complaint: str) -> str:
    """The telling lines of what an installer complained about."""
    told = [line.strip() for line in complaint.splitlines() if "error" in line.lower()]
    return "; ".join(told[:3])


def _is_installed(client: Client) -> bool:
    stamp = _stamp(client)
    return stamp.exists() and stamp.read_text(encoding="utf-8") == client.package and client.program.exists()


def _stamp(client: Client) -> Path:
    return client.folder / ".installed"


def _note(client: Client) -> Path:
    return cache_folder() / f"{client.name}.failed"


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
