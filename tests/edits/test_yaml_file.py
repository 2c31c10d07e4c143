"""Our entries in a YAML file of somebody else's."""

from pathlib import PurePath

import pytest
from tests.every import for_every

from afterwit.edits.edits import Presence, UnreadableError
from afterwit.edits.yaml_file import YamlFile

SERVER = {"command": "/opt/bin/afterwit", "args": ["mcp"], "env": {"AFTERWIT_HOME": "/data"}}
EDIT = YamlFile(PurePath("config.yaml"), items={("plugins", "enabled"): "afterwit"}, server=SERVER)
ADDED = """plugins:
  enabled:
    - afterwit
mcp_servers:
  afterwit:
    command: "/opt/bin/afterwit"
    args: ["mcp"]
    env: {"AFTERWIT_HOME": "/data"}
"""


def test_a_new_file_holds_ours_alone() -> None:
    assert EDIT.added("") == ADDED
    assert EDIT.removed(ADDED) == ""


@for_every(
    "text",
    [
        "model:\n  name: x # best\n\n# end\n",
        "plugins:\n  enabled:\n  - one\n  - two\nmcp_servers:\n    other:\n        command: x\n# tail\nz: 1\n",
        "plugins: {}\nmcp_servers: {}  # none\n",
        "plugins:\n  enabled: []\n  disabled: [x]\n",
        "text: |\n  plugins:\n   odd\n\n  end\nplugins:\n  enabled:\n    - one # first\n",
        "---\nx: 1\r\nplugins:\r\n  enabled:\r\n  - q\r\n".replace("---\n", "---\r\n"),
    ],
)
def test_what_was_added_is_current_added_once_and_removed_exactly(text: str) -> None:
    assert EDIT.presence(text) is Presence.ABSENT
    added = EDIT.added(text)
    assert EDIT.presence(added) is Presence.CURRENT
    assert EDIT.added(added) == added
    assert EDIT.removed(added, text) == text


def test_entries_go_where_their_neighbours_are() -> None:
    text = "plugins:\n  enabled:\n  - one\n  other: 1\nz: 2\n"
    assert EDIT._replace(server=None).added(text) == ("plugins:\n  enabled:\n  - one\n  - afterwit\n  other: 1\nz: 2\n")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("plugins:\n  enabled: [one]\n", "line 2: its value stands on one line"),
        ("plugins:\n\tenabled: x\n", "line 2: it is indented with a tab"),
        ("mcp_servers:\n  afterwit:\n    command: node\n", "is there and was not written by Afterwit"),
        ("what is this\n", "line 1: this is not understood"),
        ('{"model": {"a": 1}}', "it is written as JSON"),
    ],
)
def test_what_is_written_in_another_way_is_refused(text: str, told: str) -> None:
    with pytest.raises(UnreadableError, match=told):
        EDIT.added(text)
