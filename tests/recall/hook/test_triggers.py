"""Whether a trigger fires at a command line, and which failure a call ended with."""

import json

import pytest

from afterwit.agents.hook_payloads import AFTER, Moment
from afterwit.recall.deck.reader import DeckTrigger, words_called, words_in
from afterwit.recall.hook.triggers import failure_of, fires_at_command


@pytest.mark.parametrize(
    ("command", "program", "words"),
    [
        ("pnpm test --fast", "pnpm", ["test", "--fast"]),
        ("cd web && pnpm test --fast=1 src", "pnpm", ["test", "--fast"]),
        ("cd web && pnpm test --fast=1 src", "", ["--fast"]),
        ("uv run pytest -q tests", "pytest", []),
        ("uv run pytest -q tests", "uv", ["run", "pytest"]),
        ("sudo env A=1 /usr/bin/git push --force origin main", "git", ["push", "--force"]),
        ("bash -lc 'npm run build'", "npm", ["run", "build"]),
        ("python3 -m http.server 80", "python3", ["-m"]),
    ],
)
def test_a_program_is_called_with_its_words_in_their_order(command: str, program: str, words: list[str]) -> None:
    assert fires_at_command(DeckTrigger(program, json.dumps(words), "", "", "", ""), command)
    assert words_in(program).union(*map(words_in, words)) <= words_called(command)


@pytest.mark.parametrize(
    ("command", "program", "words"),
    [
        ("pnpm test --fast", "pnpm", ["--fast", "test"]),
        ("pnpm test", "pnpm", ["test", "--fast"]),
        ("echo pnpm test --fast", "pnpm", ["test"]),
        ("echo pytest", "pytest", []),
        ("", "pytest", []),
        ("", "", ["--fast"]),
    ],
)
def test_what_is_only_named_is_not_called(command: str, program: str, words: list[str]) -> None:
    assert not fires_at_command(DeckTrigger(program, json.dumps(words), "", "", "", ""), command)


def shell(command: str, output: str, **facts: bool | int | None) -> Moment:
    return Moment(AFTER, "s", tool="Bash", arguments={"command": command}, output=output, **facts)  # type: ignore[arg-type]


def test_a_failure_has_the_signature_that_learn_gives_it() -> None:
    failure = failure_of(
        "claude-code", shell("git psuh", "Exit code 1\ngit: 'psuh' is not a git command.", is_error=True)
    )
    assert failure is not None
    assert failure.signature == "git psuh: <q> is not a git command."


def test_where_the_agent_does_not_say_how_it_ended_the_output_tells() -> None:
    assert failure_of("codex", shell("make", "make: *** No rule to make target 'all'.  Stop.")) is not None
    assert failure_of("codex", shell("make", "all is well")) is None


def test_a_success_is_no_failure_whatever_it_prints() -> None:
    assert failure_of("claude-code", shell("cat log", "error: unknown option --fast", is_error=False)) is None


def test_an_answer_is_no_failure() -> None:
    assert failure_of("opencode", shell("grep -r nothing .", "", is_error=True, exit_code=1)) is None
