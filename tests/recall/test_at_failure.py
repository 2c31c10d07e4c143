"""The known fix right after a known failure."""

import pytest
from tests.knowledge.drafting import HARBOUR, pieces
from tests.recall import asking
from tests.recall.knowing import correction, item

from afterwit.model.knowledge import Item, Trigger
from afterwit.recall.deck.reader import DeckLine

UNKNOWN = "error: unrecognized subcommand 'cargo'\nUsage: wrapit [OPTIONS] <COMMAND>"


def fix_for(items: list[Item], line: str = "wrapit cargo test", error: str = UNKNOWN) -> DeckLine | None:
    return asking.fix_for(items, line, error)


def test_the_change_is_applied_to_the_command_that_failed() -> None:
    fix = fix_for([correction()], "wrapit cargo test --all")
    assert fix is not None
    assert fix.advice == "cargo test --all"
    assert fix.text.endswith("Here: `cargo test --all`")


def test_one_story_is_enough_and_is_said_as_a_guess() -> None:
    fix = fix_for([correction(1)])
    assert fix is not None
    assert fix.text.startswith("a guess, seen once: ")


def test_what_was_contradicted_is_silent() -> None:
    against = tuple(one for one in pieces(4, is_against=True))
    assert fix_for([correction(evidence=(*pieces(1), *against))]) is None


def test_another_repositorys_fix_is_silent() -> None:
    assert fix_for([correction(scope=HARBOUR)]) is None


def test_another_failure_is_not_answered() -> None:
    assert fix_for([correction()], error="error: the orchard is closed") is None


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("cargo test", "test pears ... FAILED\n\nerror: test failed, to rerun pass `--lib`"),
        ("npx tsc", "src/press.ts(4,7): error TS2322: Type 'Pear' is not assignable to type 'Apple'."),
    ],
)
def test_failures_of_the_work_itself_get_nothing(line: str, error: str) -> None:
    known = item("Press harder.", advice="make press", triggers=(Trigger(program=line.partition(" ")[0]),))
    assert fix_for([known], line, error) is None


def test_what_the_error_says_itself_is_not_said_again() -> None:
    assert fix_for([correction()], error=f"{UNKNOWN}\nDid you mean: cargo test") is None


def test_a_path_that_the_error_names_is_answered() -> None:
    known = item(
        "There is no `.lint.yml`: it is `.lint.yaml`.",
        advice="cat .lint.yaml",
        triggers=(Trigger(path=".lint.yml"),),
    )
    fix = fix_for([known], "cat .lint.yml", "cat: .lint.yml: No such file or directory")
    assert fix is not None
    assert fix.advice == "cat .lint.yaml"
    assert fix_for([known], "cat .other.yml", "cat: .other.yml: No such file or directory") is None


def test_a_candidate_is_silent_where_only_the_command_is_like_its_own() -> None:
    by_words = item("Call cargo.", 1, advice="cargo test", triggers=(Trigger(program="wrapit", words=("cargo",)),))
    assert fix_for([by_words]) is None


def test_what_the_user_ran_already_is_no_fix() -> None:
    known = item("Call cargo.", advice="cargo test", triggers=(Trigger(program="cargo"),))
    assert fix_for([known], "cargo test") is None
    assert fix_for([known], "cargo build") is not None


def test_a_change_is_applied_to_one_line_of_several() -> None:
    fix = fix_for([correction()], "cd orchard\nwrapit cargo test")
    assert fix is not None
    assert fix.advice == "cargo test"
