"""What a hook says of a task is what recall says, in the same order."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.knowledge.drafting import HARBOUR, ORCHARD
from tests.recall.knowing import HERE, item

from afterwit.guard.shown import ours
from afterwit.model.knowledge import EVERYWHERE, Item, Trigger
from afterwit.recall.at_prompt import at_prompt
from afterwit.recall.deck.compile import lines_of
from afterwit.recall.deck.first_prompt import prompt_sections
from afterwit.recall.deck.location import Location
from afterwit.recall.deck.prompt_tables import PromptIndex, PromptSource
from afterwit.recall.deck.reader import Deck as Opened
from afterwit.recall.deck.write import DeckContent, DeckSettings, write_deck
from afterwit.recall.place_index import PlaceIndex, PlaceSighting
from afterwit.recall.places import Question
from afterwit.recall.situation import order
from afterwit.recall.talks import TalkIndex
from afterwit.text.words import words_of

_WORDS = ("quince", "press", "cellar", "ladder", "basket", "prune")
_FILES = ("press/quince.py", "press/pear.py", "cellar/shelf.py", "tools/ladder.sh")
_SIGHTINGS = [
    PlaceSighting(f"s{at}", f"repair the {_WORDS[at % 6]} {_WORDS[(at + 1) % 6]}", {_FILES[at % 4]: ()}, at_ms=at)
    for at in range(12)
]
_TRIGGERS = (
    *(Trigger(topic=tuple(words_of(word))) for word in _WORDS),
    *(Trigger(path=path) for path in ("press/", "cellar/*.py", "tools/ladder.sh")),
    Trigger(path="press/", tool="Edit"),
    Trigger(program="press"),
)


def known() -> list[Item]:
    """Items about all words and files, worth more or less to tell: of one story or many, in few words or many."""
    return [
        item(
            f"Mind tree {number}{', and its roots' * (number % 4)}.",
            number % 6 + 1,
            triggers=(_TRIGGERS[number % len(_TRIGGERS)], _TRIGGERS[number * 3 % len(_TRIGGERS)]),
            scope=(ORCHARD, EVERYWHERE, ORCHARD, HARBOUR)[number % 4],
            advice="ls press" if number % 5 == 0 else "",
        )
        for number in range(40)
    ]


@pytest.fixture(scope="module")
def deck(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    path: Path = tmp_path_factory.mktemp("dealt") / "deck.db"
    history = PromptSource("1", lambda: PromptIndex(_SIGHTINGS))
    settings = DeckSettings(key=b"k" * 16)
    write_deck(path, DeckContent(settings, lines=tuple(lines_of(known())), prompts={ORCHARD.name: history}))
    return Opened(str(path))


@given(st.lists(st.sampled_from((*_WORDS, "the", "repair", "tools/ladder.sh")), max_size=5).map(" ".join))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_task_gets_the_same_block(deck: Opened, prompt: str) -> None:
    places = PlaceIndex()
    for sighting in _SIGHTINGS:
        places.put(sighting)
    block = at_prompt(known(), HERE, Question(prompt), places, TalkIndex())
    told = prompt_sections(deck, HERE.agent, prompt, Location(HERE.repo, "/srv/orchard"))
    assert told == block.sections


def test_what_is_worth_most_comes_first(deck: Opened) -> None:
    told = dict(prompt_sections(deck, HERE.agent, "the quince press", Location(HERE.repo, "/srv/orchard")))
    worth = [one.id for one in sorted(known(), key=order)]
    places = [worth.index(name) for name, _ in told[ours("What is known of it:")]]
    assert len(places) == 3
    assert places == sorted(places)
