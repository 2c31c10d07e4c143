"""What a sandbox refuses is told once, with what to do at once."""

from typing import Any

import pytest
from tests.harvest.mishaps import broken, call, mishap
from tests.harvest.talks import concluded, sentences, talk

from afterwit.harvest.harvester import NEVER_ALONE
from afterwit.harvest.refusals import Denials, Refusals, RefusedForNow
from afterwit.knowledge.gate import review_reason
from afterwit.model.digest import Digest
from afterwit.model.kinds import ActionKind, FailureClass, ResolutionKind, Status, Step
from afterwit.model.knowledge import Draft, Scope, ScopeKind, Trigger


def refused(line: str, error: str, head: str = "git fetch", **more: Any) -> Digest:
    given: dict[str, Any] = {"resolution": ResolutionKind.RETRIED, "failure": FailureClass.ENVIRONMENT, **more}
    return mishap(broken(line, error), call(line), signature=f"{head}: x", **given)


def drafts(*digests: Digest) -> list[Draft]:
    return concluded(Refusals(), digests)


def test_no_network_is_one_matter_whatever_was_run() -> None:
    one = refused("git fetch", "ssh: Could not resolve hostname example.org")
    other = refused("go get x", "dial tcp: lookup proxy.local: no such host", "go get", day=1)
    assert drafts(one, other) == []
    assert RefusedForNow.minimum_stories == NEVER_ALONE
    assert sentences(concluded(RefusedForNow(), [one, other])) == [
        "`git fetch`, `go get` found no network here in codex, and the same call worked later: if the sandbox has none,"
        " ask at once to run it outside."
    ]


def test_a_refused_port_is_told() -> None:
    (draft,) = drafts(refused("go test ./...", "listen tcp6 [::1]:0: bind: operation not permitted", "go test"))
    assert draft.sentence.startswith("What opens a port (`go test`) is refused in the sandbox of codex here")


def test_two_repositories_make_it_a_matter_of_the_agent() -> None:
    some = [refused("git fetch", "no such host", day=day, repo=f"repo {day}") for day in range(2)]
    (draft,) = concluded(RefusedForNow(), some)
    assert (draft.harvester, draft.agents) == ("refused-for-now", ("codex",))
    assert draft.scope == Scope(ScopeKind.AGENT, "codex")


def test_a_refusal_counts_only_when_the_same_call_was_allowed_later() -> None:
    error = "cannot lock ref: Operation not permitted"
    assert len(concluded(RefusedForNow(), [refused("git switch -c plum", error)])) == 1
    changed = refused("git switch -c plum", error, resolution=ResolutionKind.CHANGED)
    assert concluded(RefusedForNow(), [changed]) == []


def test_a_sandbox_that_keeps_git_read_only_is_named() -> None:
    error = "cannot lock ref 'plum': Unable to create '/w/orchard/.git/refs/heads/plum.lock': Operation not permitted"
    assert sentences(concluded(RefusedForNow(), [refused("git switch -c plum", error, "git switch")])) == [
        "The sandbox of codex cannot write below `.git` here (`git switch`): ask at once to run it outside."
    ]


@pytest.mark.parametrize(
    "error",
    [
        "error: Couldn't sign message (signer): agent refused operation?",
        "error: Keeper: the vault is closed\n\nfatal: failed to write commit object",  # whatever the signer says
    ],
)
def test_a_locked_key_is_for_the_user_to_unlock_whichever_agent_meets_it(error: str) -> None:
    some = [refused("git commit", error, "git commit", day=day, agent=agent) for day, agent in enumerate("ab")]
    (draft,) = drafts(*some)
    assert "ask the user to unlock it and wait" in draft.sentence
    assert len(draft.evidence) == 2


def test_an_invented_host_is_no_lack_of_network() -> None:
    assert drafts(refused("make test", "lookup git.example: no such host")) == []


def test_a_complaint_of_the_shell_s_start_is_no_refusal_of_the_command_below_it() -> None:
    error = "/opt/brew/cmd/shellenv.sh: line 18: /bin/ps: Operation not permitted\nrest"
    assert drafts(refused("sed -n 1p a", error, "sed"), refused("pytest", error, "pytest", day=1)) == []


def test_the_order_of_sessions_does_not_matter() -> None:
    some = [refused("git fetch", "no such host", day=day) for day in range(3)]
    assert drafts(*some) == drafts(*reversed(some))


def test_a_missing_module_is_no_lack_of_network() -> None:
    error = "E   ModuleNotFoundError: No module named 'press'"
    assert concluded(RefusedForNow(), [refused("pytest", error, "pytest")]) == []


def test_a_network_that_stays_away_is_no_matter_of_a_sandbox() -> None:
    lost = refused("git fetch", "Could not resolve host: x", resolution=ResolutionKind.UNRESOLVED)
    assert concluded(RefusedForNow(), [lost]) == []


def test_to_leave_a_sandbox_always_needs_a_person() -> None:
    errors = ("no such host", "bind: operation not permitted", ".git/x: Permission denied", "a: Permission denied")
    some = [refused("git fetch", error, day=day) for day, error in enumerate(errors)]
    found = drafts(*some) + concluded(RefusedForNow(), some)
    assert len(found) == len(errors)
    assert {review_reason(draft) for draft in found} == {"needs a person: more rights"}
    signing = refused("git commit", "Couldn't sign message: agent refused operation?", "git commit")
    assert [review_reason(draft) for draft in drafts(signing)] == [""]


def denied(kind: ActionKind, tool: str, target: str, day: int = 0) -> Digest:
    step = Step(kind, tool, target, Status.DENIED, error="The user doesn't want to proceed.")
    return talk(steps=(step,), denials=(0,), day=day)


def denial_drafts(*digests: Digest) -> list[Draft]:
    return concluded(Denials(), digests)


def test_a_command_that_is_refused_in_two_stories_is_told() -> None:
    (draft,) = denial_drafts(*(denied(ActionKind.SHELL, "Bash", f"git push origin plum{day}", day) for day in range(2)))
    assert draft.sentence == "`git push` was refused here more than once: ask before running it, or do without it."
    assert draft.triggers == (Trigger(program="git", words=("push",)),)


def test_an_edit_is_known_by_its_file() -> None:
    some = [denied(ActionKind.EDIT, "Edit", "/w/orchard/CHANGES.md", day) for day in range(2)]
    (draft,) = denial_drafts(*some)
    assert draft.triggers == (Trigger(path="CHANGES.md"),)
    assert sentences([draft]) == ["Edits of `CHANGES.md` were refused here more than once: ask before changing it."]


def test_once_is_not_enough() -> None:
    assert denial_drafts(denied(ActionKind.SHELL, "Bash", "git push")) == []


def test_plans_and_questions_do_not_count() -> None:
    assert denial_drafts(*(denied(ActionKind.PLAN, "ExitPlanMode", "", day) for day in range(3))) == []
    assert denial_drafts(*(denied(ActionKind.OTHER, "AskUserQuestion", "", day) for day in range(3))) == []


def test_what_runs_in_as_many_stories_was_refused_for_the_moment() -> None:
    refused = [denied(ActionKind.SHELL, "Bash", "git push", day) for day in range(2)]
    ran = [talk(steps=(call("git push"),), day=day) for day in (5, 6)]
    assert [len(one.evidence) for one in denial_drafts(*refused, ran[0])] == [3]
    assert denial_drafts(*refused, *ran) == []


def test_what_runs_late_in_a_long_session_counts_as_well() -> None:
    refused = [denied(ActionKind.SHELL, "Bash", "git push", day) for day in range(2)]
    before = [call(f"make row{number}") for number in range(40)]
    ran = [talk(steps=(*before, call("git push")), day=day) for day in (5, 6)]
    assert denial_drafts(*refused, *ran) == []


def test_a_file_is_the_same_in_every_checkout() -> None:
    refused = [denied(ActionKind.EDIT, "Edit", "/w/orchard/CHANGES.md", day) for day in range(2)]
    step = Step(ActionKind.EDIT, "Edit", "/v/orchard/CHANGES.md", Status.SUCCEEDED, files=("/v/orchard/CHANGES.md",))
    assert denial_drafts(*refused, *(talk(steps=(step,), day=day) for day in (5, 6))) == []


def test_what_was_allowed_later_in_the_session_was_refused_for_the_moment() -> None:
    no = Step(ActionKind.SHELL, "Bash", "git push", Status.DENIED, error="No.")
    some = [talk(steps=(no, call("git push")), denials=(0,), day=day) for day in range(3)]
    assert denial_drafts(*some) == []


def test_a_page_that_may_be_read_in_other_sessions_is_not_forbidden() -> None:
    page = "https://orchard.example/apples"
    refused = [denied(ActionKind.WEB, "WebFetch", page, day) for day in range(2)]
    read = [talk(steps=(Step(ActionKind.WEB, "WebFetch", page, Status.SUCCEEDED),), day=day) for day in (5, 6)]
    assert len(denial_drafts(*refused)) == 1
    assert denial_drafts(*refused, *read) == []


def test_a_refused_change_to_several_files_tells_nothing_of_one() -> None:
    step = Step(ActionKind.EDIT, "Patch", "", Status.DENIED, files=("a.py", "b.py"), error="No.")
    assert denial_drafts(*(talk(steps=(step,), denials=(0,), day=day) for day in range(2))) == []
