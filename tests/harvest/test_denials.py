"""What is refused again is told; plans, questions and the moment are not."""

from tests.harvest.mishaps import call
from tests.harvest.talks import concluded, sentences, talk

from afterwit.harvest.refusals import Denials
from afterwit.model.digest import Digest, DigestStep
from afterwit.model.kinds import ActionKind, Status
from afterwit.model.knowledge import Draft, Trigger


def denied(kind: ActionKind, tool: str, target: str, day: int = 0) -> Digest:
    step = DigestStep(kind, tool, target, Status.DENIED, error="The user doesn't want to proceed.")
    return talk(steps=(step,), denials=(0,), day=day)


def drafts(*digests: Digest) -> list[Draft]:
    return concluded(Denials(), digests)


def test_a_command_that_is_refused_in_two_stories_is_told() -> None:
    (draft,) = drafts(*(denied(ActionKind.SHELL, "Bash", f"git push origin plum{day}", day) for day in range(2)))
    assert draft.sentence == "`git push` was refused here more than once: ask before running it, or do without it."
    assert draft.triggers == (Trigger(program="git", words=("push",)),)


def test_an_edit_is_known_by_its_file() -> None:
    some = [denied(ActionKind.EDIT, "Edit", "/w/orchard/CHANGES.md", day) for day in range(2)]
    (draft,) = drafts(*some)
    assert draft.triggers == (Trigger(path="CHANGES.md"),)
    assert sentences([draft]) == ["Edits of `CHANGES.md` were refused here more than once: ask before changing it."]


def test_once_is_not_enough() -> None:
    assert drafts(denied(ActionKind.SHELL, "Bash", "git push")) == []


def test_plans_and_questions_do_not_count() -> None:
    assert drafts(*(denied(ActionKind.PLAN, "ExitPlanMode", "", day) for day in range(3))) == []
    assert drafts(*(denied(ActionKind.OTHER, "AskUserQuestion", "", day) for day in range(3))) == []


def test_what_runs_in_as_many_stories_was_refused_for_the_moment() -> None:
    refused = [denied(ActionKind.SHELL, "Bash", "git push", day) for day in range(2)]
    ran = [talk(steps=(call("git push"),), day=day) for day in (5, 6)]
    assert [len(one.evidence) for one in drafts(*refused, ran[0])] == [3]
    assert drafts(*refused, *ran) == []


def test_what_runs_late_in_a_long_session_counts_as_well() -> None:
    refused = [denied(ActionKind.SHELL, "Bash", "git push", day) for day in range(2)]
    before = [call(f"make row{number}") for number in range(40)]
    ran = [talk(steps=(*before, call("git push")), day=day) for day in (5, 6)]
    assert drafts(*refused, *ran) == []


def test_a_file_is_the_same_in_every_checkout() -> None:
    refused = [denied(ActionKind.EDIT, "Edit", "/w/orchard/CHANGES.md", day) for day in range(2)]
    step = DigestStep(
        ActionKind.EDIT, "Edit", "/v/orchard/CHANGES.md", Status.SUCCEEDED, files=("/v/orchard/CHANGES.md",)
    )
    assert drafts(*refused, *(talk(steps=(step,), day=day) for day in (5, 6))) == []


def test_what_was_allowed_later_in_the_session_was_refused_for_the_moment() -> None:
    no = DigestStep(ActionKind.SHELL, "Bash", "git push", Status.DENIED, error="No.")
    some = [talk(steps=(no, call("git push")), denials=(0,), day=day) for day in range(3)]
    assert drafts(*some) == []


def test_a_page_that_may_be_read_in_other_sessions_is_not_forbidden() -> None:
    page = "https://orchard.example/apples"
    refused = [denied(ActionKind.WEB, "WebFetch", page, day) for day in range(2)]
    read = [talk(steps=(DigestStep(ActionKind.WEB, "WebFetch", page, Status.SUCCEEDED),), day=day) for day in (5, 6)]
    assert len(drafts(*refused)) == 1
    assert drafts(*refused, *read) == []


def test_a_refused_change_to_several_files_tells_nothing_of_one() -> None:
    step = DigestStep(ActionKind.EDIT, "Patch", "", Status.DENIED, files=("a.py", "b.py"), error="No.")
    assert drafts(*(talk(steps=(step,), denials=(0,), day=day) for day in range(2))) == []
