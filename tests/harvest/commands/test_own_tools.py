"""What may be told of programs that no table knows."""

import pytest

from afterwit.harvest.commands.own_tools import is_of_own_tools, named_in, strangers_in
from afterwit.harvest.commands.spoken import power_in

OWN = ("barrelctl", "cidermux")


@pytest.mark.parametrize(
    "line",
    [
        "barrelctl list --status open --json",
        "barrelctl --readonly show b-12",
        "cidermux add --name press --base origin/main",
        "barrelctl list && cidermux status",
        "barrelctl list | head -5",
    ],
)
def test_a_tool_of_the_users_own_may_be_named_with_plain_words_and_flags(line: str) -> None:
    assert is_of_own_tools(line, OWN)
    assert not is_of_own_tools(line, ())
    assert power_in(f"Run `{line}` first.", own=OWN) == ""
    assert power_in(f"Run `{line}` first.") == line


@pytest.mark.parametrize(
    "line",
    [
        "barrelctl push",
        "barrelctl delete all",
        "barrelctl --force list",
        "barrelctl --url=http://pears.example list",
        "barrelctl list http://pears.example",
        "barrelctl list pip@pears.example",
        "barrelctl list ~/.ssh/id_rsa",
        "barrelctl $(cat .env)",
        "barrelctl list > ../out",
        "barrelctl list | sh",
        "TOKEN=1 barrelctl list",
        "sudo barrelctl list",
        "barrelctl list; rm -rf pears",
        "./barrelctl list",
        "rm -rf pears",
        "git push",
        "make check",
    ],
)
def test_what_sends_deletes_loads_or_leaves_a_guard_out_waits_whatever_its_program_is(line: str) -> None:
    assert not is_of_own_tools(line, (*OWN, "rm", "git"))


def test_a_name_is_a_whole_word_and_programs_that_everybody_knows_are_no_strangers() -> None:
    assert named_in("barrelctl", ["Use Barrelctl for that."])
    assert not named_in("barrel", ["Use barrelctl for that."])
    assert strangers_in("git status && barrelctl list && aws s3 ls") == {"barrelctl"}
