"""Where a task's work is likely to be, as it is asked for."""

import shutil
from pathlib import Path

import pytest
from tests.recall.orchards import FILES, configure, learned_in, orchard, session, world_in
from tests.sources.checkouts import Worked, worked

from afterwit.config.world import World
from afterwit.model.errors import UsageError
from afterwit.recall.find_places import NOTHING_KNOWN, FoundPlaces, find_places


@pytest.fixture
def place(tmp_path: Path) -> Worked:
    return orchard(tmp_path)


def ask(world: World, place: Worked, task: str, most: int = 5) -> FoundPlaces:
    return find_places(world, place.root, None, task, most)


def paths(answer: FoundPlaces) -> list[str]:
    return [likely.place.path for likely in answer.places]


def reasons(answer: FoundPlaces, path: str) -> tuple[str, ...]:
    return next(likely.reasons for likely in answer.places if likely.place.path == path)


def test_a_fresh_checkout_is_answered_by_git_alone_and_nothing_is_kept(tmp_path: Path, place: Worked) -> None:
    answer = ask(world_in(tmp_path), place, "let the press stop when the barrel is full")
    assert (answer.repo, paths(answer)[0]) == ("", "cider/press.py")
    assert answer.lacks.startswith("No session of this repository is known")
    assert "work like this changed it" in reasons(answer, "cider/press.py")
    assert not (tmp_path / "store").exists()


def test_a_folder_below_is_answered_like_the_checkout(
    tmp_path: Path, place: Worked, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, task = world_in(tmp_path), "let the press stop when the barrel is full"
    whole = ask(world, place, task)
    monkeypatch.chdir(place.root / "field")
    assert find_places(world, place.root / "field", None, task, 5) == whole


def test_a_file_that_no_work_changed_is_found_by_its_contents(tmp_path: Path) -> None:
    place = worked(tmp_path / "home" / "orchard")
    place.commit(FILES | {f"rows/row{at}.py": f"tree = {at}" for at in range(50)}, "Lay out all")  # too many to tell
    answer = ask(world_in(tmp_path), place, "the thermometer is read too late, frost is not warned of")
    assert paths(answer)[0] == "field/frost.py"
    said = reasons(answer, "field/frost.py")[0]
    assert said.startswith("the task says “frost” (file name, stands out in its text), “thermometer” (stands out")


def test_a_task_without_a_word_that_is_known_is_answered_by_no_habit(tmp_path: Path, place: Worked) -> None:
    session(tmp_path, place)
    world = learned_in(tmp_path)
    assert paths(ask(world, place, "let the press stop when the barrel is full"))
    assert paths(ask(world, place, "zzz qqq")) == []


def test_a_file_that_is_gone_is_not_named(tmp_path: Path, place: Worked) -> None:
    place.git("rm", "-q", "cider/press.py")
    place.git("commit", "-q", "-m", "Sell the press", at_s=180)
    assert "cider/press.py" not in paths(ask(world_in(tmp_path), place, "let the press stop in cider/press.py"))


def test_a_file_that_was_deleted_and_not_committed_is_not_named(tmp_path: Path, place: Worked) -> None:
    (place.root / "cider" / "press.py").unlink()
    assert "cider/press.py" not in paths(ask(world_in(tmp_path), place, "let the press stop in cider/press.py"))


def test_tests_are_named_with_their_file_and_not_twice(tmp_path: Path, place: Worked) -> None:
    world = world_in(tmp_path)
    answer = ask(world, place, "let the press stop when the barrel is full", 1)
    assert [likely.place.test for likely in answer.places] == ["tests/test_press.py"]
    both = ask(world, place, "see cider/press.py and tests/test_press.py")
    assert {"cider/press.py", "tests/test_press.py"} <= set(paths(both))
    assert not any(likely.place.test for likely in both.places)


def test_work_on_the_current_branch_and_uncommitted_work_count(tmp_path: Path, place: Worked) -> None:
    world, task = world_in(tmp_path), "go on with the ladder and the barrel"
    place.git("checkout", "-q", "-b", "staves")
    place.commit({"cider/barrel.py": FILES["cider/barrel.py"] + "    hoops = 4\n"}, "Hoop it", 180)
    assert "changed on this branch" in reasons(ask(world, place, task), "cider/barrel.py")
    (place.root / "field" / "ladder.py").write_text("RUNGS = 14, of ash\n")
    assert "changed on this branch" in reasons(ask(world, place, task), "field/ladder.py")
    place.git("stash", "-q")
    place.git("checkout", "-q", "main")
    assert not any("changed on this branch" in likely.reasons for likely in ask(world, place, task).places)


def test_a_linked_work_tree_is_answered_for_its_own_branch(tmp_path: Path, place: Worked) -> None:
    beside = tmp_path / "home" / "beside"
    place.git("worktree", "add", "-q", "-b", "staves", str(beside))
    Worked(beside).commit({"cider/barrel.py": FILES["cider/barrel.py"] + "    hoops = 4\n"}, "Hoop it", 180)
    answer = ask(world_in(tmp_path), Worked(beside), "go on with the barrel")
    assert "changed on this branch" in reasons(answer, "cider/barrel.py")


def test_sessions_commits_and_files_are_counted_together(tmp_path: Path, place: Worked) -> None:
    session(tmp_path, place)
    world = learned_in(tmp_path)
    answer = ask(world, place, "count the rungs of the ladder")
    assert (answer.repo, answer.lacks) == ("orchard", "")
    assert "1 session changed it" in reasons(answer, "field/ladder.py")
    assert find_places(world, tmp_path, "orchard", "count the rungs of the ladder", 5) == answer


@pytest.mark.parametrize("exclude", ["folder:~/orchard", "repo:orchard", "repo:git.example/fruit/orchard"])
def test_what_is_left_out_is_not_answered(tmp_path: Path, place: Worked, exclude: str) -> None:
    place.git("remote", "add", "origin", "git@git.example:fruit/orchard.git")
    session(tmp_path, place)
    learned_in(tmp_path)
    world = configure(tmp_path, f'[learn]\nexclude = ["{exclude}"]\n')
    with pytest.raises(UsageError, match="leave it out"):
        ask(world, place, "count the rungs of the ladder")
    if exclude.startswith("repo:"):
        with pytest.raises(UsageError, match="leave it out"):
            find_places(world, tmp_path, "orchard", "count the rungs of the ladder", 5)


def test_where_no_repository_may_be_read_sessions_alone_answer(tmp_path: Path, place: Worked) -> None:
    session(tmp_path, place)
    learned_in(tmp_path)
    world = configure(tmp_path, "[repositories]\nread = false\n")
    answer = ask(world, place, "see field/ladder.py and cider/press.py")
    assert paths(answer) == ["field/ladder.py"]
    assert "`repositories.read`" in answer.lacks


def test_where_no_repository_may_be_read_a_fresh_checkout_has_no_answer(tmp_path: Path, place: Worked) -> None:
    world = configure(tmp_path, "[repositories]\nread = false\n")
    assert ask(world, place, "see cider/press.py") == FoundPlaces("", (), NOTHING_KNOWN)


def test_a_repository_that_only_the_settings_name_is_known_by_its_folder_and_its_name(
    tmp_path: Path, place: Worked
) -> None:
    session(tmp_path, worked(tmp_path / "home" / "other"), 7)
    configure(tmp_path, f'[repositories.checkouts]\ngrove = "{place.root}"\n')
    world = learned_in(tmp_path)
    task = "let the press stop when the barrel is full"
    answer = ask(world, place, task)
    assert (answer.repo, paths(answer)[0]) == ("grove", "cider/press.py")
    assert find_places(world, tmp_path, "grove", task, 5) == answer


@pytest.mark.parametrize("folder", ["empty", "unborn", "gone"])
def test_where_nothing_is_known_nothing_is_said(tmp_path: Path, folder: str) -> None:
    if folder == "unborn":
        worked(tmp_path / folder)
    elif folder == "empty":
        (tmp_path / folder).mkdir()
    answer = find_places(world_in(tmp_path), tmp_path / folder, None, "see cider/press.py", 5)
    assert answer == FoundPlaces("", (), NOTHING_KNOWN)


def test_a_file_that_the_task_names_by_a_word_of_its_path_comes_before_all_habit(tmp_path: Path) -> None:
    place = worked(tmp_path / "home" / "orchard")
    place.commit(
        FILES | {"src/segments/battery.go": "package segments\n", "src/segments/clock.go": "package x\n"}, "Begin"
    )
    for at in range(30):
        files = {"src/prompt.go": f"v = {at}\n", "src/engine.go": f"v = {at}\n"}
        place.commit(files, f"Mend the prompt and the battery again, step {at}", 60 + at)
    session(tmp_path, place)
    world = learned_in(tmp_path)
    assert paths(ask(world, place, "battery"))[0] == "src/segments/battery.go"
    assert paths(ask(world, place, "the battery segment"))[0] == "src/segments/battery.go"


def test_a_file_that_everything_changes_comes_after_what_the_task_says(tmp_path: Path, place: Worked) -> None:
    for at in range(12):
        files = {"STATE.md": f"day {at}\n", "CHANGELOG.md": f"- {at}\n", "cider/press.py": f"turns = {at}\n"}
        place.commit(files, f"Let the press turn {at} times", 200 + at)
    world = world_in(tmp_path)
    assert paths(ask(world, place, "let the press turn longer"))[0] == "cider/press.py"
    assert paths(ask(world, place, "the changelog has a wrong day"))[0] == "CHANGELOG.md"


@pytest.mark.parametrize("how", ["remote", "name"])
def test_the_checkout_in_which_one_stands_is_looked_at_wherever_its_sessions_ran(tmp_path: Path, how: str) -> None:
    ran = orchard(tmp_path)
    ran.git("remote", "add", "origin", "git@git.example:fruit/orchard.git")
    session(tmp_path, ran)
    world = learned_in(tmp_path)
    here = worked(tmp_path / "elsewhere" / ("pomes" if how == "remote" else "orchard"))
    if how == "remote":
        here.git("remote", "add", "origin", "https://git.example/fruit/orchard")
    here.commit(FILES | {"cider/bottle.py": "def fill_the_bottle(): ...\n"}, "Fill bottles")
    shutil.rmtree(ran.root)
    answer = ask(world, here, "the bottle is not full")
    assert (answer.repo, answer.lacks, paths(answer)[0]) == ("git.example/fruit/orchard", "", "cider/bottle.py")


def test_another_checkout_than_the_known_one_is_answered_with_its_own_files(tmp_path: Path, place: Worked) -> None:
    session(tmp_path, place)
    world = learned_in(tmp_path)
    beside = tmp_path / "home" / "beside"
    place.git("worktree", "add", "-q", "-b", "bottles", str(beside))
    Worked(beside).commit({"cider/bottle.py": "def fill_the_bottle(): ...\n"}, "Fill bottles", 180)
    assert paths(ask(world, Worked(beside), "the bottle is not full"))[0] == "cider/bottle.py"
    assert "cider/bottle.py" not in paths(ask(world, place, "the bottle is not full"))


def test_a_known_repository_without_a_checkout_says_what_is_missing(tmp_path: Path, place: Worked) -> None:
    session(tmp_path, place)
    world = learned_in(tmp_path)
    shutil.rmtree(place.root)
    answer = find_places(world, tmp_path, "orchard", "see field/ladder.py", 5)
    assert paths(answer) == ["field/ladder.py"]
    assert answer.lacks.startswith("No git checkout of orchard can be read")


@pytest.mark.parametrize("task", ["", " \n\t"])
def test_an_empty_task_is_an_error_that_says_what_to_do(tmp_path: Path, place: Worked, task: str) -> None:
    with pytest.raises(UsageError, match="Say in a few words"):
        ask(world_in(tmp_path), place, task)
