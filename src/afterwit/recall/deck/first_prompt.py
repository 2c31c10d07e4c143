"""The block for a first prompt, from the tables of the deck. Loaded at a prompt only."""

from afterwit.actions.path_patterns import fits_path
from afterwit.guard.shown import Shown, of_deck
from afterwit.model.quick_json import loads
from afterwit.recall.decisions import decided
from afterwit.recall.deck.location import Place
from afterwit.recall.deck.reader import Deck
from afterwit.recall.deck.stored_places import StoredPlaces
from afterwit.recall.deck.stored_talks import StoredTalks
from afterwit.recall.deck.words import words_in
from afterwit.recall.places import Place as Likely
from afterwit.recall.places import Question, guess
from afterwit.recall.prompt_block import Bite, prompt_block
from afterwit.recall.prompt_items import first_bites, likely_paths
from afterwit.text.words import words_of

RULES = "rules"  # the name under which a deck has the rules for the first prompt
_LONGEST = 12_000  # characters of a prompt that are looked at, as in digests


def prompt_sections(deck: Deck, agent: str, prompt: str, place: Place) -> list[tuple[Shown, list[tuple[str, Shown]]]]:
    """Headings, each with its lines and the items that they tell."""
    if not place.repo:
        return []
    question = Question(prompt[:_LONGEST])
    places = guess(StoredPlaces(deck.tables(), place.repo), question)
    quotes = decided(StoredTalks(deck.tables(), place.repo), question)
    bites = first_bites(_biting(deck, agent, question.prompt, place, places), quotes)
    block = prompt_block(places, bites, quotes, _rules(deck, place.repo))
    return [(section.heading, [tuple(entry) for entry in section.entries]) for section in block.sections]  # type: ignore[misc]


def _biting(deck: Deck, agent: str, prompt: str, place: Place, places: list[Likely]) -> list[Bite]:
    """Lines about the task, and about the files where its work is likely to be, each once and in the order in which
    items are said. A path with an advice is a wrong one: it waits for a failure."""
    found = deck.lines("topic", set(words_of(prompt)), place.repo, agent)
    for path in likely_paths(places):
        lines = deck.lines("path", words_in(path), place.repo, agent)
        found += [(trigger, line) for trigger, line in lines if not line.advice and fits_path(trigger.path, path)]
    ordered = sorted((line.number, line.item, line.text) for trigger, line in found if not trigger.tool)
    return list(dict.fromkeys(Bite(item, text) for _, item, text in ordered))


def _rules(deck: Deck, repo: str) -> list[Bite]:
    body = deck.index(repo, RULES)
    rows = loads(body.decode()) if body else []
    return (
        [Bite(str(row[0]), of_deck(row[1])) for row in rows if isinstance(row, list)] if isinstance(rows, list) else []
    )
