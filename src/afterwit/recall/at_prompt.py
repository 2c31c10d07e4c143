"""Recall at a prompt, with items at hand: guesses the places, and picks notes.

Of notes those come whose triggers name a topic or a path, if the work is likely enough to be there, and those that the
prompt is about by words and by files that it names. They must be active and hold here. One that waits for an activity,
such as an edit below a folder, needs more than a likely place: it comes with that activity otherwise. After the first
prompt only what is new and strongly meant is said. A hook does the same from the tables of a deck.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from afterwit.knowledge.matching import TriggerMoment, fires
from afterwit.model.knowledge import READ, Channel, Item, ItemStatus, ScopeKind, Trigger
from afterwit.model.text.words import words_of
from afterwit.recall.at_activity import is_called, is_touched
from afterwit.recall.note_matches import (
    NO_MATCH,
    NoteIndex,
    is_meant,
    is_said,
    is_strongly_meant,
    matching_notes,
    named_in,
    nearness,
)
from afterwit.recall.place_index import KnownPlaces
from afterwit.recall.places import KnownRepo, LikelyPlace, Question, clear, guess, with_tests, without_forbidden
from afterwit.recall.prompt_block import (
    LATER_TOKENS,
    BlockLine,
    MarkedLine,
    PromptBlock,
    fitting,
    later_block,
    likely_paths,
    prompt_block,
)
from afterwit.recall.situation import Situation, holding, order
from afterwit.recall.start_block import said_of


def at_prompt(
    items: Iterable[Item],
    situation: Situation,
    question: Question,
    repo: KnownRepo,
    told: Collection[str] = (),
) -> PromptBlock:
    """The block for the first prompt of a session that was told these items at its start."""
    items = list(items)
    repo = without_forbidden(repo, (item.sentence for item in holding(items, situation)))
    places = guess(repo, question)
    notes = notes_at_prompt(items, situation, question, repo.work, places)
    new = [MarkedLine(note.mark, _line(note.item)) for note in notes if note.item.id not in told]
    files = with_tests(repo, clear(repo, question, places))
    return prompt_block(files, fitting(new))


def at_later_prompt(
    items: Iterable[Item],
    situation: Situation,
    question: Question,
    index: KnownPlaces,
    told: Collection[str],
    room_tokens: int = LATER_TOKENS,
) -> PromptBlock:
    """The block for a prompt that is not the first: what is strongly meant and was not told yet. The session has so
    much room left (`LATER_TOKENS_OF_SESSION` for all of them)."""
    if not is_said(question.prompt):
        return PromptBlock()
    notes = notes_at_prompt(items, situation, question, index, ())
    new = (_line(note.item) for note in notes if note.item.id not in told and note.is_strong)
    return later_block(new, room_tokens)


class PromptNote(NamedTuple):
    """A note that fits a prompt."""

    item: Item
    mark: float  # how well; 0.0 where only its place or its topic fits
    is_strong: bool


def notes_at_prompt(
    items: Iterable[Item],
    situation: Situation,
    question: Question,
    index: KnownPlaces,
    places: Sequence[LikelyPlace],
) -> list[PromptNote]:
    """What fits, the best first, then what spares most."""
    here = holding(items, situation)
    own = [item for item in here if item.scope.kind is ScopeKind.REPO]
    matches = matching_notes(NoteIndex({item.id: about(item) for item in own if about(item)}), question.prompt)
    named = named_in(index, question.prompt)
    moment = TriggerMoment(paths=likely_paths(places), words=frozenset(words_of(question.prompt)))
    notes = []
    for item in here:
        match = matches.get(item.id, NO_MATCH)
        added = nearness((trigger.path for trigger in item.triggers if is_touched(item, trigger)), named, places)
        is_about = is_meant(match, added)
        if is_about or any(fires(trigger, moment) for trigger in prompting(item)):
            mark = match.worth + added if is_about else 0.0
            notes.append(PromptNote(item, mark, is_strongly_meant(match, added)))
    return sorted(notes, key=lambda note: (-round(note.mark, 6), order(note.item)))


def prompting(item: Item) -> tuple[Trigger, ...]:
    """The triggers of an item for which a prompt is enough: a topic, or a path if the item waits for no activity. A
    path with an advice is a wrong one: it waits for a failure."""
    is_waiting = any(trigger.activity is not None or is_called(item, trigger) for trigger in item.triggers)
    return tuple(
        trigger for trigger in item.triggers if trigger.topic or (is_touched(item, trigger) and not is_waiting)
    )


def about(item: Item) -> str:
    """The text by whose words a prompt finds an item; "" where words say nothing about it: what a person or a model put
    into words is found, what was counted is not."""
    if item.status is not ItemStatus.ACTIVE or not (item.harvester == READ or item.channel is Channel.USER):
        return ""
    triggers = (
        word for trigger in item.triggers for word in (trigger.path, trigger.program, *trigger.words, *trigger.topic)
    )
    return " ".join((item.sentence, item.when, *item.files, *dict.fromkeys(triggers)))


def _line(item: Item) -> BlockLine:
    return BlockLine(item.id, said_of(item))
