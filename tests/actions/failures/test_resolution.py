"""What made a failure good: each way once per kind of tool, and what must not count as one."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.every import for_every
from tests.thoroughness import examples

from afterwit.actions.failures.resolution import FailureResolution, resolve
from afterwit.model.kinds import ActionKind, FailureClass, Lean, ResolutionKind, Status, Step

INVOCATION, ENVIRONMENT, WORK = FailureClass.INVOCATION, FailureClass.ENVIRONMENT, FailureClass.WORK


def ran(line: str, status: Status = Status.SUCCEEDED, lean: Lean | None = None) -> Step:
    return Step(ActionKind.SHELL, "Bash", line, status, lean)


def broke(line: str, error: str = "") -> Step:
    return Step(ActionKind.SHELL, "Bash", line, Status.FAILED, None, 1, error=error)


def used(kind: ActionKind, target: str, status: Status = Status.SUCCEEDED, error: str = "") -> Step:
    return Step(kind, kind.value, target, status, None, None, error=error)


EDIT = used(ActionKind.EDIT, "src/pear.py")


def found(failure: FailureClass, *steps: Step) -> FailureResolution:
    return resolve(steps, 0, failure)


@for_every(
    "wrong, right",
    [
        ("npm run tset", "npm run test"),
        ("cargo test --test pear", "cargo test --test pears"),
        ("gh pr view 3 --json pears,plums", "gh pr view 3 --json plums"),
        ("ls src/[id]/page.tsx", "ls 'src/[id]/page.tsx'"),
        ("cd backend && go test ./pear", "go test ./pear"),
        ("rtk bun run test", "bun run test"),
        ("docker run --potr 80:80 pear", "docker run --port 80:80 pear"),
        ("kubectl get poods -n fruit", "kubectl get pods -n fruit"),
        ("git log --onelin -3", "git log --oneline -3"),
        ("python -c 'print(x)'", "python3 -c 'print(1)'"),
        ("terraform plan -varfile=a.tfvars", "terraform plan -var-file=a.tfvars"),
    ],
)
def test_a_changed_command_that_works_is_the_fix(wrong: str, right: str) -> None:
    assert found(INVOCATION, broke(wrong), ran("ls"), ran(right)) == (ResolutionKind.CHANGED, 2)


@pytest.mark.parametrize(
    "check", ["pytest tests/test_pear.py", "cargo clippy", "npm run lint", "./gradlew test", "mix test", "tsc --noEmit"]
)
def test_the_same_check_that_passes_after_an_edit_was_edited_good(check: str) -> None:
    assert found(WORK, broke(check), EDIT, broke(check), EDIT, ran(check)) == (ResolutionKind.EDITED, 4)


def test_a_fixing_run_of_a_formatter_counts_as_an_edit() -> None:
    assert found(WORK, broke("ruff format --check ."), ran("ruff format ."), ran("ruff format --check .")).kind in (
        ResolutionKind.EDITED,
        ResolutionKind.CHANGED,
    )


def test_a_check_that_passes_after_a_file_was_rewritten_by_a_command_was_edited_good() -> None:
    rewritten = ran("sed -i 's/pear/plum/' src/pear.py")
    assert found(WORK, broke("cargo clippy"), rewritten, ran("cargo clippy")) == (ResolutionKind.EDITED, 2)


def test_the_same_command_again_without_a_change_was_retried() -> None:
    assert found(FailureClass.TRANSIENT, broke("git push"), ran("git push")) == (ResolutionKind.RETRIED, 1)


@pytest.mark.parametrize(
    ("failing", "preparing"),
    [
        ("pytest tests", "pip install pytest"),
        ("docker compose exec db psql", "docker compose up -d"),
        ("gh pr list", "gh auth login"),
        ("cp a.txt out/a.txt", "mkdir -p out"),
        ("npx playwright test", "npx playwright install chromium"),
    ],
)
def test_a_command_that_puts_the_machine_right_prepares(failing: str, preparing: str) -> None:
    steps = (broke(failing), ran(preparing), ran(failing))
    assert found(ENVIRONMENT, *steps) == (ResolutionKind.PREPARED, 2)


def test_another_program_on_the_same_thing_replaces() -> None:
    steps = (broke("jq .rows[0].name data/orchard.json"), ran("python3 read_rows.py data/orchard.json rows name"))
    assert found(INVOCATION, *steps) == (ResolutionKind.REPLACED, 1)


def test_reading_with_the_own_tool_replaces_a_failed_look() -> None:
    steps = (broke("sed -n 1,20p src/orchard/pear.py"), used(ActionKind.READ, "/srv/src/orchard/pear.py"))
    assert found(INVOCATION, *steps) == (ResolutionKind.REPLACED, 1)


@pytest.mark.parametrize(
    ("failing", "other"),
    [
        ("npm run lint", "npm run test"),
        ("cargo test", "cargo build"),
        ("pytest tests/test_pear.py", "pytest tests/test_plum.py"),
        ("go test ./pear", "go vet ./pear"),
        ("git push", "git status"),
    ],
)
def test_another_check_that_passes_is_no_fix(failing: str, other: str) -> None:
    assert found(WORK, broke(failing), EDIT, ran(other)).kind is ResolutionKind.UNRESOLVED


def test_a_check_of_a_part_counts_where_the_whole_never_passed() -> None:
    steps = (broke("go test ./..."), EDIT, ran("go test ./pear"))
    assert found(WORK, *steps) == (ResolutionKind.EDITED, 2)


def test_the_whole_outranks_its_part() -> None:
    steps = (broke("go test ./..."), EDIT, ran("go test ./pear"), ran("go test ./..."))
    assert found(WORK, *steps) == (ResolutionKind.EDITED, 3)


def test_a_success_hidden_by_a_pipe_counts_where_the_output_looks_fine() -> None:
    hidden = ran("npm test 2>&1 | tail -3", Status.UNKNOWN, Lean.FINE)
    assert found(WORK, broke("npm test"), EDIT, hidden) == (ResolutionKind.EDITED, 2)
    doubtful = ran("npm test 2>&1 | tail -3", Status.UNKNOWN, Lean.FAILED)
    assert found(WORK, broke("npm test"), EDIT, doubtful).kind is ResolutionKind.UNRESOLVED


@pytest.mark.parametrize("failure", [FailureClass.DENIED, FailureClass.CANCELLED, FailureClass.ANSWER])
def test_what_nobody_had_to_mend_is_not_resolved(failure: FailureClass) -> None:
    assert found(failure, broke("make"), ran("make")).kind is ResolutionKind.UNRESOLVED


def test_an_edit_that_finds_its_text_the_second_time_was_changed() -> None:
    wrong = used(ActionKind.EDIT, "src/pear.py", Status.FAILED, "String to replace not found")
    assert found(FailureClass.TOOL_CONTRACT, wrong, EDIT) == (ResolutionKind.CHANGED, 1)


def test_a_file_read_first_was_prepared() -> None:
    wrong = used(ActionKind.EDIT, "src/pear.py", Status.FAILED, "File has not been read yet")
    steps = (wrong, used(ActionKind.READ, "src/pear.py"), EDIT)
    assert found(FailureClass.TOOL_CONTRACT, *steps) == (ResolutionKind.PREPARED, 2)


def test_a_wrong_folder_that_was_corrected_was_changed() -> None:
    wrong = used(ActionKind.READ, "/srv/src/pear.py", Status.FAILED, "File does not exist.")
    assert found(FailureClass.TOOL_CONTRACT, wrong, used(ActionKind.READ, "/srv/lib/pear.py")).kind is (
        ResolutionKind.CHANGED
    )


def test_an_edit_made_by_a_shell_replaces() -> None:
    wrong = used(ActionKind.EDIT, "src/pear.py", Status.FAILED, "String to replace not found")
    assert found(FailureClass.TOOL_CONTRACT, wrong, ran("sed -i s/a/b/ src/pear.py")).kind is ResolutionKind.REPLACED


def test_another_file_is_no_fix() -> None:
    wrong = used(ActionKind.EDIT, "src/plum.py", Status.FAILED, "String to replace not found")
    assert found(FailureClass.TOOL_CONTRACT, wrong, EDIT).kind is ResolutionKind.UNRESOLVED


STEPS = st.builds(
    Step,
    st.sampled_from(list(ActionKind)),
    st.just("tool"),
    st.text(max_size=40) | st.sampled_from(["make test", "npm run lint", "git push", "src/pear.py", "cd x && ls"]),
    st.sampled_from(list(Status)),
    st.none() | st.sampled_from(list(Lean)),
    st.none() | st.integers(-1, 130),
    st.text(max_size=40),
    files=st.just(()),
    started_by=st.none(),
)


@given(st.lists(STEPS, min_size=1, max_size=8), st.sampled_from(list(FailureClass)), st.data())
@settings(max_examples=examples(200), deadline=None)
def test_any_steps_resolve_to_a_later_success_or_to_none(
    steps: list[Step], failure: FailureClass, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(steps) - 1))
    resolution = resolve(steps, at, failure)
    assert (resolution.by is None) == (resolution.kind is ResolutionKind.UNRESOLVED)
    if resolution.by is not None:
        assert resolution.by > at
        assert steps[resolution.by].has_worked


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("pytest -q", "uv run pytest -q"),
        ("eslint src", "npx eslint src"),
        ("go test ./...", "CGO_ENABLED=0 go test ./..."),
    ],
)
def test_the_same_command_run_through_something_else_is_a_changed_one(wrong: str, right: str) -> None:
    missing = broke(wrong, f"zsh: command not found: {wrong.split(maxsplit=1)[0]}")
    assert found(ENVIRONMENT, missing, ran(right)) == FailureResolution(ResolutionKind.CHANGED, 1)
