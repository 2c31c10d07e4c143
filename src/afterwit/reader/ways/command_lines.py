"""The command lines of agents as ways to a model: Claude Code, Codex and Gemini CLI, set up as the user has them.

Promises: we write and remove no file of the user's; no hook, server or tool of the client runs; its transcript, if it
leaves one, lies in a folder of ours that is removed again; and what it leaves all the same is never learned: it works
below one folder of ours (`store.layout`), its text begins with a marker (`redaction.markers`), and its surroundings
silence our hooks. A client that cannot be asked like that is refused. A text cannot name files for the client to
attach: every at sign in it is written in a form that no client takes for one, and put back in the answer.
"""

import os
import shutil
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from afterwit.agents.hook_payloads import READING_VARIABLE
from afterwit.reader.answers import GivenAnswer
from afterwit.reader.ways.client_calls import ClaudeCodeClient, ClientCall, CodexClient, GeminiClient, ReadingClient
from afterwit.reader.ways.client_process import ClientRun, run_client
from afterwit.reader.ways.way import ModelQuestion, WaySurroundings
from afterwit.redaction.markers import reading_request

_ASK_SECONDS = 30.0  # for what a client says of itself
_WORK = "work"  # stays empty, and is the same in all calls: clients remember where they were
_CALL = "call-"
_AT, _WRITTEN_AT, _ESCAPED_AT = "@", "\uff20", r"\uff20"
_NESTED = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT")  # an agent that runs us is not this one


def claude_code(model: str, surroundings: WaySurroundings) -> "CommandLineWay":
    return CommandLineWay(ClaudeCodeClient(), model, surroundings)


def codex(model: str, surroundings: WaySurroundings) -> "CommandLineWay":
    return CommandLineWay(CodexClient(), model, surroundings)


def gemini(model: str, surroundings: WaySurroundings) -> "CommandLineWay":
    return CommandLineWay(GeminiClient(), model, surroundings)


class CommandLineWay:
    """A client that is installed here."""

    def __init__(self, client: ReadingClient, model: str, surroundings: WaySurroundings) -> None:
        self.most_at_once = client.most_at_once
        self.overhead_tokens = client.overhead_tokens
        self._client = client
        self._model = model
        self._surroundings = surroundings
        self._lock = threading.Lock()
        self._refusal: str | None = None  # None: not asked yet
        self._told: list[str] = []

    def recipient(self) -> str:
        client = self._client
        return f"whoever {client.label} is set up to talk to on this machine ({client.vendor}, unless you changed that)"

    def refusal(self) -> str:
        with self._lock:
            if self._refusal is None:
                self._refusal = self._asked()
        return self._refusal

    def answer(self, question: ModelQuestion, seconds: float) -> GivenAnswer:
        if reason := self.refusal():
            return GivenAnswer(question.id, tokens_in=0, tokens_out=0, fault=reason)
        try:
            run = self._called(question, seconds)
        except OSError as error:
            fault = f"{self._client.label} cannot be called: {error}"
            return GivenAnswer(question.id, tokens_in=0, tokens_out=0, fault=fault)
        given = self._client.answer(question.id, run)
        return given._replace(text=given.text.replace(_WRITTEN_AT, _AT).replace(_ESCAPED_AT, _AT))

    def _called(self, question: ModelQuestion, seconds: float) -> ClientRun:
        folder = self._surroundings.folder
        work = folder / _WORK
        work.mkdir(mode=0o700, parents=True, exist_ok=True)
        text = reading_request(question.text).replace(_AT, _WRITTEN_AT)
        with _own_folder(folder) as own:
            call = self._client.call(self._model, question, own, self._told)
            _put(call, own)
            return self._run(call, work, text, seconds)

    def _asked(self) -> str:
        client = self._client
        if self._model.startswith("-"):
            return f"{self._model!r} is no name of a model."
        if self._program() is None:
            return f"{client.label} is not installed: there is no `{client.program}` on the PATH. Install it first."
        if lack := client.lack(self._surroundings.environ):
            return lack
        with tempfile.TemporaryDirectory() as folder:
            call = client.call("", ModelQuestion("", "", ""), Path(folder), [""] * len(client.questions))
            for question in client.questions:
                run = self._run(call._replace(arguments=question), Path(folder), "", _ASK_SECONDS)
                if run.code != 0:
                    fault = run.fault or f"exit code {run.code}"
                    words = f"`{client.program} {' '.join(question)}` does not say what it can do ({fault})"
                    return f"{client.label} cannot be used: {words}. Run that yourself, then try again."
                self._told.append(run.stdout)
        if reason := client.refusal(self._told):
            words = "cannot be kept apart from your own sessions in the installed version"
            return f"{client.label} {words}: {reason}. Update it, or choose another model."
        return ""

    def _run(self, call: ClientCall, folder: Path, text: str, seconds: float) -> ClientRun:
        program = self._program() or self._client.program
        return run_client([program, *call.arguments], self._environ(call.environ, folder), folder, text, seconds)

    def _program(self) -> str | None:
        return shutil.which(self._client.program, path=self._surroundings.environ.get("PATH", os.defpath))

    def _environ(self, more: Mapping[str, str], folder: Path) -> dict[str, str]:
        own = {name: value for name, value in self._surroundings.environ.items() if name not in _NESTED}
        home = str(self._surroundings.home)
        return {**own, "HOME": home, "PWD": str(folder), "NO_COLOR": "1", READING_VARIABLE: "1", **more}


@contextmanager
def _own_folder(folder: Path) -> Iterator[Path]:
    """A folder for one call, gone after it. What calls of processes left that were killed goes too."""
    for left in folder.glob(f"{_CALL}*"):
        process = left.name.removeprefix(_CALL).partition("-")[0]
        if process.isdecimal() and not _is_alive(int(process)):
            shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=f"{_CALL}{os.getpid()}-", dir=folder, ignore_cleanup_errors=True) as own:
        yield Path(own)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _put(call: ClientCall, folder: Path) -> None:
    for name, text in call.files.items():
        path = folder / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
