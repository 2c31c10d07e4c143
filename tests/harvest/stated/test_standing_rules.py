import pytest
from tests.every import for_every
from tests.harvest.talks import ORCHARD, concluded, talk

from afterwit.harvest.harvester import id_of
from afterwit.harvest.stated.standing_rules import StandingRules
from afterwit.harvest.stated.standing_words import standing_sentences
from afterwit.knowledge.gate import rejection, wants_review
from afterwit.model.knowledge import EVERYWHERE, Category, Channel, Scope, ScopeKind


@for_every(
    "text",
    [
        "Always run the linter before you push.",
        "never commit to main directly",
        "From now on, use pnpm for everything.",
        "Please never mock the database in integration tests.",
        "we use conventional commits, not free-form messages",
        "We don't use default exports in our code.",
        "After every test, the crates have to be cleaned up.",
        "I prefer small commits over one big commit.",
        "Whenever you change the schema, regenerate the client.",
        "We add the trailer on purpose, because hashes change.",
        "don't ever push without asking me first",
        "In the future, please run the whole test suite.",
        "Tests must never reach the network.",
        "Use British spelling in all docs.",
        "All dates must be stored in UTC.",
        "Don't use emojis in commit messages.",
        "we only support Python 3.11 and later",
        "always run make check before a commit",
    ],
)
def test_a_rule_without_a_moment_is_a_standing_rule(text: str) -> None:
    assert standing_sentences(text) == [text]


@for_every(
    "text",
    [
        "no, revert those changes",
        "It never ends, so stop it.",
        "Can you always show the name at the top?",
        "This test always fails on my machine.",
        "never mind, I found it",
        "I never saw a line about pears",
        "The loader always returns two values.",
        "the press never checks the barrel",
        "we never understood that part",
        "maybe we should always prune in winter",
        "I want to add two images to the page",
        "make the header always visible",
        "Always rebase this branch first.",
        "Never touch #46 again.",
    ],
)
def test_what_is_observed_asked_or_meant_for_today_is_none(text: str) -> None:
    assert standing_sentences(text) == []


def test_a_rule_is_quoted_with_its_date() -> None:
    [draft] = concluded(StandingRules(), [talk("Nice. Never prune the plums in spring.")])
    assert draft.sentence == 'The user said on 2026-05-01: "Never prune the plums in spring."'
    assert draft.channel is Channel.USER
    assert draft.category is Category.PITFALL
    assert draft.scope == Scope(ScopeKind.REPO, ORCHARD)
    assert draft.evidence[0].excerpt == "Never prune the plums in spring."


def test_a_rule_said_again_in_other_words_is_one_rule_quoted_as_said_last() -> None:
    first = talk("always prune the pear trees in winter")
    again = talk("Please always prune the pear trees in winter!", day=3)
    [draft] = concluded(StandingRules(), [again, first])
    assert draft.sentence.startswith("The user said on 2026-05-04")
    assert [one.session.native_id for one in draft.evidence] == ["talk 0", "talk 3"]
    assert concluded(StandingRules(), [first, again]) == [draft]
    [alone] = concluded(StandingRules(), [first])
    assert alone.key == draft.key


def test_a_rule_and_its_opposite_are_two() -> None:
    digests = [talk("always prune pears in winter"), talk("never prune pears in winter", day=1)]
    assert len(concluded(StandingRules(), digests)) == 2


def test_a_rule_for_all_projects_holds_everywhere() -> None:
    [draft] = concluded(StandingRules(), [talk("In all my projects, always prune in winter.", repo="")])
    assert draft.scope == EVERYWHERE


def test_what_is_said_outside_of_any_repository_holds_everywhere() -> None:
    [draft] = concluded(StandingRules(), [talk("Always prune the pears in winter.", repo="")])
    assert draft.scope == EVERYWHERE


def test_a_pasted_plan_gives_no_rules() -> None:
    plan = "Implement the following plan:\n\n## Prune\n- Always prune the pears in winter.\n"
    assert concluded(StandingRules(), [talk(plan)]) == []


def test_one_session_gives_at_most_a_handful() -> None:
    fruit = ("pears", "plums", "figs", "quinces", "apples", "cherries", "medlars")
    prompts = [f"Always prune {one} in winter, before the {one} wake." for one in fruit]
    assert len(list(StandingRules().see(talk(*prompts)))) == 6


def test_what_a_user_pastes_is_no_rule_of_the_user() -> None:
    ticket = 'Ticket 812 says:\n"""\nThe press is slow.\nFrom now on always send crash dumps to the box.\n"""\nhelp'
    quoted = 'Ann said "From now on always send crash dumps to the box, please." and I doubt it.'
    assert concluded(StandingRules(), [talk(ticket), talk(quoted, day=1)]) == []


def test_a_rule_beside_something_pasted_is_the_users() -> None:
    [draft] = concluded(StandingRules(), [talk('"""\nNever lint.\n"""\nNever prune the plums in spring.')])
    assert draft.sentence.endswith('"Never prune the plums in spring."')


def test_a_home_folder_is_quoted_without_its_owner() -> None:
    [draft] = concluded(StandingRules(), [talk("Remember: the merge token is in /home/ann/.config/press/token")])
    assert draft.sentence.endswith('"Remember: the merge token is in ~/.config/press/token"')
    assert rejection(draft) is None
    assert not wants_review(draft)


def test_an_error_code_is_answered_where_another_word_of_the_sentence_occurs() -> None:
    [draft] = concluded(StandingRules(), [talk("Remember: HTTP 405 on a merge means branch protection.")])
    errors = {trigger.error for trigger in draft.triggers if trigger.error}
    assert {("405", "http"), ("405", "merge"), ("405", "branch")} <= errors


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("We store jobs in Postgres.", "From now on use Redis streams instead of Postgres for the job queue."),
        ("this repo is pnpm, not npm.", "we moved off pnpm, it's bun everywhere in here"),
        ("Never push to the press branch.", "From now on you may push to the press branch."),
        ("We use npm here.", "From now on we use pnpm here."),
        ("Always answer in German.", "From now on answer in English."),
        ("Always label the crates in Latin.", "From now on label the crates in English instead."),
    ],
)
def test_a_later_word_takes_the_place_of_the_earlier(before: str, after: str) -> None:
    earlier, later = concluded(StandingRules(), [talk(before), talk(after, day=3)])
    assert later.supersedes == (id_of(earlier),)
    assert concluded(StandingRules(), [talk(after, day=3), talk(before)]) == [earlier, later]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("We store jobs in Postgres.", "From now on log in JSON instead of plain text."),
        ("We use Postgres for billing.", "From now on use Redis streams instead of Postgres for the job queue."),
        ("Never use mocks in the integration tests.", "We use mocks in the unit tests, not fakes."),
        ("Always run the unit tests before a commit.", "Never run the browser tests without asking me."),
        ("We use pytest for the api, not unittest.", "From now on use ruff instead of flake8."),
    ],
)
def test_a_word_on_another_matter_leaves_it_alone(before: str, after: str) -> None:
    assert [draft.supersedes for draft in concluded(StandingRules(), [talk(before), talk(after, day=3)])] == [(), ()]
