"""What is said with the first action of a kind."""

from typing import Any

from tests.knowledge.drafting import HARBOUR, ORCHARD
from tests.recall.asking import awaited, called
from tests.recall.knowing import item, line, page, read

from afterwit.agents.hook_payloads import Moment
from afterwit.knowledge.brief import told_lines
from afterwit.knowledge.whose_words import Listener
from afterwit.model.knowledge import EVERYWHERE, Activity, Item, ItemStatus, Trigger
from afterwit.recall.deck.firing_lines import lines_on_demand

_EDIT = Trigger(activity=Activity.EDIT, path="press/**")
_COMMIT = Trigger(activity=Activity.COMMIT)


def _note(sentence: str, *triggers: Trigger, **more: Any) -> Item:
    return item(sentence, triggers=triggers, **more)


def _edits(path: str) -> Moment:
    return called("Edit", file_path=path)


def _reads(path: str) -> Moment:
    return called("Read", file_path=path)


def _runs(command: str) -> Moment:
    return called("Bash", command=command)


def _said(items: list[Item], moment: Moment, *told: str) -> list[str]:
    """What is said with one action after the other of the same kind, until nothing is left to say."""
    ids = {note.id: note.sentence for note in items}
    said: list[str] = []
    while lines := awaited(items, moment, (*told, *said)):
        said += lines
    return [ids[name] for name in said]


def test_an_edit_below_the_folder_brings_the_note() -> None:
    notes = [_note("Oil the belt.", _EDIT)]
    assert _said(notes, _edits("press/quince.py")) == ["Oil the belt."]
    assert _said(notes, _edits("cellar/quince.py")) == []
    assert _said(notes, _reads("press/quince.py")) == []


def test_a_note_that_names_an_edit_does_not_come_because_the_file_was_read() -> None:
    notes = [_note("Oil the belt.", _EDIT, Trigger(path="press/**"))]
    assert _said(notes, _reads("press/quince.py")) == []


def test_a_note_that_waits_for_nothing_but_a_path_comes_at_whatever_touches_it() -> None:
    assert _said([_note("Made by a tool.", Trigger(path="press/*.py"))], _reads("press/a.py")) == ["Made by a tool."]


def test_a_path_with_an_advice_waits_for_a_failure() -> None:
    assert _said([_note("It moved.", Trigger(path="press/a.py"), advice="ls press")], _reads("press/a.py")) == []


def test_one_command_line_can_be_several_activities() -> None:
    notes = [_note("Sign your commits.", _COMMIT), _note("Run one test.", Trigger(activity=Activity.TEST))]
    both = _said(notes, _runs("make test && git commit -m x"))
    assert sorted(both) == ["Run one test.", "Sign your commits."]
    assert _said(notes, _runs("git push")) == []


def test_what_was_told_is_not_told_again() -> None:
    notes = [_note("Sign your commits.", _COMMIT)]
    assert _said(notes, _runs("git commit -m x"), notes[0].id) == []


def test_the_note_that_spares_most_comes_first() -> None:
    notes = [_note("Spares little.", _EDIT, saves=1.0), _note("Spares a lot.", _EDIT, saves=9.0)]
    assert _said(notes, _edits("press/quince.py")) == ["Spares a lot.", "Spares little."]


def _on_demand(note: Item, trigger: Trigger, moment: Moment) -> list[str]:
    """What a line that was compiled of a note says with an action."""
    waiting = page(line(note.sentence, None, note, triggers=(trigger,)))
    lines = list(lines_on_demand(ORCHARD.name, told_lines(waiting, [note], Listener())))
    return awaited([note], moment, lines=lines)


def test_a_line_on_demand_comes_with_the_first_call_of_its_command() -> None:
    trigger = Trigger(program="press", words=("run",))
    note = read("The press hides its output.", triggers=(trigger,))
    assert _on_demand(note, trigger, _runs("cd mill && press run --all")) == [line(note.sentence, None).id]
    assert _on_demand(note, trigger, _runs("press stop")) == []
    assert _said([note], _runs("press run")) == []
    counted = [_note("The press hides its output.", trigger)]
    assert _said(counted, _runs("press run")) == []


def test_a_line_on_demand_comes_with_an_edit_of_its_files() -> None:
    note = read("The belt is made by a tool.")
    assert _on_demand(note, _EDIT, _edits("press/belt.py")) == [line(note.sentence, None).id]
    assert _on_demand(note, _EDIT, _reads("press/belt.py")) == []


def test_one_line_comes_with_one_action() -> None:
    few = [_note(f"Sign commit {number}.", _COMMIT) for number in range(9)]
    assert len(awaited(few, _runs("git commit -m x"))) == 1


def test_notes_of_other_places_and_those_that_wait_stay_silent() -> None:
    notes = [
        _note("Of another place.", _COMMIT, scope=HARBOUR),
        _note("Everywhere.", _COMMIT, scope=EVERYWHERE),
        _note("Seen too rarely.", _COMMIT, evidence=()),
    ]
    assert notes[2].status is not ItemStatus.ACTIVE
    assert _said(notes, _runs("git commit -m x")) == ["Everywhere."]
