"""A skill that changes how sessions go on becomes a sentence that calls itself approximate; others become none."""

from tests.harvest.skills.histories import World, history
from tests.harvest.talks import ORCHARD, concluded

from afterwit.harvest.skills.skills import Skills
from afterwit.knowledge.gate import rejection, review_reason
from afterwit.model.knowledge import Category, Channel, Draft, Scope, ScopeKind


def drafts(world: World) -> list[Draft]:
    return concluded(Skills(), history(world))


def test_a_skill_that_helps_is_told_as_approximate() -> None:
    (draft,) = drafts(World(effect=0.2))
    assert draft.sentence.startswith(
        "After the skill `press`, codex got on better in `orchard` than at comparable moments"
    )
    assert "approximate" in draft.sentence
    assert draft.scope == Scope(ScopeKind.REPO, ORCHARD)
    assert (draft.category, draft.channel, draft.agents) == (Category.PATTERN, Channel.OUTCOME, ("codex",))
    assert {piece.is_against for piece in draft.evidence} == {True, False}
    assert rejection(draft) is None
    assert not review_reason(draft)


def test_a_skill_that_harms_is_told_too() -> None:
    (draft,) = drafts(World(effect=-0.15))
    assert "got on worse" in draft.sentence


def test_a_skill_that_does_nothing_is_not_told() -> None:
    assert drafts(World()) == []
    assert drafts(World(is_for_easy=True)) == []


def test_a_few_uses_are_not_told() -> None:
    assert drafts(World(sessions=40, share=0.1, effect=0.2)) == []
