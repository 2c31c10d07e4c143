"""What fits the first prompt reaches the model with it."""

import pytest
from tests.e2e.delivery import Scene
from tests.e2e.excuses import Ability
from tests.e2e.history import PLACE

pytestmark = pytest.mark.e2e


@pytest.mark.needs(Ability.PROMPT)
def test_the_first_prompt_brings_the_place_where_such_work_was_done(scene: Scene) -> None:
    texts = scene.whole_session().texts
    assert PLACE in scene.prompt_block
    assert [text.count(scene.prompt_block) for text in texts] == [1] * len(texts)
