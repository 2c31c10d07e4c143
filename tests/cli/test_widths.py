"""Lists on terminals of several widths, and in a pipe, on the store of the demo."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from afterwit.cli.main import afterwit
from afterwit.cli.terminal import output, table
from afterwit.cli.terminal.output import cells

LISTS = (
    "sessions list",
    "sessions list --repo orchard --agent codex",
    "sessions search pytest",
    "sessions cost --by repo --by model",
    "sessions cost --by week",
    "sessions tools",
    "knowledge list --all",
    "knowledge rejected",
    "store dropped",
    "store problems",
    "connect status",
    "doctor",
    "sample --count 5",
    "sessions list --since 1h",
    "measure report",
    "measure report --explain recurrence",
    "measure report --explain completion",
    "measure report --explain velocity",
)
_LONG_WORD = 28  # longer ones are folded within
Asked = Callable[[str], str]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    assert CliRunner().invoke(afterwit, ["demo", "--to", str(folder), "--day", "2026-05-04"]).exit_code == 0
    return folder


@contextmanager
def terminal(monkeypatch: pytest.MonkeyPatch, width: int | None, *, is_coloured: bool = False) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setattr(output, "_width", lambda _stream: width)
        patch.setattr(table, "has_colour", lambda: is_coloured)
        yield


@pytest.fixture
def ask(demo: Path, monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What a command says, on standard output and behind that on standard error."""
    monkeypatch.setenv("HOME", str(demo / "home"))
    monkeypatch.setenv("AFTERWIT_HOME", str(demo / "store"))

    def asks(command: str) -> str:
        done = CliRunner().invoke(afterwit, command.split())
        assert done.exception is None or isinstance(done.exception, SystemExit), done.output
        return done.output

    return asks


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("command", LISTS)
def test_no_line_is_wider_than_the_terminal(
    ask: Asked, monkeypatch: pytest.MonkeyPatch, command: str, width: int
) -> None:
    with terminal(monkeypatch, width):
        lines = ask(command).splitlines()
    assert lines
    assert [line for line in lines if cells(line) > width and " " in line.strip()] == []


def test_facts_are_whole_at_every_width(ask: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = [item["fact"] for item in json.loads(ask("knowledge list --limit 5 --json"))["items"]]
    for width in (60, 80, 120):
        with terminal(monkeypatch, width):
            listed = ask("knowledge list --limit 5")
        words = set(listed.split())
        missing = {word for fact in facts for word in fact.split()} - words
        assert {word for word in missing if len(word) <= _LONG_WORD} == set()


def test_a_column_that_repeats_an_option_is_left_out(ask: Asked) -> None:
    assert ask("sessions list").splitlines()[0].split()[:4] == ["id", "started", "agent", "repo"]
    assert ask("sessions list --repo orchard --agent codex").splitlines()[0].split()[:3] == ["id", "started", "domain"]
    assert "repo" in ask("sessions list --repo *a*").splitlines()[0].split()
    assert "where" not in ask("knowledge list --repo orchard").splitlines()[0].split()


def test_failures_are_red_on_a_terminal_with_colours(ask: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b" not in ask("sessions list")
    with terminal(monkeypatch, 120, is_coloured=True):
        done = CliRunner().invoke(afterwit, ["sessions", "list"], color=True)
    assert "\x1b[31m" in done.output


def test_an_empty_list_says_what_there_is_without_filters(ask: Asked) -> None:
    said = ask("sessions list --repo orchard --since 1h")
    assert said.startswith("No sessions match. Without the filters there are 21 sessions, the latest on May ")


def test_a_search_without_matches_says_what_to_try(ask: Asked) -> None:
    assert "Fewer words find more" in ask("sessions search quincequince")

    assert "No sessions match." in ask("sessions search pytest --repo orchard --since 1h")
    assert "Examples: 12h, 3d" in ask("sessions search pytest --since soon")
