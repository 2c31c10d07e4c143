"""What is missing is told with what is used instead."""

from typing import Any

from tests.harvest.mishaps import broken, call, mishap
from tests.harvest.talks import concluded, sentences, talk

from afterwit.harvest.environment import Environment
from afterwit.model.digest import Digest
from afterwit.model.kinds import FailureClass, ResolutionKind
from afterwit.model.knowledge import EVERYWHERE, Draft, Trigger


def lacking(name: str, *then: str, day: int = 0, **more: Any) -> Digest:
    steps = (broken(f"{name} -m press", f"zsh:1: command not found: {name}"), *(call(line) for line in then))
    given = {"failure": FailureClass.ENVIRONMENT, "signature": f"{name}: command not found: {name}", **more}
    return mishap(*steps, day=day, **given)


def drafts(*digests: Digest) -> list[Draft]:
    return concluded(Environment(), digests)


def test_the_words_that_reach_a_missing_program_are_given() -> None:
    (draft,) = drafts(lacking("python", "ls", "uv run python -m press"))
    assert draft.sentence == "When `python` is not found here, call `uv run python …`."
    assert draft.advice == "python → uv run python"
    assert draft.triggers == (Trigger(signature="python: command not found: python"), Trigger(program="python"))


def test_a_module_and_a_local_folder_are_ways_too() -> None:
    assert drafts(lacking("pytest", "python3 -m pytest -q"))[0].advice == "pytest → python3 -m pytest"
    assert drafts(lacking("pytest", ".venv/bin/pytest -q"))[0].advice == "pytest → .venv/bin/pytest"


def test_another_program_with_the_same_arguments_took_its_place() -> None:
    changed = ResolutionKind.CHANGED
    assert drafts(lacking("python", "python3 -m press", resolution=changed))[0].advice == "python → python3"
    (draft,) = drafts(lacking("docker-compose", "docker compose -m press", resolution=changed))
    assert draft.advice == "docker-compose → docker compose"
    assert drafts(lacking("python", "ruby -m squeeze", resolution=changed)) == []


def test_where_nothing_took_its_place_nothing_is_known() -> None:
    assert drafts(lacking("yq", "which yq", "brew install yq")) == []


def test_a_signature_that_does_not_name_the_program_is_no_trigger() -> None:
    noise = "<path>: line <n>: <path>: Operation not permitted"
    (draft,) = drafts(lacking("python", "uv run python -m press", signature=noise))
    assert draft.triggers == ()


def test_what_installed_it_is_given_when_the_same_call_then_worked() -> None:
    one = lacking("tsc", "bun install", "bun run types", resolution=ResolutionKind.PREPARED)
    assert sentences(drafts(one)) == ["`tsc` is missing in a fresh checkout: run `bun install` first."]


def test_two_repositories_with_the_same_way_hold_everywhere() -> None:
    one, other = (
        lacking("python", "uv run python x.py"),
        lacking("python", "uv run python y.py", day=1, repo="elsewhere"),
    )
    (draft,) = drafts(one, other)
    assert draft.scope == EVERYWHERE


def test_the_same_person_running_it_plainly_speaks_against() -> None:
    plain = talk(steps=(call("go test ./..."),), day=2)
    (draft,) = drafts(lacking("go", "mise exec -- go test ./..."), plain)
    assert [one.is_against for one in draft.evidence] == [False, True]
    assert [one.program for one in draft.triggers] == [""]


def test_another_persons_plain_run_speaks_not_against_it_but_it_waits_for_the_failure() -> None:
    plain = talk(steps=(call("go test ./..."),), day=2, user="somebody-else")
    (draft,) = drafts(lacking("go", "mise exec -- go test ./..."), plain)
    assert [one.is_against for one in draft.evidence] == [False]
    assert [one.program for one in draft.triggers] == [""]


def test_a_program_outside_of_the_usual_ones_that_runs_plainly_speaks_against_too() -> None:
    plain = talk(steps=(call("golangci-lint run"),), day=2)
    (draft,) = drafts(lacking("golangci-lint", "mise exec -- golangci-lint run"), plain)
    assert [one.is_against for one in draft.evidence] == [False, True]


def test_what_holds_everywhere_is_known_by_its_failure_alone() -> None:
    one, other = (
        lacking("python", "uv run python x.py"),
        lacking("python", "uv run python y.py", day=1, repo="elsewhere"),
    )
    (draft,) = drafts(one, other)
    assert [trigger.program for trigger in draft.triggers] == [""]


def test_an_install_is_no_other_way_to_call_it() -> None:
    one = lacking("tsc", "bun install", "bun run types", resolution=ResolutionKind.PREPARED)
    assert [trigger.program for trigger in drafts(one)[0].triggers] == [""]


def test_another_failure_is_none_of_its_business() -> None:
    assert drafts(mishap(broken("make", "2 failed"), call("make"), signature="x", failure=FailureClass.WORK)) == []
