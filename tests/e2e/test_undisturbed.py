"""Whatever happens to the deck, the client's session runs on as without us."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest
from tests.e2e.delivery import OPENING, SHORT, Scene, Session

pytestmark = pytest.mark.e2e

Harm = Callable[[Path], None]


def remove(deck: Path) -> None:
    deck.unlink()


def cut_short(deck: Path) -> None:
    deck.write_bytes(deck.read_bytes()[:5_000])


def put_a_folder_there(deck: Path) -> None:
    """Nobody can read that, not even a user who may read everything."""
    deck.unlink()
    deck.mkdir()


@pytest.mark.parametrize("harm", [remove, cut_short, put_a_folder_there])
def test_without_a_deck_that_can_be_read_the_session_runs_on_and_hears_nothing(scene: Scene, harm: Harm) -> None:
    scene.connect()
    with put_back(scene.deck):
        harm(scene.deck)
        session = scene.new_session(SHORT, scene.checkout)
    assert undisturbed(session)
    assert [text.count(OPENING) for text in session.texts] == [0, 0]


def test_with_a_deck_that_another_process_has_locked_the_session_runs_on(scene: Scene) -> None:
    scene.connect()
    with put_back(scene.deck):
        holder = apsw.Connection(str(scene.deck))
        holder.execute("BEGIN EXCLUSIVE")
        scene.deck.chmod(0)
        session = scene.new_session(SHORT, scene.checkout)
        holder.close()
    assert undisturbed(session)


def undisturbed(session: Session) -> bool:
    """The client asked the model as often as the script needs, and ended well."""
    session.must_have_ended_with(SHORT.goodbye)
    return [asked.results for asked in session.requests] == [0, 1]


@contextmanager
def put_back(deck: Path) -> Iterator[None]:
    content, kept = deck.read_bytes(), deck.with_name("deck.kept")
    try:
        yield
    finally:
        if deck.exists():
            deck.rename(kept) if deck.is_dir() else deck.unlink()
        deck.write_bytes(content)
        if kept.exists():
            kept.rmdir()
