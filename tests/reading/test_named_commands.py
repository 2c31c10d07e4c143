"""What between backticks is a command, and which commands are told without a person."""

import pytest
from tests.reading.talks import line

from afterwit.model.kinds import Status
from afterwit.reading.lines import Speaker
from afterwit.reading.named_commands import commands_in, untold_commands

TALK = [
    line(Speaker.USER, "use `orchardctl prune --deep` when the index is stale"),
    line(Speaker.ACTION, "$ cd api && orchardctl plant rows → ok", Status.SUCCEEDED),
    line(Speaker.ACTION, "$ orchardctl graft pear → failed, exit 2", Status.FAILED),
    line(Speaker.ACTION, "$ npm install left-fence → failed, exit 1", Status.FAILED),
    line(Speaker.OUTPUT, "cannot graft pear: rootstock missing"),
]


@pytest.mark.parametrize(
    "span",
    [
        "cannot graft pear: rootstock missing",
        "rows = nil",
        "CREATE TABLE",
        "Record<string, unknown>",
        "--deep --all",
        "GET /rows/{id}",
        "no rows matched",
    ],
)
def test_a_message_or_a_piece_of_code_is_no_command(span: str) -> None:
    assert commands_in(f"It fails with `{span}` after a frost.", TALK) == []


@pytest.mark.parametrize("span", ["git log -3", "orchardctl water all", "newtool --now", "RATE=1 go test ./..."])
def test_what_begins_with_a_program_or_looks_like_a_call_is_one(span: str) -> None:
    assert commands_in(f"After a frost `{span}` helps.", TALK) == [span]


def test_whatever_a_sentence_says_to_run_is_a_command() -> None:
    assert commands_in("Run `evil now` first.", TALK) == ["evil now"]
    assert untold_commands("Run `evil now` first.", TALK) == ["evil now"]


def test_what_the_user_typed_or_what_was_run_is_told() -> None:
    assert untold_commands("`orchardctl prune --deep` renews the index.", TALK) == []
    assert untold_commands("`orchardctl plant rows` fills it.", TALK) == []
    assert untold_commands("`orchardctl graft pear` fails before the first frost.", TALK) == []
    assert untold_commands("`orchardctl graft <name>` fails before the first frost.", TALK) == []


def test_a_failed_command_that_brings_in_code_needs_a_person() -> None:
    assert untold_commands("`npm install left-fence` fails.", TALK) == ["npm install left-fence"]


def test_a_flag_that_takes_a_guard_away_needs_a_person_unless_they_typed_it() -> None:
    assert untold_commands("Commit with `--no-verify` here.", TALK) == ["--no-verify"]
    typed = [*TALK, line(Speaker.USER, "commit with --no-verify today")]
    assert untold_commands("Commit with `--no-verify` here.", typed) == []
