"""Runs Afterwit's programs in processes of their own that need not load everything first.

Each process is forked from one that has loaded all of Afterwit and learned once from a small home of its own, so that
patterns are compiled: it has its own streams, surroundings, working folder and end, and only what takes ten times as
long as most commands was done before. That hides nothing as long as modules import each other in no circle
(`project/test_import_circles`) and keep nothing of a run but what is compiled. What depends on how the interpreter
starts - its variables, limits set before it runs, signals, closed streams, several processes at once - is tested with
`subprocess` itself.
"""

import atexit
import gc
import importlib
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

COMMAND = "afterwit.cli.main"
HOOK = "afterwit.recall.hook.entry"
READS_SURROUNDINGS = "afterwit.store.atomic"  # the one module that reads a variable when it is loaded
_ROOT = Path(__file__).parents[1]
_SERVER = f"import sys; sys.path.insert(0, {str(_ROOT)!r}); from tests.processes import serve; serve(int(sys.argv[1]))"
_STARTING = ("PYTHON", "LC_", "LANG")  # variables that an interpreter reads when it starts
_MOST_SECONDS = 120


class _Server(NamedTuple):
    process: "subprocess.Popen[bytes]"
    asking: socket.socket


def run(
    program: str, arguments: Sequence[str], environ: Mapping[str, str], content: bytes = b""
) -> "subprocess.CompletedProcess[bytes]":
    """Runs the module's `main` with these arguments and this standard input, and waits for its end."""
    command = [sys.executable, "-c", f"from {program} import main; main()", *arguments]
    if not hasattr(os, "fork") or any(name.startswith(_STARTING) for name in environ):
        return subprocess.run(
            command, env=environ, input=content, capture_output=True, timeout=_MOST_SECONDS, check=False
        )
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as said:
        given.write(content)
        given.seek(0)
        asked = {"program": program, "arguments": [*arguments], "environ": {**environ}, "cwd": str(Path.cwd())}
        code = _answer(json.dumps(asked).encode() + b"\n", [given.fileno(), printed.fileno(), said.fileno()])
        if code == -signal.SIGALRM:
            raise subprocess.TimeoutExpired(command, _MOST_SECONDS)
        printed.seek(0)
        said.seek(0)
        return subprocess.CompletedProcess(command, code, printed.read(), said.read())


def run_text(program: str, arguments: Sequence[str], environ: Mapping[str, str]) -> "subprocess.CompletedProcess[str]":
    """The same with nothing on standard input, and what was printed as text."""
    done = run(program, arguments, environ)
    return subprocess.CompletedProcess(done.args, done.returncode, _text(done.stdout), _text(done.stderr))


def _text(printed: bytes) -> str:
    return printed.decode().replace("\r\n", "\n")


def _answer(asked: bytes, streams: list[int]) -> int:
    server = _server()
    sent = socket.send_fds(server.asking, [asked], streams)
    server.asking.sendall(asked[sent:])
    status = server.asking.recv(64)
    if not status:
        _server.cache_clear()
        raise RuntimeError(server.process.communicate()[1].decode())
    return os.waitstatus_to_exitcode(int(status))


@cache
def _server() -> _Server:
    """Starts the process that the others are forked from. It ends when this one does."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-c", _SERVER, str(theirs.fileno())],
            env={"PATH": os.environ.get("PATH", "")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=[theirs.fileno()],
        )
    atexit.register(_end, process, ours)
    return _Server(process, ours)


def _end(process: "subprocess.Popen[bytes]", asking: socket.socket) -> None:
    asking.close()
    process.communicate()


def serve(descriptor: int) -> None:
    """Forks a process for each request, and answers with the status of its end."""
    _load_everything()
    _learn_once()
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=descriptor) as asking:
        while True:
            content, streams, _, _ = socket.recv_fds(asking, 1 << 20, 3)
            if not content:
                return
            while not content.endswith(b"\n"):
                content += asking.recv(1 << 20)
            child = os.fork()
            if not child:
                asking.close()
                _become(json.loads(content), streams)
            for stream in streams:
                os.close(stream)
            asking.send(str(os.waitpid(child, 0)[1]).encode())


def _load_everything() -> None:
    import afterwit

    for module in pkgutil.walk_packages(afterwit.__path__, "afterwit."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def _learn_once() -> None:
    from tests.homes import claude_records, codex_records, learned, put

    with tempfile.TemporaryDirectory() as place:
        home = Path(place, "home")
        put(home / ".claude/projects/-srv-orchard/warm.jsonl", claude_records("warm"))
        put(home / ".codex/sessions/2026/05/03/rollout-2026-05-03T10-00-00-warm.jsonl", codex_records("warm"))
        learned(home, Path(place, "store"), jobs=1)


def _become(asked: dict[str, Any], streams: list[int]) -> NoReturn:
    """Runs the program, and ends as the interpreter would."""
    signal.alarm(_MOST_SECONDS)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["environ"])
    time.tzset()
    tempfile.tempdir = None
    importlib.reload(sys.modules[READS_SURROUNDINGS])
    sys.argv = ["-c", *asked["arguments"]]
    code: object = 0
    try:
        importlib.import_module(asked["program"]).main()
    except SystemExit as end:
        code = end.code
    except BaseException:  # noqa: BLE001 - whatever it is, the interpreter would print it too
        traceback.print_exc()
        code = 1
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))
