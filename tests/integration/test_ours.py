"""What is ours is told from what only looks like it."""

import pytest
from tests.integration.surroundings import AT

from afterwit.integration.ours import hook_command, is_hook, is_server, server_entry


@pytest.mark.parametrize(
    "command",
    [
        "/opt/bin/afterwit-hook codex start",
        "'/opt/my bin/afterwit-hook' codex start",
        "env AFTERWIT_HOME=/data /opt/bin/afterwit-hook codex start",
        "/usr/bin/python3 -I -m afterwit.hook codex start",
        'sh "${PLUGIN_ROOT}/hooks/afterwit.sh" afterwit-hook codex start',
    ],
)
def test_a_command_that_calls_our_hook_is_ours(command: str) -> None:
    assert is_hook({"hooks": [{"type": "command", "command": command}]})


@pytest.mark.parametrize(
    "command", ["echo afterwit", "/bin/my-afterwit-hook2 x", "afterwit-hooks", "-m afterwit.hooks"]
)
def test_a_command_that_mentions_us_is_not(command: str) -> None:
    assert not is_hook({"command": command})


def test_a_server_is_ours_if_it_starts_us() -> None:
    assert is_server(server_entry(AT))
    assert is_server({"type": "local", "command": ["/x/afterwit", "mcp"]})
    assert is_server({"command": "/usr/bin/python3", "args": ["-m", "afterwit", "mcp"]})
    assert not is_server({"command": "node", "args": ["afterwit.js", "mcp"]})
    assert not is_server({"command": "/x/afterwit", "args": ["learn"]})
    assert not is_server("afterwit mcp")


def test_a_store_elsewhere_is_led_to() -> None:
    moved = AT._replace(store={"AFTERWIT_HOME": "/my data"})
    assert hook_command(moved, "pi", "end") == "env 'AFTERWIT_HOME=/my data' /opt/afterwit/bin/afterwit-hook pi end"
    assert server_entry(moved)["env"] == {"AFTERWIT_HOME": "/my data"}


def test_only_the_moment_before_an_action_is_told_what_it_may() -> None:
    allowed = AT._replace(may_refuse=True, may_rewrite=True)
    assert hook_command(allowed, "codex", "before").endswith(" codex before --refuse --rewrite")
    assert hook_command(allowed, "codex", "after").endswith(" codex after")
