import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.harvest.edits import ROOT, change, missed, silent
from tests.harvest.work import Act, edited, failed, ran, session
from tests.thoroughness import examples

from afterwit.harvest.changed_files import MOST_FILES, Changed, Move, changes_of, is_aside, misses, stories_of
from afterwit.model.digest import DigestStep
from afterwit.model.kinds import ActionKind, Status
from afterwit.model.knowledge import SessionRef, Sighting
from afterwit.text.test_paths import is_test, subject_of


def test_files_come_with_the_most_often_changed_first() -> None:
    found = changes_of(session(edited("a.py"), edited("b.py"), edited("b.py")))
    assert (found.files, found.total, found.at) == (("b.py", "a.py"), 2, 0)


def test_failed_edits_and_files_elsewhere_do_not_count() -> None:
    refused = Act(DigestStep(ActionKind.EDIT, "Edit", f"{ROOT}/a.py", Status.FAILED, files=("a.py",)))
    outside = Act(DigestStep(ActionKind.WRITE, "Write", "/etc/hosts", Status.SUCCEEDED, files=("/etc/hosts",)))
    assert not changes_of(session(refused, outside)).files


def test_of_many_files_the_number_is_kept() -> None:
    found = changes_of(session(*(edited(f"f{at}.py") for at in range(MOST_FILES + 5))))
    assert (len(found.files), found.total) == (MOST_FILES, MOST_FILES + 5)


def test_what_the_session_deletes_again_was_not_changed() -> None:
    found = changes_of(session(edited("try.py"), edited("kept.py"), ran("cd . && rm try.py")))
    assert (found.files, found.moves) == (("kept.py",), (Move("try.py"),))


@pytest.mark.parametrize(
    ("line", "moves"),
    [
        ("git mv old.py new.py", (Move("old.py", "new.py"),)),
        ("git mv a.py b.py lib", (Move("a.py", "lib/a.py"), Move("b.py", "lib/b.py"))),
        ("cd core && mv old.py sub/", (Move("core/old.py", "core/sub/old.py"),)),
        (f"rm -rf {ROOT}/press/old", (Move("press/old"),)),
        ("git rm --cached secret.txt", ()),
        ("rm -f /tmp/scratch.py *.pyc", ()),
        ("rm -rf node_modules/left-pad", ()),
    ],
)
def test_moves_and_deletions_are_read_from_commands(line: str, moves: tuple[Move, ...]) -> None:
    assert changes_of(session(edited("seen.py"), ran(line))).moves == moves


def test_a_change_counts_under_the_name_after_the_move() -> None:
    found = changes_of(session(edited("core/a.py"), ran("git mv core kernel")))
    assert found.files == ("kernel/a.py",)


def test_commands_that_failed_moved_nothing() -> None:
    assert not changes_of(session(edited("a.py"), failed("rm a.py"))).moves


def test_a_read_of_an_absent_file_is_a_miss() -> None:
    assert changes_of(session(edited("a.py"), missed("press/gone.py"))).missing == ("press/gone.py",)


def test_a_file_written_after_the_miss_is_no_miss() -> None:
    assert not changes_of(session(edited("a.py"), missed("b.py"), edited("b.py"))).missing


@pytest.mark.parametrize(
    "path",
    ["CHANGELOG.md", "package-lock.json", "uv.lock", "go.sum", "web/dist/app.js", "api/v1/fruit.pb.go", "build/x.c"],
)
def test_files_that_change_in_passing_are_aside(path: str) -> None:
    assert is_aside(path)


@pytest.mark.parametrize("path", ["src/build/plan.py", "lock.py", "src/generator.py", "docs/usage.md", "src/blocks.ts"])
def test_ordinary_files_are_not_aside(path: str) -> None:
    assert not is_aside(path)


@pytest.mark.parametrize(
    ("path", "subject"),
    [
        ("tests/test_press.py", "press"),
        ("press/press_test.go", "press"),
        ("web/press.test.ts", "press"),
        ("web/__tests__/press.tsx", "press"),
        ("src/PressTest.java", "Press"),
        ("spec/press_spec.rb", "press"),
    ],
)
def test_tests_are_known_by_their_paths_and_share_the_subject(path: str, subject: str) -> None:
    assert (is_test(path), subject_of(path)) == (True, subject)


@pytest.mark.parametrize("path", ["src/latest.py", "src/contest.go", "prompts/test-plan.md", "src/inspect.py"])
def test_names_that_only_look_like_tests_are_none(path: str) -> None:
    assert not is_test(path)


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
@settings(max_examples=examples(20), deadline=None)
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
