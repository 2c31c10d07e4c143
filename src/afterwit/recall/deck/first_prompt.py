"""What is said with a prompt, from the tables of the deck: where the work is, and the notes that are about it.

Loaded at a prompt only.
"""

import os
from typing import NamedTuple

from afterwit.actions.quick_look import fits_path
from afterwit.model.text import words_of
from afterwit.recall.deck.location import Location, branch_of
from afterwit.recall.deck.reader import Deck, DeckLine, opened_immutable, words_in
from afterwit.recall.note_matches import (
    NO_MATCH,
    NoteWords,
    is_meant,
    is_said,
    is_strongly_meant,
    matching_notes,
    named_in,
    nearness,
)
from afterwit.recall.place_index import PlaceIndex
from afterwit.recall.places import KnownRepo, LikelyPlace, Question, clear, guess, with_tests, without_forbidden
from afterwit.recall.prompt_block import BlockLine, MarkedLine, PromptBlock, fitting, likely_paths, prompt_block

# pathlib takes longer to load than all that is done here.
# ruff: noqa: PTH110, PTH112, PTH118, PTH120

_TREES = "trees"  # the folder of `store.layout.Layout.trees`
_LONGEST = 12_000  # characters of a prompt that are looked at, as in digests


def block_at_prompt(deck: Deck, agent: str, prompt: str, place: Location) -> PromptBlock:
    """The block for the first prompt of a session; without what the start block tells."""
    if not place.repo:
        return PromptBlock()
    question = Question(prompt[:_LONGEST], branch_of(place.root))
    index = PlaceIndex(deck.part(place.repo))
    repo = without_forbidden(_repo_of(deck, place, index), deck.texts(place.repo, agent))
    places = guess(repo, question)
    notes = _notes(deck, agent, question.prompt, place, index, places)
    told = _items_at_start(deck, agent, place)
    new = [MarkedLine(mark, BlockLine(line.item, line.text)) for mark, _, line in notes if line.item not in told]
    files = with_tests(repo, clear(repo, question, places))
    return prompt_block(files, fitting(new))


def likely_places(deck: Deck, prompt: str, place: Location) -> list[LikelyPlace]:
    """The files alone, whatever notes say of them."""
    question = Question(prompt[:_LONGEST], branch_of(place.root))
    return guess(_repo_of(deck, place, PlaceIndex(deck.part(place.repo))), question) if place.repo else []


def later_lines(deck: Deck, agent: str, prompt: str, place: Location) -> list[BlockLine]:
    """What a prompt that is not the first strongly means, the best first."""
    if not place.repo or not is_said(prompt[:_LONGEST]):
        return []
    index = PlaceIndex(deck.part(place.repo))
    notes = _notes(deck, agent, prompt[:_LONGEST], place, index, [])
    return [BlockLine(line.item, line.text) for _, is_strong, line in notes if is_strong]


def _repo_of(deck: Deck, place: Location, work: PlaceIndex) -> KnownRepo:
    """With the files of the repository, where the checkout is at hand and they are indexed. Where they are not, nobody
    can tell which are gone."""
    name = deck.tree_of(place.repo)
    index = os.path.join(os.path.dirname(deck.path), _TREES, name)
    if not name or not os.path.isdir(place.root) or not os.path.exists(index):
        return KnownRepo(work)
    from afterwit.capture.tree_words import TreeWords

    tree = TreeWords(opened_immutable(index))
    if not tree.size():
        return KnownRepo(work)
    return KnownRepo(work, tree, lambda path: os.path.lexists(os.path.join(place.root, path)))


class _PromptLine(NamedTuple):
    mark: float  # how well a prompt means it; 0.0 where only its place or its topic fits
    is_strong: bool
    line: DeckLine


def _items_at_start(deck: Deck, agent: str, place: Location) -> set[str]:
    return {item for _, lines in deck.block(place.repo, agent) for item, _ in lines}


def _notes(
    deck: Deck, agent: str, prompt: str, place: Location, index: PlaceIndex, places: list[LikelyPlace]
) -> list[_PromptLine]:
    """Lines about the task, and about the files where its work is likely to be, each
    once, the best first, then in the order in which items are said. A path with an advice is a wrong one:
    it waits for a failure."""
    named, likely = named_in(index, prompt), likely_paths(places)
    matches = matching_notes(NoteWords(deck.part(place.repo)), prompt)
    patterns: dict[str, list[str]] = {}
    pairs = deck.lines("topic", set(words_of(prompt)), place.repo, agent)
    lines = {line.item: line for trigger, line in pairs if not trigger.tool}
    firing = set(lines)
    for path in dict.fromkeys((*named, *(place.path for place in places))):
        for moment in ("path", "near"):
            for trigger, line in deck.lines(moment, words_in(path), place.repo, agent):
                if not line.advice and fits_path(trigger.path, path):
                    lines[line.item] = line
                    patterns.setdefault(line.item, []).append(trigger.path)
                    firing |= {line.item} if moment == "path" and path in likely and not trigger.tool else set()
    worded = [int(number) for number, match in matches.items() if is_meant(match, 0.0)]
    lines.update({line.item: line for line in deck.numbered(worded, place.repo, agent)})
    notes = []
    for item, line in lines.items():
        match = NO_MATCH if line.breadth else matches.get(str(line.number), NO_MATCH)
        added = nearness(patterns.get(item, ()), named, places)
        is_about = is_meant(match, added)
        if is_about or item in firing:
            mark = match.worth + added if is_about else 0.0
            notes.append(_PromptLine(mark, is_strongly_meant(match, added), line))
    return sorted(notes, key=lambda note: (-round(note.mark, 6), note.line.rank))
