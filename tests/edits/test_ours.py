"""What is ours is told from what only looks like it, and ends well where we are gone."""

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.edits.surroundings import AT

from afterwit.edits.ours import hook_command, is_hook, is_server, powershell_command, server_entry

MUCH = b"x" * 1_000_000  # more than a pipe holds
FAULTS = {
    "gone": None,
    "not executable": "",
    "without its interpreter": "#!/no/such/python\n",
    "broken": "#!/bin/sh\necho Traceback >&2\nexit 1\n",
}


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
    led = "env 'AFTERWIT_HOME=/my data' /opt/afterwit/bin/afterwit-hook pi end"
    assert hook_command(moved, "pi", "end").startswith(f"{led} ")
    assert server_entry(moved)["env"] == {"AFTERWIT_HOME": "/my data"}


def test_only_the_moment_before_an_action_is_told_what_it_may() -> None:
    allowed = AT._replace(may_refuse=True, may_rewrite=True)
    assert " codex before --refuse --rewrite 2>" in hook_command(allowed, "codex", "before")
    assert " codex after 2>" in hook_command(allowed, "codex", "after")


def called(program: Path, shell: str, store: dict[str, str]) -> "subprocess.CompletedProcess[bytes]":
    """A hook as agents call it."""
    command = hook_command(AT._replace(hook=(str(program),), store=store), "codex", "before")
    return subprocess.run([shell, "-c", command], input=MUCH, capture_output=True, check=False)


@pytest.mark.skipif(shutil.which("sh") is None, reason="there is no such shell")
@pytest.mark.parametrize("shell", [name for name in ("sh", "bash", "zsh", "fish") if shutil.which(name)])
@pytest.mark.parametrize("store", [{}, {"AFTERWIT_HOME": "/ada's data"}], ids=["usual store", "store elsewhere"])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_hook_without_its_program_reads_all_and_says_nothing(
    tmp_path: Path, shell: str, store: dict[str, str], fault: str
) -> None:
    program = tmp_path / "ada's $HOME" / "afterwit-hook"
    program.parent.mkdir()
    text = FAULTS[fault]
    if text is not None:
        program.write_text(text)
        program.chmod(0o755 if text else 0o644)
    done = called(program, shell, store)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.skipif(shutil.which("sh") is None, reason="there is no such shell")
def test_a_hook_with_its_program_gets_the_input_and_the_say(tmp_path: Path) -> None:
    program = tmp_path / "ada's $HOME" / "afterwit-hook"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nwc -c\necho "$@"\n')
    program.chmod(0o755)
    assert called(program, "sh", {}).stdout.split() == [b"1000000", b"codex", b"before"]


def test_powershell_looks_for_the_program_first() -> None:
    at = AT._replace(platform="win32", hook=("C:\\Ada's Programs\\afterwit-hook.exe",))
    path = "'C:\\Ada''s Programs\\afterwit-hook.exe'"
    called = f"& {path} 'copilot' 'start'"
    assert powershell_command(at, "copilot", "start") == f"if (Test-Path -LiteralPath {path}) {{ {called} }}; exit 0"
