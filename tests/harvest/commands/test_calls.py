"""The command line behind a step is found, also behind a poll."""

from tests.harvest.mishaps import call

from afterwit.harvest.commands.invocations import command_at, work_of
from afterwit.model.digest import DigestStep
from afterwit.model.kinds import ActionKind, Status


def test_a_poll_stands_for_the_command_that_it_polls() -> None:
    steps = (call("make juice"), call("4711", started_by=0), DigestStep(ActionKind.READ, "Read", "a", Status.SUCCEEDED))
    assert [command_at(steps, at) for at in range(3)] == ["make juice", "make juice", ""]


def test_work_is_told_by_program_and_subcommand() -> None:
    assert work_of("cd x && git push origin main | tail") == "git push"
    assert work_of("ls -l") == ""
