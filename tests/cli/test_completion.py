"""What shells are offered, and that they are never talked to."""

import pytest
from tests.cli.conftest import Run


def offered(run: Run, line: str) -> list[str]:
    """The values that bash gets for a line; the last word is the one that is being typed."""
    number = str(len(line.split(" ")) - 1)
    done = run(_AFTERWIT_COMPLETE="bash_complete", COMP_WORDS=line, COMP_CWORD=number)
    assert done.stderr == ""
    return [value.removeprefix("plain,") for value in done.stdout.split()]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_gets_a_script_that_asks_us(run: Run, shell: str) -> None:
    done = run(_AFTERWIT_COMPLETE=f"{shell}_source")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"_AFTERWIT_COMPLETE={shell}_complete" in done.stdout


def test_commands_and_short_names_are_offered(run: Run) -> None:
    assert offered(run, "afterwit se") == ["sessions", "search"]
    assert offered(run, "afterwit sessions sho") == ["show"]


def test_options_of_a_short_name_are_offered(run: Run) -> None:
    assert "--repo" in offered(run, "afterwit cost --re")
