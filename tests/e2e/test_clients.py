"""Each real client runs a scripted session of two shell commands, of which one fails; then `afterwit` reads it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.clients import CLIENTS, Client
from tests.e2e.install import obstacle
from tests.e2e.launches import Place, command
from tests.e2e.model_server import Script, serving
from tests.e2e.process import run
from tests.e2e.wire_formats import INPUT_TOKENS, OUTPUT_TOKENS

pytestmark = pytest.mark.e2e

PROMPT = "Greet the orchard and look into the shed"
GREET, LOOK = "echo good morning", "ls ./no-such-shed"
SCRIPT = Script(commands=(GREET, LOOK), goodbye="There is no shed.")


@pytest.fixture(params=CLIENTS, ids=lambda client: client.label)
def client(request: pytest.FixtureRequest) -> Client:
    chosen: Client = request.param
    if reason := obstacle(chosen):
        pytest.skip(reason)
    return chosen


@pytest.fixture
def home(client: Client, tmp_path: Path) -> Path:
    """A home in which the client has just finished its session."""
    place, project = tmp_path / "home", tmp_path / "orchard"
    place.mkdir()
    project.mkdir()
    with serving(SCRIPT) as server:
        words, environ = command(client, Place(place, project, server.url), PROMPT)
        ended = run(words, environ, project, tmp_path / "client.log")
    assert ended.exit_code == 0, ended.output
    assert SCRIPT.goodbye in ended.output
    assert max(asked.results for asked in server.requests) == len(SCRIPT.commands)
    return place


def test_the_session_that_a_real_client_wrote_is_read_as_it_was(client: Client, home: Path, tmp_path: Path) -> None:
    report = afterwit(home, tmp_path, "learn")
    assert [(agent["agent"], agent["failed"], agent["problems"]) for agent in report["agents"]] == [(client.name, 0, 0)]

    (listed,) = afterwit(home, tmp_path, "sessions", "list")["sessions"]
    shown = afterwit(home, tmp_path, "sessions", "show", listed["native_id"])
    session, records = shown["session"], shown["records"]
    actions = [record for record in records if record["type"] == "action"]
    assert (session["agent"], session["repo"], session["task"]) == (client.name, "orchard", PROMPT)
    assert session["versions"] in ([], [client.version])
    assert (session["tokens"]["input"], session["tokens"]["output"]) == (3 * INPUT_TOKENS, 3 * OUTPUT_TOKENS)
    assert [record["text"] for record in records if record.get("kind") == "prompt"] == [PROMPT]
    assert [(action["kind"], action["target"], action["status"]) for action in actions] == [
        ("shell", GREET, "succeeded"),
        ("shell", LOOK, "failed"),
    ]
    assert actions[1]["exit_code"] == 2


def afterwit(home: Path, tmp_path: Path, *words: str) -> Any:
    """What the real command prints as JSON, with nothing of the surroundings but this home."""
    done = subprocess.run(
        [sys.executable, "-c", "from afterwit.cli.main import main; main()", *words, "--json"],
        env={"HOME": str(home), "AFTERWIT_HOME": str(tmp_path / "store"), "PATH": "/usr/bin:/bin"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
