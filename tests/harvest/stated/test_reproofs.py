import pytest
from tests.harvest.talks import concluded, talk

from afterwit.harvest.stated.choices import Reproofs, is_lesson
from afterwit.model.knowledge import Category, Channel


@pytest.mark.parametrize(
    "text",
    [
        "No, use pnpm in the web folder, not npm.",
        "Don't use sed for edits, use the edit tool instead.",
        "wrong, the press takes whole crates, every crate needs a label",
        "that's not right, we use the staging bucket for all uploads, not production",
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
    text = "No, use pnpm in the web folder, not npm."
    assert concluded(Reproofs(), [talk("Prune the pears", text)]) == []
    [draft] = concluded(Reproofs(), [talk("Prune the pears", text, corrections=(1,))])
    assert draft.sentence == f'The user said on 2026-05-01: "{text}"'
    assert (draft.category, draft.channel) == (Category.PITFALL, Channel.USER)


def test_rules_that_stand_alone_are_left_to_the_standing_rules() -> None:
    assert concluded(Reproofs(), [talk("Prune", "No, never prune all the plums in spring.", corrections=(1,))]) == []
