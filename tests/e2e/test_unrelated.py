"""A session in a repository of which nothing is known hears nothing."""

import pytest
from tests.e2e.delivery import OPENING, SHORT, Scene

pytestmark = pytest.mark.e2e


def test_a_session_elsewhere_hears_nothing(scene: Scene) -> None:
    scene.connect()
    session = scene.session(SHORT, scene.elsewhere)
    session.must_have_ended_with(SHORT.goodbye)
    assert [text.count(OPENING) for text in session.texts] == [0, 0]
