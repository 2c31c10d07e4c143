"""Paths that were guessed wrongly are told with the right ones."""

from typing import Any

import pytest
from tests.harvest.mishaps import broken, call, mishap
from tests.harvest.talks import concluded, talk

from afterwit.actions.shell.command_changes import advised
from afterwit.harvest.wrong_paths import FoldersRead, GuessedNames, WrongPaths
from afterwit.model.digest import Digest, DigestStep, Touched
from afterwit.model.kinds import ActionKind, FailureClass, Status
from afterwit.model.knowledge import Draft, Trigger


def guessed(wrong: str, right: str, day: int = 0, **more: Any) -> Digest:
    steps = (broken(f"cat {wrong}", f"cat: {wrong}: No such file or directory"), call(f"cat {right}"))
    files = (Touched(right, 1, 0),)
    return mishap(*steps, signature="cat: <path>: No such file or directory", files=files, day=day, **more)


def drafts(*digests: Digest) -> list[Draft]:
    return concluded(WrongPaths(), digests)


def about(path: str, *digests: Digest) -> Draft:
    (found,) = [draft for draft in drafts(*digests) if draft.key == (path,)]
    return found


def test_the_right_path_is_what_the_session_then_read() -> None:
    draft = about(".lint.yml", guessed(".lint.yml", ".lint.yaml"), guessed(".lint.yml", ".lint.yaml", 1))
    assert draft.sentence == "There is no `.lint.yml`: it is `.lint.yaml`."
    assert draft.triggers == (Trigger(path=".lint.yml"),)
    assert draft.files == (".lint.yaml",)
    assert len(draft.evidence) == 2
    assert advised(draft.advice, "head .lint.yml") == "head .lint.yaml"


def test_a_path_that_one_session_guessed_wrongly_is_no_note() -> None:
    once = guessed("src/press/b.py", "src/press/bs.py")
    assert drafts(once) == []
    assert concluded(GuessedNames(), [once]) == []


def test_the_same_name_in_another_folder_is_right() -> None:
    twice = [guessed("src/press.py", "lib/juice/press.py", day) for day in range(2)]
    assert about("src/press.py", *twice).files == ("lib/juice/press.py",)


@pytest.mark.parametrize("right", ["src/pear.py", "docs/README.md"])
def test_another_file_is_not_the_right_one(right: str) -> None:
    assert drafts(guessed("src/README.md", right), guessed("src/README.md", right, 1)) == []


def test_a_folder_read_as_a_file_only_answers_the_failure() -> None:
    read = DigestStep(
        ActionKind.READ, "Read", "/w/orchard/tasks/lint", Status.FAILED, error="EISDIR: illegal operation"
    )
    edit = DigestStep(ActionKind.EDIT, "Edit", "/w/orchard/tasks/lint/go", Status.SUCCEEDED, files=("tasks/lint/go",))
    files = (Touched("tasks/lint/go", 0, 1),)
    twice = [
        mishap(read, edit, signature="read: EISDIR", failure=FailureClass.TOOL_CONTRACT, files=files, day=day)
        for day in range(2)
    ]
    assert drafts(*twice) == []
    assert concluded(FoldersRead(), twice[:1]) == []
    (draft,) = concluded(FoldersRead(), twice)
    assert draft.harvester == "folders-read"
    assert draft.sentence == "`tasks/lint` is a folder, no file; it holds `go`."
    assert draft.advice == "ls tasks/lint"


def test_a_path_that_a_later_session_touches_is_there_after_all() -> None:
    later = talk(files=(Touched("src/juice.py", 1, 1),), day=3)
    draft = about("src/juice.py", *(guessed("src/juice.py", "src/juices.py", day) for day in range(2)), later)
    assert [one.is_against for one in draft.evidence] == [False, False, True]


def test_a_path_that_the_session_made_itself_was_not_wrong() -> None:
    steps = (broken("cat src/new.py", "cat: src/new.py: No such file or directory"), call("touch src/new.py"))
    files = (Touched("src/new.py", 0, 1),)
    twice = [mishap(*steps, signature="cat: <path>: No such file", files=files, day=day) for day in range(2)]
    assert drafts(*twice) == []


@pytest.mark.parametrize("wrong", ["/tmp/plum.txt", ".git/index.lock", "docs/2026-05-01-plan.md", "../other/a.py"])
def test_paths_of_the_moment_and_outside_are_left_out(wrong: str) -> None:
    assert drafts(guessed(wrong, "src/a.py"), guessed(wrong, "src/a.py", 1)) == []


def test_a_script_that_is_called_is_left_to_the_corrections() -> None:
    steps = (broken("tools/press.sh", "zsh: no such file or directory: tools/press.sh"), call("bin/press.sh"))
    twice = [mishap(*steps, signature="press.sh: no such file or directory: <path>", day=day) for day in range(2)]
    assert drafts(*twice) == []


def test_the_order_of_sessions_does_not_matter() -> None:
    some = [guessed("src/a.py", "src/as.py", day) for day in range(3)]
    assert drafts(*some) == drafts(*reversed(some))


def test_all_names_guessed_in_a_repository_make_one_item() -> None:
    (draft,) = concluded(GuessedNames(), [guessed("src/a.py", "src/x.py"), guessed("src/press/b.py", "src/y.py", 1)])
    assert "`src/press/b.py`, `src/a.py` did not exist" in draft.sentence
    line = advised(draft.advice, "sed -n 1,9p src/c.py", "sed: src/c.py: No such file or directory")
    assert line == "sed -n 1,9p src/*c*"


def test_a_name_without_a_folder_is_no_guess() -> None:
    assert concluded(GuessedNames(), [guessed("a.py", "src/a.py", day) for day in range(2)]) == []


def test_however_often_it_is_seen_it_never_stands_by_itself() -> None:
    assert GuessedNames.minimum_stories > 100_000
