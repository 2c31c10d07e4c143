"""Our hooks and our server in a JSON file of somebody else's."""

import json
from pathlib import PurePath

import pytest

from afterwit.edits.edits import Presence, UnreadableError
from afterwit.edits.json_file import JsonFile, data

OURS = {"hooks": [{"type": "command", "command": "/opt/bin/afterwit-hook gemini start"}]}
THEIRS = {"hooks": [{"type": "command", "command": "/home/ada/greet afterwit-hooky"}]}
SERVER = {"command": "/opt/bin/afterwit", "args": ["mcp"]}
EDIT = JsonFile(PurePath("settings.json"), hooks={"SessionStart": [OURS]}, server=SERVER)
PLAIN = '{\n  "theme": "dark"\n}\n'


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        PLAIN,
        json.dumps({"hooks": {"SessionStart": [THEIRS]}, "mcpServers": {"other": {}}}, indent=4),
        json.dumps({"hooks": {}, "mcpServers": {}}),
        '{ // mine\n  "hooks": {"Stop": []}, /* x */\n}\n',
    ],
)
def test_what_was_added_is_current_added_once_and_removed_again(text: str) -> None:
    assert EDIT.presence(text) is Presence.ABSENT
    added = EDIT.added(text)
    assert EDIT.presence(added) is Presence.CURRENT
    assert EDIT.added(added) == added
    assert data(EDIT.removed(added, text)) == data(text)
    assert data(added)["mcpServers"]["afterwit"] == SERVER


def test_hooks_and_servers_of_others_stay() -> None:
    text = json.dumps({"hooks": {"SessionStart": [THEIRS], "Stop": [THEIRS]}, "mcpServers": {"other": {"a": 1}}})
    removed = EDIT.removed(EDIT.added(text))
    assert removed == text


def test_a_hook_that_somebody_put_into_our_group_stays() -> None:
    document = data(EDIT.added(PLAIN))
    document["hooks"]["SessionStart"][0]["hooks"].append({"type": "command", "command": "mine"})
    assert data(EDIT.removed(json.dumps(document))) == {
        "theme": "dark",
        "hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "mine"}]}]},
    }


def test_an_outdated_hook_is_replaced_and_those_no_longer_wanted_go() -> None:
    before = EDIT._replace(hooks={"SessionStart": [OURS], "PreToolUse": [OURS]})
    text = before.added(PLAIN)
    assert EDIT.presence(text) is Presence.OUTDATED
    assert data(EDIT.added(text)) == data(EDIT.added(PLAIN))


def test_an_empty_list_that_was_there_before_stays() -> None:
    text = '{"hooks": {"SessionStart": []}}'
    assert EDIT.removed(EDIT.added(text), text) == text
    assert EDIT.removed(EDIT.added("")) == ""


def test_a_server_of_our_name_that_is_not_ours_is_left_alone() -> None:
    text = json.dumps({"mcpServers": {"afterwit": {"command": "node", "args": ["their-afterwit.js"]}}})
    with pytest.raises(UnreadableError, match="is there and was not written by Afterwit"):
        EDIT.added(text)
    assert EDIT.removed(text) == text
