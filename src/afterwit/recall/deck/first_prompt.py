"""What is said with a prompt, from the tables of the deck: where the work is, the thread, and lines that it fires.

Loaded at a prompt only.
"""

import os

from afterwit.model.text import roots_of
from afterwit.recall.deck.location import Location, branch_of
from afterwit.recall.deck.reader import Deck, DeckLine, Lines, opened_immutable
from afterwit.recall.place_index import PlaceIndex
from afterwit.recall.places import KnownRepo, LikelyPlace, Question, clear, guess, with_tests, without_forbidden

# pathlib takes longer to load than all that is done here.
# ruff: noqa: PTH110, PTH112, PTH118, PTH120

_TREES = "trees"  # the folder of `store.layout.Layout.trees`
_LONGEST = 12_000  # characters of a prompt that are looked at, as in digests


def lines_at_prompt(deck: Deck, agent: str, prompt: str, place: Location) -> list[DeckLine]:
    """Lines that the words of a prompt fire, each once, the narrowest scope first, then what is said first."""
    pairs = deck.lines("topic", roots_of(prompt[:_LONGEST]), place.repo, agent)
    return list({line.item: line for trigger, line in pairs if not trigger.tool}.values())


def thread_at_prompt(deck: Deck, prompt: str, place: Location) -> Lines:
    """What is known of the work in progress that a prompt names."""
    return deck.thread(place.repo, words=roots_of(prompt[:_LONGEST])) if place.repo else []


def files_at_prompt(deck: Deck, agent: str, prompt: str, place: Location) -> list[LikelyPlace]:
    """The files, where it is clear which."""
    if not place.repo:
        return []
    question = Question(prompt[:_LONGEST], branch_of(place.root))
    repo = without_forbidden(known_repo(deck, place), deck.texts(place.repo, agent))
    return with_tests(repo, clear(repo, question, guess(repo, question)))


def likely_places(deck: Deck, prompt: str, place: Location) -> list[LikelyPlace]:
    """The files that are likely, whether or not it is clear, and whatever notes say of them."""
    question = Question(prompt[:_LONGEST], branch_of(place.root))
    return guess(known_repo(deck, place), question) if place.repo else []


def known_repo(deck: Deck, place: Location) -> KnownRepo:
    """With its files, where the checkout is at hand and they are indexed. Where they are not, nobody can tell which are
    gone."""
    work = PlaceIndex(deck.part(place.repo))
    name = deck.tree_of(place.repo)
    index = os.path.join(os.path.dirname(deck.path), _TREES, name)
    if not name or not os.path.isdir(place.root) or not os.path.exists(index):
        return KnownRepo(work)
    from afterwit.capture.tree_words import TreeWords

    tree = TreeWords(opened_immutable(index))
    if not tree.size():
        return KnownRepo(work)
    return KnownRepo(work, tree, lambda path: os.path.lexists(os.path.join(place.root, path)))
