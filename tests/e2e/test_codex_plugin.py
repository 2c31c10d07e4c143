"""The server that the plugin brings into Codex knows which project the session is in."""

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.e2e.delivery import Scene
from tests.e2e.history import PLACE, TASK
from tests.e2e.installation import Installation
from tests.e2e.launches import Place, command
from tests.e2e.model_server import Script, Use

pytestmark = pytest.mark.e2e

PLUGIN = Path(__file__).parents[2] / "plugins" / "codex"
SCRIPT = Script(("echo good morning", Use("afterwit", "recall", {"task": TASK})), "The press stops by itself.")


def test_the_server_of_the_plugin_answers_for_the_repository_of_the_session(scene: Scene, tmp_path: Path) -> None:
    if scene.client.name != "codex":
        pytest.skip("only Codex gets this plugin")
    scene.disconnect()
    installation = Installation(tmp_path)
    installation.put()
    found = scene.home / ".local/bin/afterwit"
    found.parent.mkdir(parents=True, exist_ok=True)
    found.symlink_to(installation.program)
    market = tmp_path / "market"
    shutil.copytree(PLUGIN, market)
    try:
        plugin(scene, "marketplace", "add", str(market))
        plugin(scene, "add", "afterwit@afterwit")
        session = scene.new_session(SCRIPT, scene.checkout)
    finally:
        plugin(scene, "remove", "afterwit@afterwit")
        plugin(scene, "marketplace", "remove", "afterwit")
        found.unlink()
    session.must_have_ended_with(SCRIPT.goodbye)
    before, after = session.after(1), session.after(2)
    assert after.count(PLACE) == before.count(PLACE) + 1


def plugin(scene: Scene, *words: str) -> None:
    (program, *_), environ = command(scene.client, Place(scene.home, scene.checkout, ""), "")
    done = subprocess.run(
        [program, "plugin", *words],
        cwd=scene.checkout,
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
