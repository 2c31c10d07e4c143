"""The hook's own questions have the answers that recall and the backtest get."""

import json

import pytest

from afterwit.actions.shell.parse import parsed
from afterwit.agents.moments import AFTER, Moment
from afterwit.knowledge import matching
from afterwit.model.knowledge import Trigger as Known
from afterwit.recall.deck.reader import DeckTrigger, words_called, words_in
from afterwit.recall.hook.triggers import failure_of, fires_at_command

COMMANDS = (
    "pnpm test --fast",
    "cd web && pnpm test --fast=1 src",
    "uv run pytest -q tests",
    "sudo env A=1 /usr/bin/git push --force origin main",
    "bash -lc 'npm run build'",
    "python3 -m http.server 80",
    "echo pnpm test --fast",
    "",
)
TRIGGERS = (
    ("pnpm", ("test", "--fast")),
    ("pnpm", ("--fast", "test")),
    ("pytest", ()),
    ("uv", ("run", "pytest")),
    ("git", ("push", "--force")),
    ("npm", ("run", "build")),
    ("python3", ("-m",)),
    ("", ("--fast",)),
)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("program", "words"), TRIGGERS)
def test_commands_match_as_elsewhere(command: str, program: str, words: tuple[str, ...]) -> None:
    known = Known(program=program, words=words)
    expected = matching.fires(known, matching.TriggerMoment(command=parsed(command)))
    assert fires_at_command(DeckTrigger(program, json.dumps(words), "", "", "", ""), command) == expected
    if expected:
        needed = words_in(program).union(*map(words_in, words))
        assert needed <= words_called(command)


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
