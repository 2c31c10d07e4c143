"""A subagent hears its own part of the brief at its own start, and the session that sent it hears nothing twice."""

import pytest
from tests.e2e.delivery import CLOSING, OPENING, Scene
from tests.e2e.history import TASK, WISH
from tests.e2e.model_server import Script, Use

pytestmark = pytest.mark.e2e

CHORE = "Count the barrels behind the shed"
COUNTING = Script(("echo twelve",), "There are twelve.")
SENT = {  # how the model of a client sends a subagent
    "claude-code": Use("", "Agent", {"description": "Count", "prompt": CHORE, "subagent_type": "general-purpose"}),
    "codex": Use("", "spawn_agent", {"message": CHORE}),
}
MOST_CHARS = 1_200  # about 300 tokens


def test_a_subagent_hears_its_part_of_the_brief_once_and_its_session_nothing_twice(scene: Scene) -> None:
    if scene.client.name not in SENT:
        pytest.skip(f"{scene.client.label} lets no hook speak to a subagent at its start")
    scene.connect()
    script = Script((SENT[scene.client.name],), "All counted.", subagent=COUNTING)
    session = scene.new_session(script, scene.checkout)
    session.must_have_ended_with(script.goodbye)
    own = [text for text in session.texts if TASK in text]
    assert [(text.count(scene.start_block), text.count(OPENING)) for text in own] == [(1, 2)] * len(own)
    subagents = [text for text in session.texts if TASK not in text]
    assert [(CHORE in text, text.count(OPENING)) for text in subagents] == [(True, 1), (True, 1)]
    first, later = (text.partition(OPENING)[2].partition(CLOSING)[0] for text in subagents)
    assert first == later
    part, page = first.splitlines(), scene.start_block.splitlines()
    assert [row for row in page if row not in part] == [OPENING, "How the user wants it:", f"- {WISH}", CLOSING]
    assert len(first) <= MOST_CHARS
