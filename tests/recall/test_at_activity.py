"""What is said with the first action of a kind."""

from typing import Any

from tests.knowledge.drafting import HARBOUR
from tests.recall.knowing import HERE, item

from afterwit.model.knowledge import EVERYWHERE, Activity, Item, ItemStatus, Trigger
from afterwit.recall.at_activity import at_activity
from afterwit.recall.prompt_block import ACTION_TOKENS

_EDIT = Trigger(activity=Activity.EDIT, path="press/**")
_COMMIT = Trigger(activity=Activity.COMMIT)


def _note(sentence: str, *triggers: Trigger, **more: Any) -> Item:
    return item(sentence, triggers=triggers, **more)


def _said(
    items: list[Item], *activities: Activity, paths: tuple[str, ...] = (), told: tuple[str, ...] = ()
) -> list[str]:
    ids = {note.id: note.sentence for note in items}
    return [ids[line.item] for line in at_activity(items, HERE, activities, paths, told)]


def test_an_edit_below_the_folder_brings_the_note() -> None:
    notes = [_note("Oil the belt.", _EDIT)]
    assert _said(notes, Activity.EDIT, paths=("press/quince.py",)) == ["Oil the belt."]
    assert _said(notes, Activity.EDIT, paths=("cellar/quince.py",)) == []
    assert _said(notes, paths=("press/quince.py",)) == []


def test_a_note_that_names_an_edit_does_not_come_because_the_file_was_read() -> None:
    notes = [_note("Oil the belt.", _EDIT, Trigger(path="press/**"))]
    assert _said(notes, paths=("press/quince.py",)) == []


def test_a_note_that_waits_for_nothing_but_a_path_comes_at_whatever_touches_it() -> None:
    assert _said([_note("Made by a tool.", Trigger(path="press/*.py"))], paths=("press/a.py",)) == ["Made by a tool."]


def test_a_path_with_an_advice_waits_for_a_failure() -> None:
    assert _said([_note("It moved.", Trigger(path="press/a.py"), advice="ls press")], paths=("press/a.py",)) == []


def test_one_command_line_can_be_several_activities() -> None:
    notes = [_note("Sign your commits.", _COMMIT), _note("Run one test.", Trigger(activity=Activity.TEST))]
    assert sorted(_said(notes, Activity.TEST, Activity.COMMIT)) == ["Run one test.", "Sign your commits."]
    assert _said(notes, Activity.PUSH) == []


def test_what_was_told_is_not_told_again() -> None:
    notes = [_note("Sign your commits.", _COMMIT)]
    assert _said(notes, Activity.COMMIT, told=(notes[0].id,)) == []


def test_what_names_the_file_comes_before_what_names_its_folder() -> None:
    exact = Trigger(activity=Activity.EDIT, path="press/quince.py")
    notes = [
        _note("Of the folder.", _EDIT),
        _note("Of the file itself.", exact),
        _note("Of all.", Trigger(path="*.py")),
    ]
    said = _said(notes, Activity.EDIT, paths=("press/quince.py",))
    assert said == ["Of the file itself.", "Of the folder.", "Of all."]


def test_at_most_three_lines_and_two_hundred_tokens_come_with_one_action() -> None:
    few = [_note(f"Sign commit {number}.", _COMMIT) for number in range(9)]
    assert len(_said(few, Activity.COMMIT)) == 3
    long = [_note(f"Sign commit {number}{', and again' * 18}.", _COMMIT) for number in range(9)]
    lines = at_activity(long, HERE, (Activity.COMMIT,), (), ())
    assert len(lines) > 1
    assert sum(len(line.text) for line in lines) <= ACTION_TOKENS * 4


def test_notes_of_other_places_and_those_that_wait_stay_silent() -> None:
    notes = [
        _note("Of another place.", _COMMIT, scope=HARBOUR),
        _note("Everywhere.", _COMMIT, scope=EVERYWHERE),
        _note("Seen too rarely.", _COMMIT, evidence=()),
    ]
    assert notes[2].status is not ItemStatus.ACTIVE
    assert _said(notes, Activity.COMMIT) == ["Everywhere."]
