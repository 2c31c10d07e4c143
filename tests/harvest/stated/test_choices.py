import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.every import for_every
from tests.harvest.talks import concluded, replied, talk
from tests.thoroughness import examples

from afterwit.harvest.harvester import id_of
from afterwit.harvest.stated.choices import Choices, Reproofs, is_choice, is_lesson
from afterwit.model.digest import Digest
from afterwit.model.knowledge import Category, Channel

SQLITE = "Let's use SQLite for the harvest ledger, because nobody wants to run a server."
POSTGRES = "Let's use Postgres for the harvest ledger after all, since nobody minds the server."
WINDOWS = "Let's drop Windows support because the press never ran there."


@pytest.mark.parametrize(
    "text",
    [
        SQLITE,
        POSTGRES,
        "we don't need backward compatibility",
        "We'll keep the old parser because plugins rely on it.",
        "The press should not print anything on success.",
        "the config file must stay optional",
        "Let's go with Valkey rather than Redis since the licence differs.",
    ],
)
def test_a_decision_is_told_by_its_form(text: str) -> None:
    assert is_choice(text)


@for_every(
    "text",
    [
        "let's go, make a branch",
        "should we use Redis instead?",
        "the button should be green",
        "add tests so that source and target must not be the same",
        "maybe we don't need the watch mode",
        "i don't think we need watch, can just remove it",
        "legacy_crates should be hard deprecated",
        "we should not display the crate's weight in the ledger",
        "we should call ours max_crates as well",
        "fr-abe: pressing should not be the default mode",
        "we decided yesterday to skip this PR",
        "we need to fix the login page so that it works",
        "use the other branch instead",
        "never commit to main directly",
    ],
)
def test_a_wish_a_question_or_a_standing_rule_is_none(text: str) -> None:
    assert not is_choice(text)


def test_a_later_decision_on_the_same_matter_supersedes_the_earlier_and_both_are_kept() -> None:
    earlier, later = concluded(Choices(), [talk(SQLITE), talk(POSTGRES, day=9)])
    assert "SQLite" in earlier.sentence
    assert earlier.supersedes == ()
    assert "Postgres" in later.sentence
    assert later.supersedes == (id_of(earlier),)


def test_decisions_on_different_matters_leave_each_other_alone() -> None:
    drafts = concluded(Choices(), [talk(SQLITE), talk(WINDOWS, day=9)])
    assert [draft.supersedes for draft in drafts] == [(), ()]


def test_the_same_decision_said_again_is_more_evidence_for_it() -> None:
    again = "Let's use SQLite for the harvest ledger because nobody here wants to run a server!"
    [draft] = concluded(Choices(), [talk(SQLITE), talk(again, day=2)])
    assert len(draft.evidence) == 2


def test_an_agent_never_overrules_a_user() -> None:
    reply = "We decided to use Postgres for the harvest ledger instead of SQLite."
    user, agent = concluded(Choices(), [talk(SQLITE), talk(day=9, stated=replied(reply, day=9))])
    assert (user.channel, agent.channel) == (Channel.USER, Channel.ASSISTANT)
    assert agent.supersedes == ()
    assert agent.sentence.startswith('The agent said on 2026-05-10: "')


def test_a_user_overrules_an_agent() -> None:
    reply = "We decided to use SQLite for the harvest ledger."
    agent, user = concluded(Choices(), [talk(stated=replied(reply)), talk(POSTGRES, day=9)])
    assert user.supersedes == (id_of(agent),)


def test_what_an_agent_plans_for_itself_is_no_decision() -> None:
    assert concluded(Choices(), [talk(stated=replied("I'll use sed rather than awk because it is shorter."))]) == []


def test_a_decision_fires_on_the_words_of_its_matter() -> None:
    [draft] = concluded(Choices(), [talk("The `barrel_mode` flag should only default to whole crates.")])
    assert draft.triggers[0].topic == ("barrel", "mode")


@given(st.permutations([talk(SQLITE), talk(POSTGRES, day=9), talk(WINDOWS, day=4)]))
@settings(max_examples=examples(10))
def test_the_order_of_the_sessions_does_not_matter(digests: list[Digest]) -> None:
    by_time = sorted(digests, key=lambda one: one.started_ms or 0)
    assert concluded(Choices(), digests) == concluded(Choices(), by_time)


def test_the_sentence_with_what_to_do_instead_is_kept_beside_it() -> None:
    prompt = (
        "I want the press to not use the mill at all. If the crate is too big? fail. It must point to the mill instead."
    )
    [draft] = concluded(Choices(), [talk(prompt.replace("It must", "The press must"))])
    assert draft.sentence.endswith('not use the mill at all. The press must point to the mill instead."')


def test_a_decision_that_was_pasted_is_not_the_users() -> None:
    assert concluded(Choices(), [talk(f"Look at this:\n'''\n{SQLITE}\n'''"), talk(f"> {POSTGRES}", day=1)]) == []


@pytest.mark.parametrize(
    "text",
    [
        "wrong, the press takes whole crates, every crate needs a label",
        "that's not right, uploads should use any bucket but production",
    ],
)
def test_a_correction_that_holds_in_general_is_a_lesson(text: str) -> None:
    assert is_lesson(text)


@pytest.mark.parametrize(
    "text",
    [
        "no, revert those changes",
        "no it needs to be the dark theme for any screenshots of the press",
        "no just commit and push",
        "wait, somebody else edited the press",
        "it still does not work with plums",
        "no, why did you use npm, not pnpm?",
    ],
)
def test_one_about_the_task_at_hand_is_none(text: str) -> None:
    assert not is_lesson(text)


def test_only_corrections_are_looked_at_and_the_user_is_quoted() -> None:
    text = "wrong, the press takes whole crates, every crate needs a label"
    assert concluded(Reproofs(), [talk("Prune the pears", text)]) == []
    [draft] = concluded(Reproofs(), [talk("Prune the pears", text, corrections=(1,))])
    assert draft.sentence == f'The user said on 2026-05-01: "{text}"'
    assert (draft.category, draft.channel) == (Category.PITFALL, Channel.USER)


def test_rules_that_stand_alone_are_left_to_the_standing_rules() -> None:
    assert concluded(Reproofs(), [talk("Prune", "No, never prune all the plums in spring.", corrections=(1,))]) == []
