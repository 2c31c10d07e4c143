"""What a hook says of a task is what recall says, in the same order."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.knowledge.drafting import HARBOUR, ORCHARD
from tests.recall.knowing import HERE, item, read
from tests.recall.works import source
from tests.thoroughness import examples

from afterwit.model.knowledge import EVERYWHERE, Activity, Item, ItemKind, Trigger
from afterwit.model.text.words import words_of
from afterwit.recall.at_prompt import at_later_prompt, at_prompt
from afterwit.recall.deck.firing_lines import lines_of
from afterwit.recall.deck.first_prompt import later_lines, prompt_sections
from afterwit.recall.deck.location import Location
from afterwit.recall.deck.reader import Deck as Opened
from afterwit.recall.deck.write import DeckContent, DeckSettings, write_deck
from afterwit.recall.place_index import PlaceIndex, PlaceSighting
from afterwit.recall.places import KnownRepo, Question
from afterwit.recall.prompt_block import LATER_TOKENS, later_sections
from afterwit.recall.situation import order
from afterwit.redaction.shown import ours

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
    return [*_counted(), *_read()]


def _read() -> list[Item]:
    """What a model read: about all words, with files and activities or without."""
    return [
        read(
            f"The {_WORDS[number % 6]} needs the {_WORDS[number * 5 % 6]} of tree {number}.",
            when=f"working on the {_WORDS[number * 7 % 6]}",
            kind=ItemKind.DECISION if number % 4 == 0 else ItemKind.PLAIN,
            triggers=_read_triggers(number),
        )
        for number in range(24)
    ]


def _read_triggers(number: int) -> tuple[Trigger, ...]:
    path = _FILES[number % 4] if number % 2 else f"{_FILES[number % 4].partition('/')[0]}/**"
    both = (Trigger(activity=Activity.EDIT, path=path), Trigger(path=path))
    return ((), both, both[1:], (Trigger(activity=Activity.TEST),))[number % 4 if number % 3 else 1]


def _counted() -> list[Item]:
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
    history = source(_SIGHTINGS)
    settings = DeckSettings(key=b"k" * 16)
    write_deck(path, DeckContent(settings, lines=tuple(lines_of(known())), prompts={ORCHARD.name: history}))
    return Opened(str(path))


@given(st.lists(st.sampled_from((*_WORDS, "the", "repair", "tools/ladder.sh")), max_size=5).map(" ".join))
@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_task_gets_the_same_block(deck: Opened, prompt: str) -> None:
    places = PlaceIndex()
    for sighting in _SIGHTINGS:
        places.put(sighting)
    block = at_prompt(known(), HERE, Question(prompt), KnownRepo(places))
    told = prompt_sections(deck, HERE.agent, prompt, Location(HERE.repo, "/srv/orchard"))
    assert told == block.sections


@given(st.lists(st.sampled_from((*_WORDS, "the", "repair", "press/quince.py", "ladder.sh")), max_size=6).map(" ".join))
@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_later_prompt_gets_the_same_lines(deck: Opened, prompt: str) -> None:
    places = PlaceIndex()
    for sighting in _SIGHTINGS:
        places.put(sighting)
    block = at_later_prompt(known(), HERE, Question(prompt), places, ())
    told = later_lines(deck, HERE.agent, prompt, Location(HERE.repo, "/srv/orchard"))
    assert later_sections(told, LATER_TOKENS) == block.sections


def test_some_of_these_prompts_mean_something_read(deck: Opened) -> None:
    prompt = "repair tools/ladder.sh, the basket and the cellar"
    told = later_lines(deck, HERE.agent, prompt, Location(HERE.repo, "/srv/orchard"))
    assert {line.item for line in told} & {note.id for note in _read()}


def test_what_is_worth_most_comes_first(tmp_path: Path) -> None:
    path = tmp_path / "deck.db"
    history = source(_SIGHTINGS)
    content = DeckContent(
        DeckSettings(key=b"k" * 16), lines=tuple(lines_of(_counted())), prompts={ORCHARD.name: history}
    )
    write_deck(path, content)
    told = dict(prompt_sections(Opened(str(path)), HERE.agent, "the quince press", Location(HERE.repo, "/srv/orchard")))
    worth = [counted.id for counted in sorted(_counted(), key=order)]
    places = [worth.index(name) for name, _ in told[ours("What is known of it:")]]
    assert len(places) == 3
    assert places == sorted(places)
