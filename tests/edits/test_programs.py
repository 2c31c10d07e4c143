"""Which program a hook starts is found in every file that `connect` writes."""

import pytest
from tests.edits.surroundings import AT, EVERYTHING

from afterwit.agents.registry import INSTALLERS, integration_for
from afterwit.agents.registry import agent as agent_named
from afterwit.edits.ours import hook_programs, server_programs

HOOKED = [each.agent for each in INSTALLERS if agent_named(each.agent).hooks]
WITHOUT_HOOKS = {each.agent for each in INSTALLERS} - set(HOOKED)
STORE = {"AFTERWIT_HOME": "/data/ada's store", "AFTERWIT_PROFILE": "work"}


@pytest.mark.parametrize("agent", HOOKED)
@pytest.mark.parametrize("store", [{}, STORE], ids=["usual store", "store elsewhere"])
@pytest.mark.parametrize(
    "hook",
    [
        ("/opt/afterwit/bin/afterwit-hook",),
        ("/home/ada lovelace/tools/bin/afterwit-hook",),
        ("/home/ada's ünusual tools/bin/afterwit-hook",),
        ("/usr/bin/python3.12", "-I", "-m", "afterwit.hook"),
        ("/home/ada lovelace/bin/python", "-I", "-m", "afterwit.hook"),
        ("/home/ada's bin/python", "-I", "-m", "afterwit.hook"),
    ],
    ids=[
        "program",
        "program with a space",
        "program with a quote",
        "module",
        "module with a space",
        "module with a quote",
    ],
)
def test_the_program_is_found_in_what_is_written(agent: str, store: dict[str, str], hook: tuple[str, ...]) -> None:
    at = EVERYTHING._replace(hook=hook, store=store)
    found = [hook_programs(edit.added("")) for edit in integration_for(agent, at).edits]
    assert set().union(*found) == {hook[0]}


@pytest.mark.parametrize("agent", sorted(WITHOUT_HOOKS))
def test_files_that_are_only_read_start_nothing(agent: str) -> None:
    assert not set().union(*(hook_programs(edit.added("")) for edit in integration_for(agent, AT).edits))


def test_paths_of_windows_are_found_too() -> None:
    at = AT._replace(platform="win32", hook=("C:\\Program Files\\afterwit\\afterwit-hook.exe",))
    for agent in ("claude-code", "hermes"):
        found = [hook_programs(edit.added("")) for edit in integration_for(agent, at).edits]
        assert set().union(*found) == {at.hook[0]}


@pytest.mark.parametrize(
    "text", ["", "afterwit-hook claude-code start", '"command": "other-hook start"', "x/afterwit-hook"]
)
def test_what_has_no_absolute_path_is_left_out(text: str) -> None:
    assert hook_programs(text) == set()


SERVED = [each.agent for each in INSTALLERS if each.agent not in {"aider", "grok-cli", "pi"}]


@pytest.mark.parametrize("agent", SERVED)
@pytest.mark.parametrize("program", ["/opt/afterwit/bin/afterwit", "/home/ada's tools/bin/afterwit"])
def test_the_program_of_the_server_is_found_and_the_store_is_none(agent: str, program: str) -> None:
    at = AT._replace(server=(program, "mcp"), store={"AFTERWIT_HOME": "/data/afterwit"})
    assert set().union(*(server_programs(edit.added("")) for edit in integration_for(agent, at).edits)) == {program}
