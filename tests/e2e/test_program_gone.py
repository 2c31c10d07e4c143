"""With our program moved away, a connected client works as if it had never been connected."""

from pathlib import Path

import pytest
from tests.e2e.delivery import Scene, Session
from tests.e2e.history import WRAPPED
from tests.e2e.installation import Installation
from tests.e2e.model_server import Script

pytestmark = pytest.mark.e2e

BASKET = "basket.txt"
PICK = f"echo apples > {BASKET}"
SCRIPT = Script((PICK, WRAPPED), "The apples are in the basket.")
EVERYTHING = ("--refuse", "--rewrite")


@pytest.mark.parametrize("flags", [(), EVERYTHING], ids=["usual", "everything"])
def test_the_session_is_the_same_as_without_us(
    scene: Scene, installation: Installation, flags: tuple[str, ...]
) -> None:
    scene.disconnect()
    never = picked(scene)
    installation.run(scene.home, "connect", scene.client.name, "--yes", *flags)
    try:
        with installation.moved_away():
            gone = picked(scene)
    finally:
        installation.run(scene.home, "disconnect", scene.client.name, "--yes")
    assert asked(gone) == asked(never)


def picked(scene: Scene) -> Session:
    """A session that ended well, and did what it should."""
    basket: Path = scene.checkout / BASKET
    basket.unlink(missing_ok=True)
    session = scene.new_session(SCRIPT, scene.checkout)
    session.must_have_ended_with(SCRIPT.goodbye)
    assert basket.read_text(encoding="utf-8") == "apples\n"
    basket.unlink()
    return session


def asked(session: Session) -> list[tuple[int, list[str]]]:
    """Each request of the client: how far the script was, and which tools of ours were on offer."""
    return [(one.results, [tool for tool in one.tools if "afterwit" in tool]) for one in session.requests]
