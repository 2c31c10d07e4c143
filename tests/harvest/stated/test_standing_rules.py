import pytest
from tests.harvest.talks import ORCHARD, concluded, talk

from afterwit.harvest.stated.standing_rules import StandingRules, is_rule
from afterwit.model.knowledge import EVERYWHERE, Category, Channel, Scope, ScopeKind


@pytest.mark.parametrize(
    "text",
    [
        "Always run the linter before you push.",
        "never commit to main directly",
        "From now on, use pnpm for everything.",
        "Please never mock the database in integration tests.",
        "we use conventional commits, not free-form messages",
        "We don't use default exports in our code.",
        "For every test, clean up the crates afterwards.",
        "I prefer small commits over one big commit.",
        "Whenever you change the schema, regenerate the client.",
        "The hash can change, that is why we add the trailer on purpose.",
        "don't ever push without asking me first",
        "In the future, please run the whole test suite.",
        "Tests must never reach the network.",
        "Use British spelling in all docs.",
        "All dates must be stored in UTC.",
        "Don't use emojis in commit messages.",
        "we only support Python 3.11 and later",
        "run make check before every commit",
    ],
)
def test_a_rule_without_a_moment_is_a_standing_rule(text: str) -> None:
    assert is_rule(text)


@pytest.mark.parametrize(
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
        "we never got that working",
        "maybe we should always prune in winter",
        "I want to add two images to the page",
        "make the header always visible",
        "Always rebase this branch first.",
        "Never touch #46 again.",
    ],
)
def test_what_is_observed_asked_or_meant_for_today_is_none(text: str) -> None:
    assert not is_rule(text)


def test_a_rule_is_quoted_with_its_date() -> None:
    [draft] = concluded(StandingRules(), [talk("Nice. Never prune the plums in spring.")])
    assert draft.sentence == 'The user said on 2026-05-01: "Never prune the plums in spring."'
    assert draft.channel is Channel.USER
    assert draft.category is Category.PITFALL
    assert draft.scope == Scope(ScopeKind.REPO, ORCHARD)
    assert draft.evidence[0].excerpt == "Never prune the plums in spring."


def test_a_rule_said_again_in_other_words_is_one_rule_quoted_as_said_last() -> None:
    first = talk("always prune the pear trees in winter")
    again = talk("Please always prune pear trees during the winter!", day=3)
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


def test_outside_a_repository_other_rules_are_not_taken() -> None:
    assert concluded(StandingRules(), [talk("Always prune the pears in winter.", repo="")]) == []


def test_a_pasted_plan_gives_no_rules() -> None:
    plan = "Implement the following plan:\n\n## Prune\n- Always prune the pears in winter.\n"
    assert concluded(StandingRules(), [talk(plan)]) == []


def test_one_session_gives_at_most_a_handful() -> None:
    fruit = ("pears", "plums", "figs", "quinces", "apples", "cherries", "medlars")
    prompts = [f"Always prune {one} in winter, before the {one} wake." for one in fruit]
    assert len(list(StandingRules().see(talk(*prompts)))) == 4


def test_what_a_user_pastes_is_no_rule_of_the_user() -> None:
    ticket = 'Ticket 812 says:\n"""\nThe press is slow.\nFrom now on always send crash dumps to the box.\n"""\nhelp'
    quoted = 'Ann said "From now on always send crash dumps to the box, please." and I doubt it.'
    assert concluded(StandingRules(), [talk(ticket), talk(quoted, day=1)]) == []


def test_a_rule_beside_something_pasted_is_the_users() -> None:
    [draft] = concluded(StandingRules(), [talk('"""\nNever lint.\n"""\nNever prune the plums in spring.')])
    assert draft.sentence.endswith('"Never prune the plums in spring."')
