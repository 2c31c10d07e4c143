import random

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.harvest.edits import change, silent

from afterwit.harvest.changed_files import Changed, Move, changes_of, misses, stories_of
from afterwit.model.knowledge import SessionRef, Sighting


def _sighting(name: str, at_ms: int, *files: str, story: str = "", **more: object) -> Sighting[Changed]:
    session = SessionRef(agent="x", native_id=name, story=story or name, at_ms=at_ms)
    return Sighting(session, Changed(files=files, total=len(files), **more))  # type: ignore[arg-type]


def _files(*sightings: Sighting[Changed]) -> list[list[str]]:
    return [sorted(story.files) for story in stories_of(sightings)]


def test_a_session_without_files_is_not_seen() -> None:
    assert changes_of(silent(1)).is_nothing


def test_a_sighting_says_when_and_for_what_it_was() -> None:
    seen = changes_of(change("Ripen\nthe plums", "plum.py", day=1))
    assert (seen.at, seen.excerpt) == (0, "Ripen the plums")


def test_sightings_survive_storage() -> None:
    seen = Changed(files=("a.py",), total=1, moves=(Move("b.py", "c.py"),), missing=("d.py",))
    assert msgspec.json.decode(msgspec.json.encode(seen), type=Changed) == seen


def test_sessions_of_one_story_are_one() -> None:
    assert _files(_sighting("a", 1, "x.py"), _sighting("b", 2, "y.py", story="a")) == [["x.py", "y.py"]]


def test_a_moved_file_counts_under_its_new_name() -> None:
    moved = _sighting("b", 2, "z.py", moves=(Move("core", "kernel"),))
    assert _files(_sighting("a", 1, "core/x.py"), moved) == [["kernel/x.py"], ["z.py"]]


def test_a_deleted_file_is_left_out() -> None:
    assert _files(_sighting("a", 1, "x.py", "y.py"), _sighting("b", 2, "z.py", moves=(Move("x.py"),)))[0] == ["y.py"]


def test_a_move_after_which_the_old_name_was_changed_never_came_in() -> None:
    moved = _sighting("b", 2, "z.py", moves=(Move("x.py", "w.py"),))
    assert _files(_sighting("a", 1, "x.py"), moved, _sighting("c", 3, "x.py")) == [["x.py"], ["z.py"], ["x.py"]]


def test_a_file_moved_there_and_back_keeps_its_name() -> None:
    there = _sighting("b", 2, "z.py", moves=(Move("x.py", "w.py"),))
    back = _sighting("c", 3, "z.py", moves=(Move("w.py", "x.py"),))
    assert _files(_sighting("a", 1, "x.py"), there, back)[0] == ["x.py"]


def test_only_a_miss_after_the_last_change_counts() -> None:
    early = _sighting("a", 1, "y.py", missing=("x.py",))
    late = _sighting("c", 3, "y.py", missing=("x.py",))
    stories = stories_of([early, _sighting("b", 2, "x.py"), late])
    assert [story.name for story in misses(stories, ("x.py",))] == ["c"]


@given(st.randoms(use_true_random=False))
@settings(max_examples=20, deadline=None)
def test_the_order_of_sightings_does_not_matter(chance: random.Random) -> None:
    sightings = [
        _sighting("a", 1, "core/x.py"),
        _sighting("b", 2, "z.py", moves=(Move("core", "kernel"),)),
        _sighting("c", 2, "core/x.py", story="b"),
        _sighting("d", 4, "kernel/y.py", missing=("core/x.py",)),
    ]
    shuffled = list(sightings)
    chance.shuffle(shuffled)
    assert stories_of(shuffled) == stories_of(sightings)
