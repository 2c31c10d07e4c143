"""Names of files that were guessed are answered after the next wrong guess."""

from tests.harvest.talks import concluded
from tests.harvest.test_wrong_paths import guessed

from afterwit.actions.shell.command_changes import advised
from afterwit.harvest.wrong_paths import GuessedNames


def test_all_names_guessed_in_a_repository_make_one_item() -> None:
    (draft,) = concluded(GuessedNames(), [guessed("src/a.py", "src/x.py"), guessed("src/press/b.py", "src/y.py", 1)])
    assert "`src/press/b.py`, `src/a.py` did not exist" in draft.sentence
    line = advised(draft.advice, "sed -n 1,9p src/c.py", "sed: src/c.py: No such file or directory")
    assert line == "sed -n 1,9p src/*c*"


def test_a_name_without_a_folder_is_no_guess() -> None:
    assert concluded(GuessedNames(), [guessed("a.py", "src/a.py")]) == []


def test_however_often_it_is_seen_it_never_stands_by_itself() -> None:
    assert GuessedNames.minimum_stories > 100_000
