"""Recall at the first prompt, with items at hand: guesses the places, picks items, asks what was decided.

Of items only those wait for a prompt whose triggers name a topic or a path. They must be active and hold here; a path
counts if the work is likely enough to be there. What a quote says already is not said twice. A hook does the same from
the tables of a deck, without this module.
"""

from collections.abc import Collection, Iterable, Sequence

from afterwit.knowledge.matching import TriggerMoment, fires
from afterwit.model.knowledge import Item, Trigger
from afterwit.recall.decisions import Quote, decided
from afterwit.recall.place_index import KnownPlaces
from afterwit.recall.places import LikelyPlace, Question, guess
from afterwit.recall.prompt_block import BlockLine, PromptBlock, likely_paths, prompt_block, unquoted
from afterwit.recall.situation import Situation, enforced_rules, holding, order
from afterwit.recall.start_block import said_of
from afterwit.recall.talks import Talks
from afterwit.text.words import words_of


def at_prompt(
    items: Iterable[Item],
    situation: Situation,
    question: Question,
    index: KnownPlaces,
    talks: Talks,
    told: Collection[str] = (),
) -> PromptBlock:
    """The block for the first prompt of a session that was told these items at its start."""
    items = list(items)
    places = guess(index, question)
    quotes = decided(talks, question)
    lines = items_for_prompt(items, situation, question, places, quotes)
    return prompt_block(places, lines, quotes, rules_for_prompt(items, situation, told))


def rules_for_prompt(items: Iterable[Item], situation: Situation, told: Collection[str]) -> list[BlockLine]:
    """Of the rules that matter most here, those that the start block did not have: seen in fewer sessions."""
    return [BlockLine(item.id, said_of(item)) for item in enforced_rules(items, situation) if item.id not in told]


def items_for_prompt(
    items: Iterable[Item],
    situation: Situation,
    question: Question,
    places: Sequence[LikelyPlace],
    quotes: Sequence[Quote] = (),
) -> list[BlockLine]:
    """What matters most where the work is, the best first."""
    moment = TriggerMoment(paths=likely_paths(places), words=frozenset(words_of(question.prompt)))
    here = sorted((item for item in holding(items, situation) if _fires(item, moment)), key=order)
    return unquoted((BlockLine(item.id, said_of(item)) for item in here), quotes)


def prompting(item: Item) -> tuple[Trigger, ...]:
    """The triggers of an item that wait for a prompt. A path with an advice is a wrong one: it waits for a failure."""
    return tuple(trigger for trigger in item.triggers if trigger.topic or (trigger.path and not item.advice))


def _fires(item: Item, moment: TriggerMoment) -> bool:
    return any(fires(trigger, moment) for trigger in prompting(item))
