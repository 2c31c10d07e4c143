"""What a sandbox refuses is told once, with what to do at once."""

from typing import Any

from tests.harvest.mishaps import broken, call, mishap
from tests.harvest.talks import concluded, sentences

from afterwit.harvest.harvester import NEVER_ALONE
from afterwit.harvest.refusals import Refusals, RefusedForNow
from afterwit.knowledge.gate import review_reason
from afterwit.model.digest import Digest
from afterwit.model.kinds import FailureClass, ResolutionKind
from afterwit.model.knowledge import Channel, Draft, Scope, ScopeKind


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


def test_a_locked_key_is_for_the_user_to_unlock_whichever_agent_meets_it() -> None:
    error = "error: Couldn't sign message (signer): agent refused operation?"
    some = [refused("git commit", error, "git commit", day=day, agent=agent) for day, agent in enumerate("ab")]
    (draft,) = drafts(*some)
    assert "ask the user to unlock it and wait" in draft.sentence
    assert len(draft.evidence) == 2


def test_an_invented_host_is_no_lack_of_network() -> None:
    assert drafts(refused("make test", "lookup git.example: no such host")) == []


def test_a_complaint_of_the_shell_s_start_is_told_when_different_programs_had_it() -> None:
    error = "/opt/brew/cmd/shellenv.sh: line 18: /bin/ps: Operation not permitted\nrest"
    one, other = refused("sed -n 1p a", error, "sed"), refused("pytest", error, "pytest", day=1)
    assert drafts(one) == []
    (draft,) = drafts(one, other)
    assert draft.channel is Channel.TOOL
    assert draft.sentence.startswith("The first line of an output here may be a complaint of the shell's own start-up")
    assert "ps" not in draft.sentence.split()


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
