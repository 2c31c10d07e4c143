"""Threads: work in progress, bound to a branch or a name, and gone when it is over."""

import msgspec
import pytest
from tests.knowledge.drafting import DAY_MS, NOW_MS
from tests.recall.knowing import read

from afterwit.knowledge.brief import Thread, threads_of
from afterwit.model.knowledge import Channel, Item, ItemKind
from afterwit.model.text import roots_of

_TRUNKS = ("main", "master")


def _note(sentence: str, branch: str = "", *names: str, days_ago: float = 0) -> Item:
    note = read(sentence, Channel.ASSISTANT, kind=ItemKind.THREAD, branch=branch, names=names)
    return msgspec.structs.replace(note, last_ms=NOW_MS - int(days_ago * DAY_MS))


def _threads(*notes: Item, merged: tuple[str, ...] = ()) -> list[Thread]:
    return threads_of(notes, NOW_MS, _TRUNKS, lambda branch: branch in merged)


def _sentences(*notes: Item, merged: tuple[str, ...] = ()) -> list[list[str]]:
    return [[note.sentence for note in thread.items] for thread in _threads(*notes, merged=merged)]


def test_notes_of_one_branch_are_one_thread_the_latest_first() -> None:
    notes = _note("Begun.", "belt", days_ago=3), _note("Half done.", "belt", days_ago=1), _note("Of trees.", "trees")
    assert _sentences(*notes) == [["Of trees."], ["Half done.", "Begun."]]
    assert [thread.branch for thread in _threads(*notes)] == ["trees", "belt"]


@pytest.mark.parametrize(("days_ago", "lives"), [(0, True), (14, True), (14.1, False), (90, False)])
def test_a_thread_ends_two_weeks_after_it_was_touched_last(days_ago: float, lives: bool) -> None:
    assert bool(_threads(_note("Begun.", "belt", days_ago=days_ago))) == lives


def test_what_is_touched_again_lives_with_all_that_is_known_of_it() -> None:
    assert _sentences(_note("Begun.", "belt", days_ago=60), _note("Half done.", "belt")) == [["Half done.", "Begun."]]


def test_a_thread_ends_when_its_branch_is_merged() -> None:
    notes = _note("Begun.", "belt"), _note("Of trees.", "trees")
    assert _sentences(*notes, merged=("belt",)) == [["Of trees."]]


def test_notes_with_a_name_in_common_are_about_one_work_whatever_their_branches() -> None:
    begun, done = _note("Begun.", "belt", "belt drive", days_ago=1), _note("Half done.", "belt-2", "belt drives")
    assert _sentences(begun, done) == [["Half done.", "Begun."]]
    (thread,) = _threads(begun, done)
    assert thread.names == (tuple(sorted(roots_of("belt drive"))),)


def test_a_short_word_alone_names_no_work() -> None:
    notes = _note("Begun.", "", "belt", days_ago=1), _note("Half done.", "", "belt")
    assert _sentences(*notes) == [["Half done."], ["Begun."]]
    assert [thread.names for thread in _threads(*notes)] == [(), ()]
    (thread,) = _threads(_note("Begun.", "", "thermometer"))
    assert len(thread.names) == 1


def test_work_on_the_trunk_is_held_together_by_names_and_is_never_merged() -> None:
    notes = _note("Begun.", "main", "belt drive", days_ago=1), _note("Of trees.", "main", "tree rows")
    assert _sentences(*notes, merged=("main",)) == [["Of trees."], ["Begun."]]
    assert [thread.branch for thread in _threads(*notes)] == ["", ""]


def test_prompts_name_only_work_that_the_last_sessions_touched() -> None:
    old, new = _note("Begun.", "belt", "belt drive", days_ago=3), _note("Of trees.", "", "tree rows")
    gone = _note("Of water.", "", "water pump", days_ago=3)
    threads = threads_of((old, new, gone), NOW_MS, _TRUNKS, lambda _: False, (), {"": NOW_MS - DAY_MS})
    assert [(thread.branch, bool(thread.names)) for thread in threads] == [("", True), ("belt", False)]


def test_what_later_sessions_on_a_branch_have_gone_past_is_told_no_longer() -> None:
    begun = _note("Begun.", "belt", "belt drive", days_ago=3)
    fresh = {"": NOW_MS - DAY_MS, "belt": NOW_MS - 2 * DAY_MS}
    assert threads_of((begun,), NOW_MS, _TRUNKS, lambda _: False, (), fresh) == []
    (thread,) = threads_of((begun,), NOW_MS, _TRUNKS, lambda _: False, (), fresh | {"belt": NOW_MS - 4 * DAY_MS})
    assert (thread.branch, thread.names) == ("belt", ())


def test_a_name_that_many_prompts_hold_names_nothing() -> None:
    prompts = [roots_of("Count the barrels of the belt drive.")] * 4 + [roots_of("Prune.")] * 4
    (thread,) = threads_of((_note("Begun.", "", "belt drive", "tree rows"),), NOW_MS, _TRUNKS, lambda _: False, prompts)
    assert thread.names == (tuple(sorted(roots_of("tree rows"))),)


def test_only_what_is_said_of_work_in_progress_is_a_thread() -> None:
    assert _threads(read("Oil the belt.", branch="belt", names=("belt drive",))) == []
