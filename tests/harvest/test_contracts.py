"""Names that an agent's tools do not know are told; errors that explain themselves are not."""

from typing import Any

from tests.harvest.mishaps import mishap
from tests.harvest.talks import concluded, talk

from afterwit.harvest.contracts import Contracts
from afterwit.model.digest import Digest
from afterwit.model.kinds import ActionKind, FailureClass, ResolutionKind, Status, Step
from afterwit.model.knowledge import Draft, Scope, ScopeKind, Trigger

SIGNATURE = "skill: Unknown skill: bottle"


def misused(error: str = "Unknown skill: bottle", **more: Any) -> Digest:
    step = Step(ActionKind.SKILL, "Skill", "bottle", Status.FAILED, error=error)
    given = {"failure": FailureClass.TOOL_CONTRACT, "resolution": ResolutionKind.UNRESOLVED, **more}
    return mishap(step, signature=SIGNATURE, **given)


def drafts(*digests: Digest) -> list[Draft]:
    return concluded(Contracts(), digests)


def test_a_skill_that_does_not_exist_is_told() -> None:
    (draft,) = drafts(misused(day=0), misused(day=1))
    assert draft.sentence == "There is no skill named `bottle` here: do its work with other tools."
    assert draft.triggers == (Trigger(tool="Skill", signature=SIGNATURE), Trigger(tool="Skill", words=("bottle",)))
    assert len(draft.evidence) == 2


def test_two_repositories_make_it_a_matter_of_the_agent() -> None:
    (draft,) = drafts(misused(day=0), misused(day=1, repo="elsewhere"))
    assert draft.scope == Scope(ScopeKind.AGENT, "codex")
    assert "in codex" in draft.sentence


def test_a_skill_that_works_later_speaks_against() -> None:
    step = Step(ActionKind.SKILL, "Skill", "bottle", Status.SUCCEEDED)
    later = talk(steps=(step,), skills=("bottle",), day=4)
    (draft,) = drafts(misused(), later)
    assert [one.is_against for one in draft.evidence] == [False, True]


def test_an_error_that_explains_itself_gives_nothing() -> None:
    assert drafts(misused("File has not been read yet. Read it first before writing to it.")) == []
