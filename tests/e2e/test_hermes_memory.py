"""The model calls the tool that our plugin brings into Hermes, and reads the user's memory."""

import pytest
from tests.e2e.delivery import Scene
from tests.e2e.model_server import Script, Use

pytestmark = pytest.mark.e2e

TOOL = "afterwit_memory"
STORED, ASKED = {"action": "store", "key": "shell", "value": "fish, not zsh"}, {"action": "query", "text": "shell"}
SCRIPT = Script((Use(TOOL, TOOL, STORED), Use(TOOL, TOOL, ASKED), Use(TOOL, TOOL, {"action": "recite"})), "Fish it is.")


def test_the_model_remembers_something_reads_it_again_and_is_told_what_is_wrong(scene: Scene) -> None:
    if scene.client.name != "hermes":
        pytest.skip("only Hermes gets the memory as a tool of a plugin")
    scene.connect()
    session = scene.session(SCRIPT)
    session.must_have_ended_with(SCRIPT.goodbye)
    assert all(TOOL in asked.tools for asked in session.requests)
    stored, found, failed = (session.after(results) for results in (1, 2, 3))
    assert "is_waiting" in stored
    assert (stored.count("created_ms"), found.count("created_ms")) == (0, 1)
    assert "must be one of store, retrieve" in failed
    assert scene.afterwit("memory", "retrieve", "shell", "--user", "ada") == "fish, not zsh\n"
