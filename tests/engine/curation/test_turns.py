"""The whole turn behind a note in the user's words, with what the agent said around it."""

from pathlib import Path
from typing import Any

import pytest
from tests.homes import CLAUDE, ORCHARD, learned, put, world_of

from afterwit.config.world import World
from afterwit.engine.curation.why import PersonTurn, Why, turns_behind, why
from afterwit.knowledge.door.list import ItemFilter, listed
from afterwit.model.knowledge import STANDING, Channel, Evidence, SessionRef

RULE = "From now on, weigh the crates before you load them."
TURN = f"The scales in the barn are mended. {RULE} The cart tips over otherwise."


def talk(*said: str) -> list[dict[str, Any]]:
    """A session in which user and agent take turns."""
    return [
        {
            "type": role,
            "uuid": f"barn-{number}",
            "sessionId": "barn",
            "timestamp": f"2026-05-01T10:{number:02d}:00.000Z",
            "cwd": ORCHARD,
            "version": "2.1.150",
            "isSidechain": False,
            "message": {"id": f"msg_{number}", "role": role, "content": [{"type": "text", "text": text}]},
        }
        for number, text in enumerate(said)
        for role in (("assistant" if number % 2 else "user"),)
    ]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return world_of(tmp_path / "home", tmp_path / "store")


def behind(world: World, said: str, *, has_turns: bool = True) -> Why:
    """What stands behind the note of a session in which a person said this."""
    spoken = (
        "Load the cart",
        f"{'It is loaded. ' * 40}Shall I drive?",
        said,
        "I weigh them first.",
        "Thanks",
        "Gladly.",
    )
    put(world.user_home / CLAUDE / "barn.jsonl", talk(*spoken))
    learned(world.user_home, world.layout.root)
    (item,) = (item for item in listed(world, ItemFilter(harvesters=(STANDING,))).items if RULE in item.sentence)
    return why(world, item.id, has_turns=has_turns)


def turn_of(answer: Why) -> PersonTurn:
    (turn,) = (backing.turn for backing in answer.evidence)
    assert turn is not None
    return turn


def test_the_whole_turn_is_shown_with_the_agents_last_words_and_its_next(world: World) -> None:
    turn = turn_of(behind(world, TURN))
    assert (turn.words, turn.left_out, turn.after, turn.gone) == (TURN, 0, "I weigh them first.", "")
    assert turn.before.startswith("…")
    assert turn.before.endswith("It is loaded. Shall I drive?")


def test_a_long_turn_is_cut_and_says_how_much_is_left_out(world: World) -> None:
    said = f"{RULE} {'The cart tips over otherwise, and the pears roll. ' * 60}".strip()
    put(world.user_home / CLAUDE / "barn.jsonl", talk(said, "Yes."))
    learned(world.user_home, world.layout.root)
    session = SessionRef(agent="claude-code", native_id="barn", story="barn")
    (turn,) = turns_behind(world, [Evidence(session=session, channel=Channel.USER, excerpt=RULE)]).values()
    assert (turn.words, turn.left_out) == (said[:2_000], len(said) - 2_000)


def test_secrets_in_a_turn_are_not_shown(world: World) -> None:
    turn = turn_of(behind(world, f"{RULE} The key is AKIA{'IOSFODNN7QRCHARD'}."))
    assert RULE in turn.words
    assert "AKIA" not in turn.words


def test_where_the_archive_lost_the_session_it_says_so(world: World) -> None:
    name = behind(world, TURN).item.id
    for path in world.layout.archive.rglob("*"):
        if path.is_file():
            path.unlink()
    turn = turn_of(why(world, name, has_turns=True))
    assert turn.words == ""
    assert turn.gone


def test_nobody_looks_at_transcripts_where_turns_are_not_asked_for(world: World) -> None:
    assert [backing.turn for backing in behind(world, TURN, has_turns=False).evidence] == [None]
