"""The model calls a tool of our MCP server, and reads its answer."""

import pytest
from tests.e2e.delivery import Scene
from tests.e2e.excuses import Ability
from tests.e2e.history import PLACE

pytestmark = pytest.mark.e2e

ANSWER = "The id in brackets names a note"


@pytest.mark.needs(Ability.SERVER)
def test_the_model_asks_our_server_and_is_answered(scene: Scene) -> None:
    session = scene.whole_session()
    before, after = session.after(3), session.after(4)
    assert (before.count(ANSWER), after.count(ANSWER)) == (0, 1)
    assert after.count(PLACE) == before.count(PLACE) + 1
