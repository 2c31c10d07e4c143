import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.every import for_every
from tests.harvest.mishaps import call
from tests.harvest.work import REPO, edited, failed, piped, ran, session
from tests.thoroughness import examples

from afterwit.actions.shell.parse import parse
from afterwit.actions.steps import command_of
from afterwit.harvest.commands.invocations import CommandForm, folder_below, form_of, runs_in, work_of
from afterwit.model.digest import Touched
from afterwit.model.kinds import ActionKind, FailureClass, Status, Step


@for_every(
    "line, form",
    [
        ("go test ./...", "go test ./..."),
        ("go test ./... -count=1 -timeout 300s -v", "go test ./..."),
        ("env GOCACHE=/tmp/go-build go test ./...", "go test ./..."),
        ("timeout 60 make check", "make check"),
        ("PYTHONPATH=src pytest -q", "PYTHONPATH=src pytest"),
        ("API_TOKEN=abc pytest", "pytest"),
        ("uv run --extra dev pytest", "uv run --extra dev pytest"),
        ("/opt/tools/bin/ruff check", "ruff check"),
        (".venv/bin/python -m pytest", ".venv/bin/python -m pytest"),
        ("mise exec -- go vet ./...", "mise exec -- go vet ./..."),
        ("pytest tests", "pytest tests"),
        ("tox -e lint", "tox -e lint"),
        ("nox -s tests", "nox -s tests"),
        ("gofmt -w .", "gofmt -w ."),
        ("make -C web lint", "make -C web lint"),
    ],
)
def test_what_belongs_to_the_moment_is_dropped(line: str, form: str) -> None:
    assert form_of(parse(line).commands[0]) == CommandForm(form)


@pytest.mark.parametrize(
    ("line", "form"),
    [
        ("go test ./press/crates -run TestPress -v", "go test <path>"),
        ("pytest tests/test_press.py::test_a -x", "pytest <path>"),
        ("gofmt -w press/crate.go", "gofmt -w <path>"),
        ("npx eslint --fix src/press.ts src/crate.ts", "npx eslint --fix <path>"),
        ("bun --filter @fruit/web build", "bun --filter <name> build"),
        ("cargo test -p press", "cargo test -p <name>"),
        ("pytest -k 'press and not crate'", "pytest -k <name>"),
    ],
)
def test_a_command_aimed_at_something_is_a_part(line: str, form: str) -> None:
    assert form_of(parse(line).commands[0]) == CommandForm(form, is_part=True)


@pytest.mark.parametrize(
    "line",
    [
        "uv run --with 'a;b' pytest",
        "make 'x y' test",
        "X='$(id)' make test",
        "pytest --cov='a b'",
        "make --eval=`id` test",
    ],
)
def test_nothing_that_a_shell_would_expand_is_in_a_form(line: str) -> None:
    form = form_of(parse(line).commands[0])
    assert form is None or not set("'\"$`;&|*") & set(form.text)


@given(st.text(max_size=80))
@settings(max_examples=examples(60))
def test_any_line_has_forms_or_none(line: str) -> None:
    for command in parse(line).commands:
        form = form_of(command)
        assert form is None or len(form.text) <= 80


def test_failing_tests_are_no_fault_of_the_command() -> None:
    runs = list(
        runs_in(session(failed("go test ./...", FailureClass.WORK), failed("make test", FailureClass.INVOCATION)))
    )
    assert [(run.form.text, run.ran, run.passed) for run in runs] == [
        ("go test ./...", True, False),
        ("make test", False, False),
    ]


@pytest.mark.parametrize("fine", [True, False])
def test_an_exit_code_that_a_pipe_hides_says_nothing(fine: bool) -> None:
    (run,) = runs_in(session(piped("go test ./... 2>&1 | tail -5", fine=fine)))
    assert (run.form.text, run.ran, run.passed) == ("go test ./...", None, None)


@pytest.mark.parametrize(
    ("line", "passed"),
    [
        ("make lint; make test", [None, True]),
        ("make lint && make test", [True, True]),
        ("make test || true", [None]),
        ("make test | tee log", [None]),
        ("set -o pipefail; make test | tee log", [True]),
    ],
)
def test_a_success_speaks_for_the_commands_that_could_not_have_failed(line: str, passed: list[bool | None]) -> None:
    assert [run.passed for run in runs_in(session(ran(line)))] == passed


def test_a_command_in_the_background_ends_with_its_last_poll() -> None:
    first = ran("npm run build", is_over=False, at_s=10)
    poll = ran("42", started_by=0, at_s=70, duration_ms=500)
    (run,) = runs_in(session(first, poll))
    assert (run.ran, run.duration_ms) == (True, 60_500)


def test_of_several_commands_in_a_line_none_is_blamed_or_timed() -> None:
    runs = list(runs_in(session(failed("npm run lint && npm test", FailureClass.INVOCATION))))
    assert {(run.ran, run.duration_ms) for run in runs} == {(None, None)}


def test_a_folder_is_told_below_the_root_that_edits_show() -> None:
    runs = runs_in(session(edited("web/a.ts", root="/home/ann/wt-7"), ran("cd /home/ann/wt-7/web && npm test")))
    assert [run.folder for run in runs] == ["web"]


def test_a_folder_that_is_not_known_to_lie_in_the_root_is_not_told() -> None:
    assert [run.line for run in runs_in(session(ran("cd src && make test")))] == []
    inside = session(ran("cd src && make test"), files=(Touched("src/press.go", 1, 0),))
    assert [run.line for run in runs_in(inside)] == ["cd src && make test"]
    elsewhere = session(ran("cd src && make test"), files=(Touched("api/src/press.go", 1, 0),))
    assert [run.line for run in runs_in(elsewhere)] == []


def test_where_a_line_runs_after_the_shell_was_left_in_a_folder_is_not_known() -> None:
    files = (Touched("web/a.ts", 1, 0), Touched("api/b.ts", 1, 0))
    moved = session(ran("cd web && npm test"), ran("npm run lint"), ran("cd api && npm run build"), files=files)
    assert [run.line for run in runs_in(moved)] == ["cd web && npm test"]
    inside = session(ran("(cd web && npm test)"), ran("npm run lint"), files=files)
    assert [run.line for run in runs_in(inside)] == ["cd web && npm test", "npm run lint"]
    back = session(ran("cd web"), ran("cd /srv/orchard && npm run lint"), ran("npm test"), files=files)
    assert [run.line for run in runs_in(back)] == ["npm run lint", "npm test"]


@pytest.mark.parametrize(
    ("folder", "below"),
    [
        ("", ""),
        ("./web/", "web"),
        ("/home/ann/code/orchard", ""),
        ("/home/ann/code/orchard/web", "web"),
        ("/home/ann/code/elsewhere", None),
        ("../other", None),
        ("$HOME/x", None),
    ],
)
def test_folders_elsewhere_are_not_of_the_repository(folder: str, below: str | None) -> None:
    assert folder_below(folder, REPO, frozenset()) == below


def test_a_poll_stands_for_the_command_that_it_polls() -> None:
    steps = (call("make juice"), call("4711", started_by=0), Step(ActionKind.READ, "Read", "a", Status.SUCCEEDED))
    assert [command_of(steps, at) for at in range(3)] == ["make juice", "make juice", ""]


def test_work_is_told_by_program_and_subcommand() -> None:
    assert work_of("cd x && git push origin main | tail") == "git push"
    assert work_of("ls -l") == ""
