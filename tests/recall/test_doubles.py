"""Of notes that say nearly the same one is told."""

from typing import Any

import msgspec
from tests.knowledge.drafting import HARBOUR
from tests.recall.knowing import item

from afterwit.knowledge.belief import quorum
from afterwit.knowledge.whose_words import Listener
from afterwit.model.knowledge import READ, Item, Trigger
from afterwit.recall.situation import told_once

_TABS = "The press is indented with tabs: edits of several lines fail with `String not found`."
_TABS_AGAIN = "Edits of several lines fail with `String not found` because the press is indented with tabs; copy them."
_OTHER = "Label quinces with `make labels` before a push, or the cellar refuses the crate."


def _read(sentence: str, **more: Any) -> Item:
    return item(sentence, harvester=READ, **more)


def _sentences(items: list[Item]) -> list[str]:
    return [note.sentence for note in told_once(items, Listener())]


def test_the_note_that_spares_most_stands_for_those_like_it() -> None:
    notes = [_read(_TABS, saves=1.0), _read(_TABS_AGAIN, saves=4.0), _read(_OTHER)]
    assert _sentences(notes) == [_TABS_AGAIN, _OTHER]


def test_it_waits_for_what_the_others_waited_for_and_counts_their_sessions() -> None:
    tabs = _read(_TABS, saves=4.0, stories=2, triggers=(Trigger(path="press/**"),))
    again = _read(_TABS_AGAIN, saves=1.0, stories=3, triggers=(Trigger(path="mill/**"),))
    (told, _) = told_once([tabs, again, _read(_OTHER)], Listener())
    assert {trigger.path for trigger in told.triggers} == {"press/**", "mill/**"}
    assert quorum(told.evidence) >= max(quorum(tabs.evidence), quorum(again.evidence))


def test_notes_of_other_places_or_other_agents_are_no_doubles() -> None:
    here, there = _read(_TABS), _read(_TABS_AGAIN, scope=HARBOUR)
    assert len(told_once([here, there], Listener())) == 2
    assert len(told_once([here, _read(_TABS_AGAIN, agents=("codex",))], Listener())) == 2


def test_what_was_counted_stands_for_what_was_read() -> None:
    counted, read = item(_TABS), _read(f"{_TABS} Here.", saves=9.0)
    assert _sentences([counted, read, _read(_OTHER)]) == [_TABS, _OTHER]


def test_what_a_person_decided_about_stands_for_what_a_model_read() -> None:
    decided = msgspec.structs.replace(_read(_TABS, saves=1.0), is_decided=True)
    assert _sentences([_read(_TABS_AGAIN, saves=9.0), decided, _read(_OTHER)]) == [_TABS, _OTHER]


def test_counted_notes_are_never_doubles_of_each_other() -> None:
    assert len(told_once([item(_TABS), item(_TABS_AGAIN), _read(_OTHER)], Listener())) == 3
