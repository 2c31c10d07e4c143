"""Lines are told by what edits wrote and by git's own blame, never by time alone; what cannot be told says so."""

from pathlib import Path

import pytest
from tests.homes import learned, world_of
from tests.recall.writers import ClaudeWriter, codex_patch
from tests.sources.checkouts import Worked, worked

from afterwit.config.world import World
from afterwit.model.errors import UsageError
from afterwit.recall.blame import BlamedFile, blame_lines, last_words, standing, story_of
from afterwit.sessions.filters import find_session
from afterwit.sessions.originals import source_of

PRESS = """def turn_the_press(barrel):
    wooden_screw = barrel.screw_of_oak()
    if wooden_screw.is_tight():
        return barrel.juice

    return wooden_screw.turn_slowly()
"""
BARREL = """class BarrelOfOak:
    staves_of_oak = 24
    hoops_of_iron = 6
"""


@pytest.fixture
def place(tmp_path: Path) -> Worked:
    return worked(tmp_path / "home" / "orchard")


class Asked:
    """Learns what was put into the home, and asks."""

    def __init__(self, tmp_path: Path, place: Worked) -> None:
        self.home, self._store, self._place = tmp_path / "home", tmp_path / "store", place

    def session(self, name: str, at_s: float, cwd: str = "") -> ClaudeWriter:
        return ClaudeWriter(name, cwd or str(self._place.root), at_s)

    def at(self, path: str) -> str:
        return str(self._place.root / path)

    def world(self) -> World:
        learned(self.home, self._store)
        return world_of(self.home, self._store)

    def blame(self, name: str) -> list[BlamedFile]:
        world = self.world()
        with source_of(world) as source:
            return blame_lines(source, world, self._place.root, name)

    def writers(self, name: str) -> dict[int, str]:
        """The session of each line; "" for one that no known session wrote."""
        return {
            line: run.edit.session.native_id if run.edit else ""
            for file in self.blame(name)
            for run in file.runs
            for line in range(run.first, run.last + 1)
        }

    def reasons(self, name: str) -> list[str]:
        return [run.why for file in self.blame(name) for run in file.runs if run.why]


@pytest.fixture
def asked(tmp_path: Path, place: Worked) -> Asked:
    return Asked(tmp_path, place)


def test_a_file_that_a_session_wrote_is_told_with_the_words_that_led_there(asked: Asked, place: Worked) -> None:
    asked.session("s1", 0).prompt("Build a press that turns slowly").say("I carve the screw first.").write(
        asked.at("press.py"), PRESS
    ).put(asked.home)
    commit = place.commit({"press.py": PRESS}, "Build the press", 600)
    world = asked.world()
    with source_of(world) as source:
        (file,) = blame_lines(source, world, place.root, "press.py")
        (run,) = file.runs
        assert run.edit is not None
        assert run.commit is not None
        assert (run.first, run.last, run.commit.id, run.commit.subject) == (1, 6, commit, "Build the press")
        assert (run.edit.session.native_id, run.asked) == ("s1", "Build a press that turns slowly")
        assert last_words(source, run.edit) == "I carve the screw first."


def test_lines_that_a_later_session_replaced_are_its_own_and_those_around_stay(asked: Asked, place: Worked) -> None:
    asked.session("s1", 0).prompt("Build").write(asked.at("press.py"), PRESS).put(asked.home)
    place.commit({"press.py": PRESS}, "Build the press", 600)
    old, new = "        return barrel.juice\n", "        return barrel.juice.strained_twice()\n"
    asked.session("s2", 900).prompt("Strain it").edit(asked.at("press.py"), old, new).put(asked.home)
    place.commit({"press.py": PRESS.replace(old, new)}, "Strain the juice", 1200)
    assert asked.writers("press.py") == {1: "s1", 2: "s1", 3: "s1", 4: "s2", 5: "s1", 6: "s1"}


def test_a_session_that_merely_ran_while_somebody_committed_wrote_nothing(asked: Asked, place: Worked) -> None:
    asked.session("s1", 0).prompt("Look").write(asked.at("press.py"), "# nothing here is what came later\n").put(
        asked.home
    )
    place.commit({"press.py": PRESS}, "Build the press by hand", 3)
    assert set(asked.writers("press.py").values()) == {""}
    assert asked.reasons("press.py") == ["no known session wrote this"]


def test_an_edit_after_the_commit_of_a_line_did_not_write_it(asked: Asked, place: Worked) -> None:
    place.commit({"press.py": PRESS}, "Build the press by hand", 0)
    asked.session("s1", 600).prompt("Copy it").write(asked.at("press.py"), PRESS).put(asked.home)
    assert set(asked.writers("press.py").values()) == {""}
    assert asked.reasons("press.py") == ["committed before any known session changed the file"]


def test_of_several_that_wrote_a_line_the_last_one_before_its_commit_did(asked: Asked, place: Worked) -> None:
    asked.session("s1", 0).prompt("Build").write(asked.at("press.py"), PRESS).put(asked.home)
    asked.session("s2", 100).prompt("Not so").edit(asked.at("press.py"), PRESS, "pass\n").put(asked.home)
    asked.session("s3", 200).prompt("Again").edit(asked.at("press.py"), "pass\n", PRESS).put(asked.home)
    place.commit({"press.py": PRESS}, "Build the press", 600)
    asked.session("s4", 900).prompt("Once more").edit(asked.at("press.py"), "pass\n", PRESS).put(asked.home)
    assert set(asked.writers("press.py").values()) == {"s3"}


def test_writing_a_file_again_does_not_take_the_lines_of_who_wrote_them_first(asked: Asked, place: Worked) -> None:
    asked.session("s1", 0).prompt("Build").write(asked.at("press.py"), PRESS).put(asked.home)
    more = PRESS + "\n\ndef clean_the_press(brush):\n    brush.sweep_everything()\n"
    asked.session("s2", 100).prompt("Clean it").write(asked.at("press.py"), more).put(asked.home)
    place.commit({"press.py": more}, "Build the press", 600)
    writers = asked.writers("press.py")
    assert [writers[line] for line in (1, 2, 6, 9, 10)] == ["s1", "s1", "s1", "s2", "s2"]


def test_a_line_that_says_nothing_goes_with_those_around_it_and_is_left_open_alone(asked: Asked, place: Worked) -> None:
    asked.session("s1", 0).prompt("Build").edit(asked.at("a.js"), "x", "wooden_screw.turn_slowly({\n});\n").put(
        asked.home
    )
    place.commit({"a.js": "start_by_hand(function () {\n"}, "Start", 10)
    place.commit({"a.js": "start_by_hand(function () {\nwooden_screw.turn_slowly({\n});\n"}, "Turn", 600)
    place.commit({"a.js": "start_by_hand(function () {\nwooden_screw.turn_slowly({\n});\n});\n"}, "Close", 900)
    assert asked.writers("a.js") == {1: "", 2: "s1", 3: "s1", 4: ""}


def test_a_formatter_that_lays_lines_out_anew_does_not_hide_who_wrote_them(asked: Asked, place: Worked) -> None:
    written = "press_slowly(barrel_of_oak, screw_of_iron, basket_of_willow, turns_of_the_handle=12)\n"
    laid_out = "press_slowly(\n    barrel_of_oak, screw_of_iron,\n    basket_of_willow, turns_of_the_handle=12\n)\n"
    asked.session("s1", 0).prompt("Press").write(asked.at("a.py"), written).put(asked.home)
    place.commit({"a.py": laid_out}, "Press", 600)
    writers = asked.writers("a.py")
    assert (writers[2], writers[3]) == ("s1", "s1")


def test_a_file_that_was_renamed_is_followed(asked: Asked, place: Worked) -> None:
    asked.session("s1", 0).prompt("Build").write(asked.at("press.py"), PRESS).put(asked.home)
    place.commit({"press.py": PRESS}, "Build the press", 600)
    place.git("mv", "press.py", "cider.py")
    place.git("commit", "-q", "-m", "Rename", at_s=900)
    assert set(asked.writers("cider.py").values()) == {"s1"}


@pytest.mark.parametrize(
    ("cwd", "path"),
    [
        ("{root}", "cider/press.py"),  # below the folder of the session
        ("{root}/cider", "press.py"),  # in a folder inside
        ("{root}/cider", "{root}/cider/press.py"),
        ("{home}", "{root}/cider/press.py"),  # in a folder above
        ("{root}/.claude/worktrees/oak", "{root}/.claude/worktrees/oak/cider/press.py"),
        ("/mnt/other/orchard", "/mnt/other/orchard/cider/press.py"),  # another checkout
        ("{home}/tasks", "{root}/cider/press.py"),  # a session of another repository
    ],
)
def test_the_file_is_known_wherever_the_session_ran(asked: Asked, place: Worked, cwd: str, path: str) -> None:
    names = {"root": str(place.root), "home": str(asked.home)}
    asked.session("s0", 0).prompt("Look around in the orchard").bash("ls").put(asked.home)
    asked.session("s1", 0, cwd.format(**names)).prompt("Build").write(path.format(**names), PRESS).put(asked.home)
    place.commit({"cider/press.py": PRESS}, "Build the press", 600)
    assert set(asked.writers("cider/press.py").values()) == {"s1"}


@pytest.mark.parametrize("path", ["{root}/old/cider/press.py", "{home}/other/cider/press.py", "{root}/cider/xpress.py"])
def test_a_file_of_the_same_name_elsewhere_is_another_one(asked: Asked, place: Worked, path: str) -> None:
    path = path.format(root=place.root, home=asked.home)
    asked.session("s1", 0).prompt("Build").write(path, PRESS).put(asked.home)
    place.commit({"cider/press.py": PRESS}, "Build the press", 600)
    assert set(asked.writers("cider/press.py").values()) == {""}


def test_what_failed_wrote_nothing(asked: Asked, place: Worked) -> None:
    asked.session("s1", 0).prompt("Build").write(asked.at("press.py"), PRESS, is_error=True).put(asked.home)
    place.commit({"press.py": PRESS}, "Build the press", 600)
    assert set(asked.writers("press.py").values()) == {""}


def test_a_patch_over_several_files_counts_for_each(asked: Asked, place: Worked) -> None:
    press = "".join(f"+{line}\n" for line in PRESS.splitlines())
    barrel = "@@\n class BarrelOfOak:\n-    staves_of_oak = 20\n+    staves_of_oak = 24\n     hoops_of_iron = 6\n"
    patch = f"*** Begin Patch\n*** Add File: press.py\n{press}*** Update File: barrel.py\n{barrel}*** End Patch\n"
    place.commit({"barrel.py": BARREL.replace("24", "20")}, "A barrel", -600)
    thread = "01970001-0000-7000-8000-00000000000a"
    codex_patch(asked.home, thread, str(place.root), patch)
    place.commit({"press.py": PRESS, "barrel.py": BARREL}, "Mend the barrel", 600)
    assert set(asked.writers("press.py").values()) == {thread}
    assert asked.writers("barrel.py") == {1: "", 2: thread, 3: ""}


def test_a_command_line_counts_for_what_it_says_and_else_only_as_a_command(asked: Asked, place: Worked) -> None:
    command = f"cat > press.py <<'EOF'\n{PRESS}EOF"
    asked.session("s1", 0).prompt("Build").bash(command).bash("sed -i 's/slowly/fast/' press.py").put(asked.home)
    place.commit({"press.py": PRESS.replace("slowly", "fast")}, "Build the press", 600)
    assert asked.writers("press.py") == {1: "s1", 2: "s1", 3: "s1", 4: "s1", 5: "s1", 6: ""}
    assert asked.reasons("press.py") == ["no known session wrote this; claude-code s1 ran a command on the file then"]


def test_a_subagent_is_told_with_what_its_parent_had_been_asked(asked: Asked, place: Worked) -> None:
    asked.session("p1", 0).prompt("Let somebody build a press of oak").say("I ask a helper.").put(asked.home)
    asked.session("f00d", 60).prompt("Write press.py").write(asked.at("press.py"), PRESS).put_below(asked.home, "p1")
    place.commit({"press.py": PRESS}, "Build the press", 600)
    (file,) = asked.blame("press.py")
    assert file.runs[0].edit is not None
    assert file.runs[0].edit.session.relation == "subagent"
    assert file.runs[0].asked == "Let somebody build a press of oak"


def test_a_short_answer_is_told_with_what_it_answers(asked: Asked, place: Worked) -> None:
    writer = asked.session("s1", 0).prompt("Build a press that turns slowly").say("Of oak?").prompt("yes")
    writer.write(asked.at("press.py"), PRESS).put(asked.home)
    place.commit({"press.py": PRESS}, "Build the press", 600)
    (file,) = asked.blame("press.py")
    assert file.runs[0].asked == "Build a press that turns slowly … yes"


def test_what_a_revert_brought_back_is_told_by_who_wrote_it_and_by_the_revert(asked: Asked, place: Worked) -> None:
    asked.session("s1", 0).prompt("Build").write(asked.at("press.py"), PRESS).put(asked.home)
    place.commit({"press.py": PRESS}, "Build the press", 600)
    place.commit({"press.py": "pass\n"}, "Take it down", 700)
    place.git("revert", "--no-edit", "HEAD", at_s=800)
    (file,) = asked.blame("press.py")
    assert file.runs[0].edit is not None
    assert file.runs[0].commit is not None
    assert file.runs[0].commit.subject == 'Revert "Take it down"'
    assert file.runs[0].edit.session.native_id == "s1"


def test_lines_with_carriage_returns_are_the_same_lines(asked: Asked, place: Worked) -> None:
    asked.session("s1", 0).prompt("Build").write(asked.at("press.py"), PRESS).put(asked.home)
    (place.root / "press.py").write_bytes(PRESS.replace("\n", "\r\n").encode())
    place.git("add", "-A")
    place.git("commit", "-q", "-m", "Build the press", at_s=600)
    assert set(asked.writers("press.py").values()) == {"s1"}


def test_what_is_not_committed_yet_is_told_as_well(asked: Asked, place: Worked) -> None:
    place.commit({"press.py": "import oak_of_the_orchard\n"}, "Begin", -600)
    asked.session("s1", 0).prompt("Build").edit(asked.at("press.py"), "x", PRESS).put(asked.home)
    (place.root / "press.py").write_text(f"import oak_of_the_orchard\n{PRESS}")
    (file,) = asked.blame("press.py")
    assert [(run.first, run.last, run.commit is None, run.edit is None) for run in file.runs] == [
        (1, 1, False, True),
        (2, 7, True, False),
    ]


def test_a_line_of_which_a_secret_was_taken_out_matches_by_what_is_left(asked: Asked, place: Worked) -> None:
    asked.session("s1", 0).prompt("Build").write(
        asked.at("a.py"), 'open_the_cellar_door(with_key="REDACTED", at_night=True)\n'
    ).put(asked.home)
    place.commit({"a.py": 'open_the_cellar_door(with_key="oak-and-iron-17", at_night=True)\n'}, "Open", 600)
    assert asked.writers("a.py") == {1: "s1"}


def test_of_an_original_that_was_given_up_only_the_change_is_known(asked: Asked, place: Worked) -> None:
    asked.session("s1", 0).prompt("Build").write(asked.at("press.py"), PRESS).put(asked.home)
    place.commit({"press.py": PRESS}, "Build the press", 600)
    world = asked.world()
    with source_of(world) as source:
        source.store.db.execute("UPDATE files SET dropped_ms = 1, dropped_bytes = 1")
        (file,) = blame_lines(source, world, place.root, "press.py")
    assert [run.why for run in file.runs] == [
        "no known session wrote this; claude-code s1 changed the file then, and its original is gone"
    ]


def test_a_file_without_any_checkout_is_told_by_its_whole_path(asked: Asked) -> None:
    elsewhere = asked.home / "notes" / "press.py"
    asked.session("s1", 0, str(elsewhere.parent)).prompt("Build").write(str(elsewhere), PRESS).put(asked.home)
    elsewhere.parent.mkdir()
    elsewhere.write_text(PRESS)
    assert set(asked.writers(str(elsewhere)).values()) == {"s1"}


def test_a_commit_is_told_by_the_lines_that_it_brought(asked: Asked, place: Worked) -> None:
    place.commit({"barrel.py": "# an old barrel\n"}, "A barrel", -600)
    asked.session("s1", 0).prompt("Build").write(asked.at("press.py"), PRESS).put(asked.home)
    commit = place.commit({"press.py": PRESS, "barrel.py": "# an old barrel\n# and an hour of work\n"}, "Build", 600)
    place.commit({"press.py": "pass\n"}, "Take it down", 700)
    files = {file.path: file for file in asked.blame(commit[:10])}
    assert (files["press.py"].attributed, files["barrel.py"].attributed) == (6, 0)
    assert [(run.first, run.last) for run in files["barrel.py"].runs] == [(2, 2)]


def test_only_the_lines_that_are_asked_for_come(asked: Asked, place: Worked) -> None:
    asked.session("s1", 0).prompt("Build").write(asked.at("press.py"), PRESS).put(asked.home)
    place.commit({"press.py": PRESS}, "Build the press", 600)
    assert asked.writers("press.py:5") == {5: "s1"}
    assert asked.writers("press.py:5-50") == {5: "s1", 6: "s1"}


@pytest.mark.parametrize("name", ["nothing.py", "deadbeef", "--all", "HEAD~9"])
def test_what_is_neither_a_file_nor_a_commit_is_an_error(asked: Asked, place: Worked, name: str) -> None:
    asked.session("s1", 0).prompt("Build").bash("ls").put(asked.home)
    place.commit({"press.py": PRESS}, "Build the press", 600)
    with pytest.raises(UsageError, match="There is no file"):
        asked.blame(name)


def test_a_binary_file_has_no_lines(asked: Asked, place: Worked) -> None:
    asked.session("s1", 0).prompt("Build").bash("ls").put(asked.home)
    (place.root / "barrel.png").write_bytes(b"\x89PNG\0\0")
    with pytest.raises(UsageError, match="is binary"):
        asked.blame("barrel.png")


def test_what_the_settings_leave_out_is_not_shown(asked: Asked, place: Worked, tmp_path: Path) -> None:
    asked.session("s1", 0).prompt("Build").write(asked.at("press.py"), PRESS).put(asked.home)
    place.commit({"press.py": PRESS}, "Build the press", 600)
    asked.world()
    (tmp_path / "store" / "config.toml").write_text('[learn]\nexclude = ["repo:orchard"]\n')
    with pytest.raises(UsageError, match="leave it out"):
        asked.blame("press.py")


def test_where_repositories_are_not_read_edits_alone_tell(asked: Asked, place: Worked, tmp_path: Path) -> None:
    asked.session("s1", 0).prompt("Build").write(asked.at("press.py"), PRESS).put(asked.home)
    place.commit({"press.py": PRESS}, "Build the press", 600)
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "config.toml").write_text("[repositories]\nread = false\n")
    (file,) = asked.blame("press.py")
    assert [(run.commit, run.edit is None) for run in file.runs] == [(None, False)]


def test_what_of_a_session_still_stands(asked: Asked, place: Worked) -> None:
    writer = asked.session("s1", 0).prompt("Build").write(asked.at("press.py"), PRESS)
    writer.write(asked.at("barrel.py"), BARREL).write(asked.at("gone.py"), PRESS).put(asked.home)
    place.commit({"press.py": PRESS, "barrel.py": BARREL}, "Build", 600)
    place.commit({"barrel.py": BARREL.replace("24", "25")}, "Another stave by hand", 900)
    world = asked.world()
    with source_of(world) as source:
        files = standing(source, world, find_session(source.store.db, "s1"))
    assert files is not None
    assert [(file.path, file.written, file.standing, file.is_there) for file in files] == [
        ("press.py", 6, 6, True),
        ("barrel.py", 3, 2, True),
        ("gone.py", 6, 0, False),
    ]


def test_a_text_that_was_put_in_several_places_was_written_as_often_as_it_stands(asked: Asked, place: Worked) -> None:
    place.commit({"a.py": "old_oak\nbetween_both\nold_oak\n"}, "Begin", -600)
    new = "staves_of_young_oak = 24"
    call = {"file_path": asked.at("a.py"), "old_string": "old_oak", "new_string": new, "replace_all": True}
    asked.session("s1", 0).prompt("Take young oak").call("Edit", call).put(asked.home)
    place.commit({"a.py": f"{new}\nbetween_both\n{new}\n"}, "Young oak", 600)
    world = asked.world()
    with source_of(world) as source:
        (file,) = standing(source, world, find_session(source.store.db, "s1")) or []
    assert (file.path, file.written, file.standing) == ("a.py", 2, 2)


def test_the_story_of_a_session_names_what_was_decided_and_rejected(asked: Asked, place: Worked) -> None:
    writer = asked.session("s1", 0).prompt("Build a press of oak").say("Done.")
    writer.prompt("No, that is wrong: always use iron for the screw, never oak").write(asked.at("press.py"), PRESS)
    writer.put(asked.home)
    place.commit({"press.py": PRESS}, "Build the press", 600)
    world = asked.world()
    with source_of(world) as source:
        story = story_of(source, find_session(source.store.db, "s1"))
    assert any("never oak" in text for text in story.rejected)
