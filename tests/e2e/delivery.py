"""A scene: a client's home with a planted history that was learned, and a model that plays whatever script it is given.

Afterwit and the client are real processes with an environment of their own. A scene lasts for many sessions of one
client, because some need long for the first one in a new home. Each session brings about the state that it needs, so
the order of the tests does not matter. What the sessions show is left to the tests.
"""

import datetime as dt
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tests.e2e.clients import Client
from tests.e2e.excuses import EXCUSES, Ability
from tests.e2e.history import BARE, TASK, WISH, WRAPPED, plant, put_checkout
from tests.e2e.launches import Place, command
from tests.e2e.model_server import SHELL_TOOLS, Look, ModelServer, Script, Use, serving
from tests.e2e.process import run
from tests.e2e.wire_formats import Asked

from afterwit.model.brief import Heading

OPENING, CLOSING = "[afterwit notes from past sessions]", "[end of afterwit notes]"
WHOLE = Script(
    ("echo good morning", WRAPPED, BARE, Use("afterwit", "recall", {"task": TASK})), "The press stops by itself."
)
SHORT = Script((WRAPPED,), "Nothing was wrapped.")
_STORE = ".local/share/afterwit"
_SETTINGS = "[recall]\nlearns_at_end = false\n"  # the tests say when


class Session(NamedTuple):
    """What a session of the client brought: the requests of its turns, in order."""

    exit_code: int | None
    output: str
    requests: Sequence[Asked]
    seen: Mapping[int, Any] = {}  # what a look at the files showed when the model had so many results

    @property
    def texts(self) -> list[str]:
        return [asked.text for asked in self.requests]

    def must_have_ended_with(self, goodbye: str) -> None:
        assert (self.exit_code, goodbye in self.output) == (0, True), self.output

    def after(self, results: int) -> str:
        """What the model read when it had so many results."""
        return next(asked.text for asked in self.requests if asked.results == results)


class Scene:
    """One client in its home."""

    def __init__(self, client: Client, folder: Path, server: ModelServer) -> None:
        self.client = client
        self.home = folder / "home"
        self.checkout = self.home / "orchard"
        self.elsewhere = self.home / "harbour"
        self._log = folder / "client.log"
        self._server = server
        self._sessions: dict[object, Session] = {}
        self._connected: tuple[str, ...] | None = None
        self.start_block = self.prompt_block = ""
        self.told: list[str] = []  # ids of the notes in the brief

    @property
    def store(self) -> Path:
        return self.home / _STORE

    @property
    def deck(self) -> Path:
        return self.store / "deck.db"

    def prepare(self) -> None:
        """Plants and learns."""
        self.home.mkdir(parents=True)
        plant(self.home, self.checkout, dt.datetime.now(dt.UTC))
        put_checkout(self.elsewhere, {"src/crane.py": "def lift(): ...\n"})
        self._command(TASK, self.checkout)
        self.store.mkdir(parents=True)
        (self.store / "config.toml").write_text(_SETTINGS, encoding="utf-8")
        self.afterwit("learn")
        self._write_wish()
        self.afterwit("measure", "skipping", "--sessions", "0", "--notes", "0")
        told = self.asked("recall", "--agent", self.client.name, "--task", TASK)
        self.start_block, self.prompt_block = (_marked(told[part]["text"]) for part in ("start", "prompt"))
        self.told = [note for line in told["start"]["lines"] for note in line["notes"]]

    def _write_wish(self) -> None:
        """Puts a line of a person on the page, beside what was learned."""
        lines = [*self.asked("brief", "show")["lines"], {"heading": Heading.WISH, "text": WISH}]
        page = self.home / "page.md"
        rows = (f"## {Heading(line['heading']).in_words}\n- {line['text']}\n" for line in lines)
        page.write_text("".join(rows), encoding="utf-8")
        self.afterwit("brief", "edit", "--from", str(page))

    def connect(self, *flags: str) -> None:
        if self._connected != flags:
            self.afterwit("connect", self.client.name, "--yes", *flags)
            self._connected = flags

    def disconnect(self) -> None:
        if self._connected is not None:
            self.afterwit("disconnect", self.client.name, "--yes")
            self._connected = None

    def whole_session(self) -> Session:
        """A session as any other, with one command that fails and one question to our server."""
        self.connect()
        has_server = (self.client.name, Ability.SERVER) not in EXCUSES
        session = self.session(WHOLE if has_server else WHOLE._replace(commands=WHOLE.commands[:-1]))
        session.must_have_ended_with(WHOLE.goodbye)
        return session

    def session(self, script: Script, folder: Path | None = None, prompt: str = TASK) -> Session:
        """A session of the client, played once."""
        at = folder or self.checkout
        key = (self._connected, repr(script), at, prompt)
        if key not in self._sessions:
            self._sessions[key] = self.new_session(script, at, prompt)
        return self._sessions[key]

    def new_session(
        self, script: Script, folder: Path, prompt: str = TASK, *, look: Look | None = None, **how: bool
    ) -> Session:
        """`how` the client is launched: whether it `continues` the latest session, whether the model `edits` files."""
        self._server.play(script, prompt, look)
        words, environ = self._command(prompt, folder, **how)
        ended = run(words, environ, folder, self._log)
        turns = [asked for asked in self._server.requests if any(tool in asked.tools for tool in SHELL_TOOLS)]
        return Session(ended.exit_code, ended.output, turns, self._server.seen)

    def afterwit(self, *words: str, store: Path | None = None) -> str:
        """What the real command prints."""
        done = subprocess.run(
            [sys.executable, "-m", "afterwit", *words],
            cwd=self.checkout,
            env={"HOME": str(self.home), "PATH": "/usr/bin:/bin", **({"AFTERWIT_HOME": str(store)} if store else {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def asked(self, *words: str, store: Path | None = None) -> Any:
        """The same as JSON."""
        return json.loads(self.afterwit(*words, "--json", store=store))

    def _command(self, prompt: str, folder: Path, **how: bool) -> tuple[list[str], dict[str, str]]:
        return command(self.client, Place(self.home, folder, self._server.url), prompt, **how)


def _marked(text: str) -> str:
    return f"{OPENING}\n{text}\n{CLOSING}"


@contextmanager
def prepared(client: Client, folder: Path) -> Iterator[Scene]:
    """A scene with its model, for as long as the block lasts."""
    with serving(Script((), "")) as server:
        scene = Scene(client, folder, server)
        scene.prepare()
        yield scene
