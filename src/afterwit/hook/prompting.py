"""The block for a first prompt, from the tables of the deck. Loaded at a prompt only."""

from afterwit.deck.stored_places import StoredPlaces
from afterwit.deck.stored_talks import StoredTalks
from afterwit.deck.words import words_in
from afterwit.digest.words import words_of
from afterwit.hook.deck import Deck, Line
from afterwit.hook.firing import fits_path
from afterwit.hook.places import Place
from afterwit.model.quick_json import loads
from afterwit.recall.decisions import decided
from afterwit.recall.places import Place as Likely
from afterwit.recall.places import Question, guess
from afterwit.recall.prompt_block import Bite, prompt_block

RULES = "rules"  # the name under which a deck has the rules for the first prompt
_LIKELY = 0.2  # chance of a file whose pitfalls are worth naming
_LONGEST = 12_000  # characters of a prompt that are looked at, as in digests


def prompt_sections(deck: Deck, agent: str, prompt: str, place: Place) -> list[tuple[str, list[tuple[str, str]]]]:
    """Headings, each with its lines and the items that they tell."""
    if not place.repo:
        return []
    question = Question(prompt[:_LONGEST])
    places = guess(StoredPlaces(deck.tables(), place.repo), question)
    quotes = decided(StoredTalks(deck.tables(), place.repo), question)
    bites = [Bite(line.item, line.text) for line in _biting(deck, agent, question.prompt, place, places)]
    block = prompt_block(places, bites, quotes, _rules(deck, place.repo))
    return [(section.heading, [tuple(entry) for entry in section.entries]) for section in block.sections]  # type: ignore[misc]


def _biting(deck: Deck, agent: str, prompt: str, place: Place, places: list[Likely]) -> list[Line]:
    """Lines about the task, and about the files where its work is likely to be."""
    found = [line for _, line in deck.lines("topic", set(words_of(prompt)), place.repo, agent)]
    for path in [one.path for one in places if one.chance >= _LIKELY]:
        lines = deck.lines("path", words_in(path), place.repo, agent)
        found += [line for trigger, line in lines if fits_path(trigger.path, path)]
    return list({line.item: line for line in found}.values())


def _rules(deck: Deck, repo: str) -> list[Bite]:
    body = deck.index(repo, RULES)
    rows = loads(body.decode()) if body else []
    return [Bite(str(row[0]), str(row[1])) for row in rows if isinstance(row, list)] if isinstance(rows, list) else []
