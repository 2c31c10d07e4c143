"""What a session is told when it begins reaches the model: whole, once, and once more after a compaction."""

from collections.abc import Mapping

import pytest
from tests.e2e.delivery import SHORT, Scene
from tests.e2e.excuses import EXCUSES, Ability
from tests.e2e.history import PLACE
from tests.e2e.model_server import Script

pytestmark = pytest.mark.e2e

GREETINGS = ("echo good morning", "echo good day", "echo good evening", "echo good night")
FULL_AT: Mapping[str, int] = {"pi": len(GREETINGS)}  # pi compacts between prompts only
HEARS_AT_A_PROMPT = ("pi", "copilot", "kimi-code")  # after a compaction


@pytest.mark.needs(Ability.START)
def test_the_start_block_is_there_whole_and_once(scene: Scene) -> None:
    texts = scene.whole_session().texts
    assert [text.count(scene.start_block) for text in texts] == [1] * len(texts)


def test_where_only_results_carry_text_the_start_block_comes_with_the_first_of_them(scene: Scene) -> None:
    if (scene.client.name, Ability.START) not in EXCUSES:
        pytest.skip("the brief is there from the beginning")
    first, *others = scene.whole_session().texts
    assert scene.start_block not in first
    assert [text.count(scene.start_block) for text in others] == [1] * len(others)


@pytest.mark.needs(Ability.RESUMPTION)
def test_the_start_block_is_there_once_when_a_session_is_taken_up_again(scene: Scene) -> None:
    scene.connect()
    scene.new_session(SHORT, scene.checkout).must_have_ended_with(SHORT.goodbye)
    script = Script((*SHORT.commands, "echo good night"), "Good night.")
    session = scene.new_session(script, scene.checkout, "And now?", continues=True)
    session.must_have_ended_with(script.goodbye)
    assert all(SHORT.goodbye in text for text in session.texts)
    assert [text.count(scene.start_block) for text in session.texts] == [1] * len(session.texts)


@pytest.mark.needs(Ability.COMPACTION)
def test_the_start_block_is_there_again_once_after_a_compaction(scene: Scene) -> None:
    scene.connect()
    script = Script(GREETINGS, "Good night.", fills_at=FULL_AT.get(scene.client.name, 1))
    session = scene.new_session(script, scene.checkout)
    assert session.exit_code == 0, session.output
    assert PLACE in session.texts[0]
    if scene.client.name in HEARS_AT_A_PROMPT:
        session = scene.new_session(Script(GREETINGS, "Good night."), scene.checkout, "And now?", continues=True)
    last = session.texts[-1]
    assert (last.count(scene.start_block), last.count(PLACE)) == (1, 0)
