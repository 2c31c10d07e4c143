"""A pattern that is published as a skill is seen by the client: its description reaches the model, and leaves again."""

import pytest
from tests.e2e.delivery import SHORT, Scene

from afterwit.agents.registry import agent

pytestmark = pytest.mark.e2e

_LONGEST = 40  # characters of a description that every client gives its model


def test_a_published_skill_reaches_the_model_and_leaves_with_unpublish(scene: Scene) -> None:
    if agent(scene.client.name).skills is None:
        pytest.skip("it is not known where this client looks for skills")
    scene.disconnect()
    pattern, *_ = scene.asked("patterns", "detect")
    scene.afterwit("patterns", "approve", pattern["id"])

    scene.afterwit(*("patterns", "publish", pattern["id"], "--as", "skill", "--agent", scene.client.name, "--yes"))
    published = scene.new_session(SHORT, scene.checkout)
    scene.afterwit("patterns", "unpublish", pattern["id"], "--yes")
    taken_back = scene.new_session(SHORT, scene.checkout)

    for session in (published, taken_back):
        session.must_have_ended_with(SHORT.goodbye)
    begun = pattern["title"][:_LONGEST]
    assert begun in published.requests[0].text
    assert all(begun not in asked.text for asked in taken_back.requests)
    assert list(scene.home.rglob(f"*{pattern['id'][:8]}*/SKILL.md")) == []
