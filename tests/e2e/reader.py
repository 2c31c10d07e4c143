"""A home in which five sessions were learned, and a client that is connected there and is to read them for us.

The client is the real one, with the scripted model behind it and nothing else. Afterwit runs as people run it.
"""

import datetime as dt
import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.e2e.clients import Client
from tests.e2e.history import plant
from tests.e2e.launches import Place, command
from tests.e2e.model_server import ModelServer, Script, serving
from tests.e2e.process import LIMIT_SECONDS, processes_of

SESSIONS = 5
NOTHING = Script((), "", aside='{"notes": []}')
_LOGS = (".claude/projects", ".codex/sessions", ".gemini/tmp", ".claude/history.jsonl", ".codex/history.jsonl")
_AN_HOUR_LATER = """
import sys, time
clock, clock_ns = time.time, time.time_ns
time.time, time.time_ns = lambda: clock() + 3600, lambda: clock_ns() + 3600 * 10**9
sys.argv[0] = "afterwit"
from afterwit.cli.main import main
main()
"""

GENERATIONS = 5  # of processes that start others


class Reader:
    """One client in its home."""

    def __init__(self, client: Client, folder: Path, server: ModelServer) -> None:
        self.client = client
        self.home = folder / "home"
        self.checkout = self.home / "orchard"
        self.server = server
        self.environ: dict[str, str] = {}

    @property
    def store(self) -> Path:
        return self.home / ".local/share/afterwit"

    def prepare(self) -> None:
        """Plants, learns, and connects our hooks to the client."""
        self.home.mkdir(parents=True)
        plant(self.home, self.checkout, dt.datetime.now(dt.UTC), SESSIONS)
        _, self.environ = command(self.client, Place(self.home, self.checkout, self.server.url), "")
        self.afterwit("learn")
        self.afterwit("connect", self.client.name, "--yes")

    def afterwit(self, *words: str) -> str:
        """What the real command prints."""
        return self._run(self.words(*words))

    def _run(self, words: Sequence[str]) -> str:
        done = subprocess.run(
            words,
            cwd=self.checkout,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT_SECONDS,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def words(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "afterwit", *words]

    def asked(self, *words: str) -> Any:
        """The same as JSON."""
        return json.loads(self.afterwit(*words, "--json"))

    def read(self, *, is_later: bool = False) -> Any:
        """Now, or when nobody waits any more for what a run that was killed had asked."""
        begin = [sys.executable, "-c", _AN_HOUR_LATER] if is_later else None
        return json.loads(self._run([*(begin or self.words()), "read", "--with", self.client.name, "--yes", "--json"]))

    def read_and_kill(self) -> None:
        """Kills the command, and nothing else, while the model holds its answer back."""
        self.server.was_asked.clear()
        self.server.may_answer.clear()
        words = self.words("read", "--with", self.client.name, "--yes")
        running = subprocess.Popen(words, cwd=self.checkout, env=self.environ, stdin=subprocess.DEVNULL)
        try:
            assert self.server.was_asked.wait(LIMIT_SECONDS)
        finally:
            running.kill()
            running.wait()
        self.must_end()
        self.server.may_answer.set()

    def must_end(self) -> None:
        """Whatever runs in this home ends by itself."""
        for _ in range(GENERATIONS):  # one that was just being started when it was looked for ends as well
            for process in processes_of(str(self.home)):
                with suppress(ProcessLookupError):
                    watch = os.pidfd_open(process)
                    ended, _, _ = select.select([watch], [], [], LIMIT_SECONDS)
                    os.close(watch)
                    assert ended, process
        assert list(processes_of(str(self.home))) == []

    def logs(self) -> dict[str, bytes]:
        """All that the clients of this home have logged."""
        places = [self.home / place for place in _LOGS]
        files = [file for place in places for file in ([place] if place.is_file() else place.rglob("*"))]
        return {str(file): file.read_bytes() for file in files if file.is_file()}

    def spooled(self) -> dict[str, bytes]:
        """What our hooks have noted, and when an agent last called one."""
        return {file.name: file.read_bytes() for file in (self.store / "spool").iterdir()}


@contextmanager
def reading(client: Client, folder: Path) -> Iterator[Reader]:
    with serving(NOTHING) as server:
        reader = Reader(client, folder, server)
        reader.prepare()
        yield reader
