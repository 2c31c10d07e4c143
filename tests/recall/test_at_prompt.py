"""What fits a prompt: lines that wait for its words, and where its work is."""

from typing import Any

import pytest
from tests.knowledge.drafting import HARBOUR, ORCHARD
from tests.recall.asking import at_prompt
from tests.recall.knowing import item, line, page, read

from afterwit.knowledge.brief import told_lines
from afterwit.knowledge.whose_words import Listener
from afterwit.model.knowledge import EVERYWHERE, Item, ItemStatus, Trigger
from afterwit.model.text import words_of
from afterwit.recall.deck.firing_lines import FiringLine, lines_on_demand
from afterwit.recall.place_index import PlaceSighting

_TASK = "repair the quince press"
_WORK = (PlaceSighting("s", _TASK, ["press/quince.py"], at_ms=1),)
_PRESS = Trigger(topic=tuple(words_of("quince press")))


def _note(sentence: str, trigger: Trigger = _PRESS, **more: Any) -> Item:
    return item(sentence, triggers=(trigger,), **more)


def _told(*items: Item, prompt: str = _TASK) -> list[str]:
    sentences = {note.id: note.sentence for note in items}
    return [sentences[told.item] for told in at_prompt(items, prompt, _WORK).lines]


def test_a_note_is_told_with_a_prompt_that_has_all_words_of_its_topic_in_any_form() -> None:
    plums = Trigger(topic=tuple(words_of("plum press")))
    notes = _note("Oil the belt."), _note("Stone them first.", plums)
    assert _told(*notes) == ["Oil the belt."]
    assert _told(*notes, prompt="The presses of all quinces are broken") == ["Oil the belt."]
    assert _told(*notes, prompt="The press is broken") == []


def test_a_likely_place_alone_brings_no_note() -> None:
    assert _told(_note("Oil the belt.", Trigger(path="press/*.py"))) == []


def test_what_has_a_place_in_the_start_block_does_not_wait_for_a_prompt() -> None:
    assert _told(_note("Oil the belt.", Trigger(program="press"))) == []


def test_notes_of_other_repositories_and_candidates_stay_silent() -> None:
    doubtful = _note("Seen too rarely.", evidence=())
    assert doubtful.status is ItemStatus.CANDIDATE
    assert _told(_note("Of another place.", scope=HARBOUR), doubtful, _note("Everywhere.", scope=EVERYWHERE)) == [
        "Everywhere."
    ]


def test_the_place_is_named_beside_what_is_known_of_it() -> None:
    found = at_prompt([_note("Oil the belt.")], _TASK, _WORK)
    assert [place.path for place in found.files] == ["press/quince.py"]
    assert len(found.lines) == 1


def test_without_history_there_is_silence() -> None:
    found = at_prompt([], _TASK)
    assert (found.lines, found.thread, found.files) == ([], [], [])


def _on_demand(note: Item, *topics: str) -> list[FiringLine]:
    waiting = line(note.sentence, None, note, triggers=tuple(Trigger(topic=tuple(words_of(text))) for text in topics))
    return list(lines_on_demand(ORCHARD.name, told_lines(page(waiting), [note], Listener())))


@pytest.mark.parametrize(
    ("prompt", "is_told"),
    [
        ("rebase the parent branch", True),
        ("there are merge conflicts", True),
        ("a merge of two branches", False),
        ("the parent of the tree", False),
    ],
)
def test_a_line_on_demand_waits_for_all_words_of_any_of_its_groups(prompt: str, is_told: bool) -> None:
    note = read("Rebase stacked branches with `git rebase --onto`.")
    lines = _on_demand(note, "merge conflict", "parent branch")
    assert bool(at_prompt([note], prompt, lines=lines).lines) == is_told


def test_what_a_model_read_is_told_by_lines_alone() -> None:
    note = read("Oil the belt.", triggers=(_PRESS,))
    assert at_prompt([note], _TASK).lines == []
    (told,) = at_prompt([note], _TASK, lines=_on_demand(note, "quince press")).lines
    assert (told.item, told.text) == (line("Oil the belt.", None).id, "Oil the belt.")
