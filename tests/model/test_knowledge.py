"""What a note rests on, in words: counted, or who stands behind it."""

from typing import Any

import pytest
from tests.knowledge.drafting import ORCHARD, piece, pieces

from afterwit.model.knowledge import (
    PERSON,
    Authority,
    Belief,
    Category,
    Channel,
    Item,
    ItemStatus,
    Trigger,
)


def note(**more: Any) -> Item:
    given: dict[str, Any] = {
        "id": "a",
        "harvester": "corrections",
        "scope": ORCHARD,
        "category": Category.FACT,
        "sentence": "Call `make trees`.",
        "status": ItemStatus.ACTIVE,
        "authority": Authority.GUIDANCE,
        "channel": Channel.OUTCOME,
        "belief": Belief(2.4, 1.0),
        "evidence": pieces(1),
    }
    return Item(**(given | more))


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"channel": Channel.USER}, "said once"),
        ({"channel": Channel.USER, "evidence": pieces(2)}, "said in 2 sessions"),
        ({"channel": Channel.USER, "evidence": (piece("a"), piece("a"))}, "said once"),
        ({"channel": Channel.ASSISTANT}, "said by an agent once"),
        ({"advice": "make trees", "evidence": pieces(5)}, "worked in 5 sessions"),
        ({"evidence": pieces(5)}, "seen in 5 sessions"),
        ({"advice": "make fix", "triggers": (Trigger(rule="DTZ005"),)}, "seen once"),
        ({"evidence": (*pieces(3), piece("other", is_against=True))}, "seen in 3 sessions, 1 against"),
        ({"is_decided": True}, "approved by a person"),
        ({"harvester": PERSON}, "written by a person"),
    ],
)
def test_a_note_says_what_it_rests_on_and_no_chance(more: dict[str, Any], words: str) -> None:
    assert note(**more).rests_on == words
