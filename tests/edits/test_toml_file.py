"""Our tables in a TOML file of somebody else's."""

import tomllib
from pathlib import PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterwit.edits.edits import Presence, UnreadableError
from afterwit.edits.toml_file import TomlFile

HOOK = {"event": "UserPromptSubmit", "command": "/opt/bin/afterwit-hook kimi-code prompt", "timeout": 10}
SERVER = {"command": "/opt/my tools/afterwit", "args": ["mcp"], "env": {"AFTERWIT_HOME": "/data"}}
EDIT = TomlFile(PurePath("config.toml"), hooks=[HOOK, {**HOOK, "event": "SessionEnd"}], server=SERVER)
THEIRS = '''model = "x" # [not a table]
args = [
  [1],
  "[nor this]",
]
text = """
[nor that]
"""

[a.b]
x = 1
# about hooks

[[hooks]]
event = "Stop"
command = "mine"

[ "od.d" . 'k' ]
'''


@pytest.mark.parametrize("text", ["", THEIRS, THEIRS.replace("\n", "\r\n"), "[mcp_servers.other]\ncommand = 'x'\n"])
def test_what_was_added_is_current_added_once_and_removed_exactly(text: str) -> None:
    assert EDIT.presence(text) is Presence.ABSENT
    added = EDIT.added(text)
    assert EDIT.presence(added) is Presence.CURRENT
    assert EDIT.added(added) == added
    assert EDIT.removed(added) == text
    found = tomllib.loads(added)
    assert found["mcp_servers"]["afterwit"] == SERVER
    assert found["hooks"][-2:] == [HOOK, {**HOOK, "event": "SessionEnd"}]


def test_a_last_line_without_an_end_gets_it_back() -> None:
    text = "a = 1"
    assert EDIT.removed(EDIT.added(text), text) == text


def test_a_table_that_the_agent_put_behind_ours_stays() -> None:
    more = '\n# mine\n[projects."/x"]\ntrust_level = "trusted"\n'
    assert EDIT.removed(EDIT.added(THEIRS) + more) == THEIRS + more


def test_a_changed_command_is_replaced() -> None:
    text = EDIT.added(THEIRS).replace("/opt/bin/afterwit-hook", "/old/bin/afterwit-hook")
    assert EDIT.presence(text) is Presence.OUTDATED
    assert EDIT.added(text) == EDIT.added(THEIRS)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a = ", "it is no TOML"),
        ("hooks = []\n", "cannot be added beside what is there"),
        ("[mcp_servers]\nafterwit = { command = 'node' }\n", "is there and was not written by Afterwit"),
        ("[mcp_servers]\nafterwit = { command = '/x/afterwit', args = ['mcp'] }\n", "is not a table of its own"),
    ],
)
def test_what_cannot_be_changed_safely_is_refused(text: str, told: str) -> None:
    with pytest.raises(UnreadableError, match=told):
        EDIT.added(text)


_lines = st.sampled_from(
    ["# c", "", "[t1]", "[t2.x]", "[[many]]", 'k = "[no]"', "l = [1,\n[2]]", "m = '''\n[no]\n'''", "n = { a = 1 }"]
)


@given(st.lists(_lines, max_size=8))
def test_any_file_that_parses_is_restored_exactly(lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    added = EDIT.added(text)
    assert EDIT.removed(added, text) == text
    assert tomllib.loads(EDIT.removed(added)) == tomllib.loads(text)
