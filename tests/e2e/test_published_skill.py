"""A pattern that is published as a skill is seen by the client: its description reaches the model, and leaves again."""

import json
from pathlib import Path

import pytest
from tests.e2e.delivery import SHORT, Scene

from afterwit.agents.registry import agent

pytestmark = pytest.mark.e2e

PATTERN = {
    "id": "0a11ad5c1de5",
    "version": "1.0.0",
    "kind": "program-missing",
    "side": "problem",
    "title": "Barrels are opened before the cider has settled.",
    "text": "Let the cider settle for three days before a barrel is opened.",
    "scope": "global",
}


def test_a_published_skill_reaches_the_model_and_leaves_with_unpublish(scene: Scene, tmp_path: Path) -> None:
    if agent(scene.client.name).skills is None:
        pytest.skip("it is not known where this client looks for skills")
    pack = tmp_path / "pack.json"
    pack.write_text(json.dumps({"kind": "afterwit-patterns", "format": 1, "patterns": [PATTERN]}), encoding="utf-8")
    scene.disconnect()
    scene.afterwit("patterns", "install", str(pack), "--yes")
    scene.afterwit("patterns", "approve", PATTERN["id"])

    scene.afterwit(*("patterns", "publish", PATTERN["id"], "--as", "skill", "--agent", scene.client.name, "--yes"))
    published = scene.new_session(SHORT, scene.checkout)
    scene.afterwit("patterns", "unpublish", PATTERN["id"], "--yes")
    taken_back = scene.new_session(SHORT, scene.checkout)

    for session in (published, taken_back):
        session.must_have_ended_with(SHORT.goodbye)
    assert PATTERN["title"] in published.requests[0].text
    assert all(PATTERN["title"] not in asked.text for asked in taken_back.requests)
    assert list(scene.home.rglob(f"*{PATTERN['id'][:8]}*/SKILL.md")) == []
