"""What nobody is asked about: seen once without anything to do, halves of commands, words that point at something."""

import pytest
from tests.every import for_every
from tests.knowledge.drafting import draft, pieces

from afterwit.knowledge.gate import Rejection, needless
from afterwit.model.knowledge import Category, Channel, Draft, Trigger

_NAME = (
    Trigger(tool="Skill", signature="skill: Unknown skill: prune-trees"),
    Trigger(tool="Skill", words=("prune-trees",)),
)


def _rule(stories: int) -> Draft:
    text = "`make lint` fails most on `no-shadow`."
    return draft(text, triggers=(Trigger(rule="no-shadow"),), evidence=pieces(stories))


def _said(words: str) -> Draft:
    return draft(f'The user said on 2026-05-01: "{words}"', channel=Channel.USER)


def test_a_rule_that_failed_in_one_session_is_nobodys_question_and_in_two_it_is() -> None:
    assert needless(_rule(1)) is Rejection.SEEN_ONCE
    assert needless(_rule(2)) is None


def test_a_name_that_a_tool_did_not_know_once_stays_out() -> None:
    missing = "There is no skill named `prune-trees` here: do its work with other tools."
    assert needless(draft(missing, triggers=_NAME, evidence=pieces(1))) is Rejection.SEEN_ONCE
    assert needless(draft(missing, triggers=_NAME, evidence=pieces(2))) is None


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("Instead of `wrapit cargo …`, which fails, call `cargo …`.", "wrapit cargo → cargo"),
        ("There is no `.lint.yml`: it is `.lint.yaml`.", ".lint.yml → .lint.yaml"),
        ("Quote words with `*`, `?` or `[` that a program is to see.", "*.x → '*.x'"),
        ("Look a name up with `git ls-files '*part*'` first.", "folder/name → folder/*name*"),
        ('Count trees with `jq ".trees | length" "it\'s.json"`.', ""),
        ("Call `gh pr view --json …` without `merged`.", "gh pr view … --json …,merged,… → gh pr view … --json …"),
    ],
)
def test_what_answers_a_failure_is_kept_however_seldom_it_was_seen(text: str, advice: str) -> None:
    trigger = Trigger(signature="wrapit: unrecognized subcommand cargo")
    assert needless(draft(text, advice=advice, triggers=(trigger,), evidence=pieces(1))) is None


@for_every(
    "piece",
    [
        "available:",
        "cat trees |",
        "make count &&",
        "for tree in *; do",
        "| grep apple",
        "echo 'apples",
        "cat <<EOF",
        "f(x",
    ],
)
def test_half_of_a_command_or_a_name_stays_out_however_often_it_was_seen(piece: str) -> None:
    halved = draft(f"Instead of `rake`, which fails, call `{piece}`.", evidence=pieces(9))
    assert needless(halved) is Rejection.FRAGMENT


def test_a_change_that_leaves_nothing_but_the_program_says_nothing() -> None:
    assert needless(draft("Instead of `rake -C * …`, call `rake …`.", advice="rake -C * → rake")) is Rejection.FRAGMENT


@pytest.mark.parametrize(
    "words",
    ["Always go with the latter.", "From now on use that instead.", "We decided on option B.", "Take the second one."],
)
def test_a_users_words_that_point_at_something_stay_out(words: str) -> None:
    assert needless(_said(words)) is Rejection.MOMENTARY


def test_a_users_words_about_nothing_stay_out() -> None:
    assert needless(_said("You should always really ensure everything works.")) is Rejection.SAYS_NOTHING


@pytest.mark.parametrize(
    "words", ["Always use pnpm.", "Never prune apples in May.", "Use this only for pears: `make press`."]
)
def test_a_users_rule_is_kept_although_it_was_said_once(words: str) -> None:
    assert needless(_said(words)) is None


def test_an_open_question_is_kept() -> None:
    question = draft("In `orchard`, `make press` could not run.", category=Category.QUESTION, channel=Channel.TOOL)
    assert needless(question) is None
