"""Connecting changes agents' files in a way that can be seen before, and undone exactly."""

import json
import os
import re
import stat
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from tests.edits.surroundings import AT

from afterwit.agents.registry import INSTALLERS
from afterwit.connect import connections, foreign_files
from afterwit.connect import plan as connecting
from afterwit.connect import plan as planning
from afterwit.connect.plan import (
    FILE,
    NOTHING_YET,
    ConnectPlan,
    Machine,
    apply,
    plan_connection,
    plan_file,
    plan_removal,
    states,
)
from afterwit.edits.edits import Presence
from afterwit.edits.json_file import JsonFile
from afterwit.edits.own_text import OwnFile
from afterwit.edits.toml_file import TomlFile
from afterwit.model.errors import AfterwitError, PartlyDoneError
from afterwit.store.database import connect as store_connect
from afterwit.store.layout import Layout

FURNISHED = {
    ".claude/settings.json": '{\n  // mine\n  "model": "x"\n}\n',
    ".claude.json": '{"projects": {}, "mcpServers": {"other": {"command": "x"}}}',
    ".codex/config.toml": 'model = "x"',
    ".codex/hooks.json": '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}}\n',
    ".gemini/settings.json": '{\n\t"hooks": {},\n\t/* servers */\n\t"mcpServers": {}\n}\n',
    ".hermes/config.yaml": "plugins:\n  enabled:\n  - mine\nmodel: x # best\n",
    ".kimi-code/config.toml": "[models.x]\r\nname = 'x'\r\n",
    ".config/opencode/opencode.jsonc": '{ "theme": "dark", } // end\n',
    ".aider.conf.yml": "dark-mode: true\n",
    "src/orchard/.grok/GROK.md": "Be kind.",
}

UNCHANGED = {"opencode", "pi", "hermes", "aider", "grok-cli", "cursor"}  # their forms end well as they were


@pytest.fixture
def home(tmp_path: Path) -> Path:
    place = tmp_path / "home"
    for name, text in FURNISHED.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(text.encode())
    return place


@pytest.fixture
def machine(home: Path, tmp_path: Path) -> Machine:
    at = AT._replace(user_home=home, project=home / "src/orchard", exists=lambda path: Path(path).exists())
    return Machine(Layout(tmp_path / "store"), at, lambda agent, project: f"notes for {agent}", 1_000)


def tree(home: Path) -> dict[str, bytes | None]:
    """All files and folders below a home."""
    found = sorted(home.rglob("*"))
    return {str(path.relative_to(home)): path.read_bytes() if path.is_file() else None for path in found}


def connect(machine: Machine, name: str) -> ConnectPlan:
    plan = plan_connection(machine, name)
    apply(machine, plan)
    return plan


def disconnect(machine: Machine, agent: str, project: str = "") -> ConnectPlan:
    plan = plan_removal(machine, agent, project)
    apply(machine, plan)
    return plan


def allowed(machine: Machine) -> Machine:
    return machine._replace(at=machine.at._replace(may_refuse=True, may_rewrite=True))


@pytest.mark.parametrize("agent", [each.agent for each in INSTALLERS])
def test_disconnecting_leaves_everything_byte_for_byte_as_it_was(machine: Machine, home: Path, agent: str) -> None:
    before = tree(home)
    connect(machine, agent)
    assert tree(home) != before
    assert plan_connection(machine, agent).needed == ()
    connect(allowed(machine), agent)
    (state,) = states(machine)
    assert (state.agent, state.presence) == (agent, Presence.CURRENT)
    disconnect(machine, agent, state.project)
    assert tree(home) == before
    assert states(machine) == []
    assert list((machine.layout.backups / "connect").glob("*")) == []


@pytest.mark.parametrize("agent", [each.agent for each in INSTALLERS])
def test_without_the_store_only_ours_is_taken_out(machine: Machine, home: Path, tmp_path: Path, agent: str) -> None:
    before = tree(home)
    project = connect(machine, agent).connection.project
    lost = machine._replace(layout=Layout(tmp_path / "another store"))
    apply(lost, plan_removal(lost, agent, project))
    after = tree(home)
    kept = {name: content for name, content in after.items() if content is not None}
    assert {name for name, content in before.items() if content is not None} == set(kept)
    assert not [name for name, content in kept.items() if b"afterwit" in content]


def without_ending_well(text: str) -> str:
    """As files were written before what is in them ended well without the program."""
    older = re.sub(r" 2>/dev/null \|\| cat >/dev/null \|\| :", "", text)
    older = older.replace("\n/opt/afterwit/bin/afterwit-hook cline", "\nexec /opt/afterwit/bin/afterwit-hook cline")
    stood_in = r'"command": "sh",(\s*)"args": \[\s*"-c",\s*"(?:[^"\\]|\\.)*",\s*"([^"]*)",\s*"mcp"\s*\]'
    return re.sub(stood_in, r'"command": "\2",\1"args": ["mcp"]', older)


@pytest.mark.parametrize("agent", [each.agent for each in INSTALLERS])
def test_an_older_form_is_brought_up_to_date(
    machine: Machine, home: Path, monkeypatch: pytest.MonkeyPatch, agent: str
) -> None:
    before = tree(home)
    project = connect(machine, agent).connection.project
    newer = tree(home)
    disconnect(machine, agent, project)
    for edit in (JsonFile, TomlFile, OwnFile):
        now = edit.added
        monkeypatch.setattr(edit, "added", lambda self, text, now=now: without_ending_well(now(self, text)))
    connect(machine, agent)
    assert (tree(home) == newer) == (agent in UNCHANGED)
    monkeypatch.undo()
    connect(machine, agent)
    assert tree(home) == newer
    disconnect(machine, agent, project)
    assert tree(home) == before


@pytest.mark.parametrize("agent", [each.agent for each in INSTALLERS])
def test_an_older_form_is_taken_out_whole(
    machine: Machine, home: Path, monkeypatch: pytest.MonkeyPatch, agent: str
) -> None:
    before = tree(home)
    for edit in (JsonFile, TomlFile, OwnFile):
        now = edit.added
        monkeypatch.setattr(edit, "added", lambda self, text, now=now: without_ending_well(now(self, text)))
    project = connect(machine, agent).connection.project
    monkeypatch.undo()
    disconnect(machine, agent, project)
    assert tree(home) == before


def test_what_others_changed_since_stays(machine: Machine, home: Path) -> None:
    connect(machine, "claude-code")
    settings = home / ".claude/settings.json"
    settings.write_text(settings.read_text().replace('"model": "x"', '"model": "y"'))
    disconnect(machine, "claude-code")
    assert settings.read_text() == FURNISHED[".claude/settings.json"].replace('"x"', '"y"')
    assert (home / ".claude.json").read_text() == FURNISHED[".claude.json"]


def test_connecting_again_after_others_changed_a_file_starts_from_theirs(machine: Machine, home: Path) -> None:
    connect(machine, "codex")
    config = home / ".codex/config.toml"
    config.write_text(config.read_text() + '\n[projects."/x"]\ntrust_level = "trusted"\n')
    connect(allowed(machine), "codex")
    disconnect(machine, "codex")
    assert "afterwit" not in config.read_text()
    assert '[projects."/x"]\ntrust_level = "trusted"\n' in config.read_text()
    assert (home / ".codex/hooks.json").read_text() == FURNISHED[".codex/hooks.json"]


def test_taking_a_permission_back_removes_its_hook_alone(machine: Machine, home: Path) -> None:
    connect(machine, "claude-code")
    usual = tree(home)
    connect(allowed(machine), "claude-code")
    assert "PreToolUse" in (home / ".claude/settings.json").read_text()
    assert states(machine)[0].may_refuse
    connect(machine, "claude-code")
    assert tree(home) == usual


def test_a_file_that_cannot_be_read_stops_everything(machine: Machine, home: Path) -> None:
    (home / ".codex/config.toml").write_text("model = ")
    before = tree(home)
    with pytest.raises(AfterwitError, match=r"config\.toml: it is no TOML.* Nothing was changed\."):
        plan_connection(machine, "codex")
    (home / ".claude/settings.json").write_bytes(b"\xff\xfe{}")
    with pytest.raises(AfterwitError, match="no UTF-8 text"):
        plan_connection(machine, "claude-code")
    (home / ".gemini/settings.json").write_text('{"a": }')
    with pytest.raises(AfterwitError, match="line 1: a value is expected here"):
        plan_connection(machine, "gemini")
    assert set(tree(home)) == set(before)


def test_a_change_in_between_is_noticed(machine: Machine, home: Path) -> None:
    plan = plan_connection(machine, "codex")
    (home / ".codex/config.toml").write_text('model = "y"')
    before = tree(home)
    with pytest.raises(AfterwitError, match="has changed in the meantime"):
        apply(machine, plan)
    assert tree(home) == before


def test_a_file_that_cannot_be_written_takes_the_others_back(
    machine: Machine, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tree(home)
    plan = plan_connection(machine, "codex")
    write = foreign_files.replace

    def failing(found: foreign_files.ForeignFile, content: bytes | None, *, is_executable: bool = False) -> object:
        if found.path.name == "config.toml":
            raise OSError(28, "No space left on device", str(found.path))
        return write(found, content, is_executable=is_executable)

    monkeypatch.setattr(planning, "replace", failing)
    with pytest.raises(OSError, match="No space left"):
        apply(machine, plan)
    assert tree(home) == before
    assert states(machine) == []


@pytest.mark.skipif(os.name != "posix", reason="permissions and links as POSIX has them")
def test_links_and_permissions_are_kept(machine: Machine, home: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "settings.json"
    real.parent.mkdir()
    real.write_text("{}")
    real.chmod(0o640)
    settings = home / ".claude/settings.json"
    settings.unlink()
    settings.symlink_to(real)
    connect(machine, "claude-code")
    assert settings.is_symlink()
    assert "afterwit-hook" in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    disconnect(machine, "claude-code")
    assert settings.is_symlink()
    assert real.read_text() == "{}"


@pytest.mark.skipif(os.name != "posix", reason="permissions as POSIX has them")
def test_scripts_are_executable_and_copies_private(machine: Machine, home: Path) -> None:
    connect(machine, "cline-cli")
    assert os.access(home / ".cline/hooks/PostToolUse", os.X_OK)
    connect(machine, "claude-code")
    copies = list((machine.layout.backups / "connect").iterdir())
    assert [stat.S_IMODE(copy.stat().st_mode) for copy in copies] == [0o600, 0o600]


def test_a_script_of_somebody_else_is_left_alone(machine: Machine, home: Path) -> None:
    script = home / ".cline/hooks/PostToolUse"
    script.parent.mkdir(parents=True)
    script.write_text("#!/bin/sh\necho mine\n")
    with pytest.raises(AfterwitError, match="was not written by afterwit"):
        plan_connection(machine, "cline-cli")


def test_one_file_gets_a_block_that_is_brought_up_to_date(machine: Machine, home: Path) -> None:
    path = home / "src/orchard/AGENTS.md"
    path.write_text("# Orchard")
    apply(machine, plan_file(machine, path))
    assert "notes for file" in path.read_text()
    later = machine._replace(notes=lambda agent, project: "newer notes")
    apply(later, plan_file(later, path))
    assert "newer notes" in path.read_text()
    assert [(state.agent, state.project) for state in states(later)] == [(FILE, str(path))]
    disconnect(machine, FILE, str(path))
    assert path.read_text() == "# Orchard"


def test_a_block_with_nothing_left_to_say_is_taken_out(machine: Machine, home: Path) -> None:
    path = home / "src/orchard/AGENTS.md"
    path.write_text("# Orchard")
    apply(machine, plan_file(machine, path))
    silent = machine._replace(notes=lambda agent, project: "")
    assert [state.presence for state in states(silent)] == [Presence.OUTDATED]
    plan = plan_file(silent, path)
    apply(silent, plan)
    assert (plan.is_empty, path.read_text(), states(silent)) == (True, "# Orchard", [])


def test_an_agent_that_reads_a_file_is_connected_before_anything_is_known(machine: Machine, home: Path) -> None:
    silent = machine._replace(notes=lambda agent, project: "")
    connect(silent, "aider")
    assert NOTHING_YET in (machine.layout.root / "notes" / "aider.md").read_text()


def test_two_projects_of_one_agent_are_independent(machine: Machine, home: Path) -> None:
    other = home / "src/garden"
    other.mkdir()
    before = tree(home)
    elsewhere = machine._replace(at=machine.at._replace(project=other))
    connect(machine, "cursor")
    connect(elsewhere, "cursor")
    disconnect(machine, "cursor", str(machine.at.project))
    assert not (home / "src/orchard/.cursor").exists()
    assert "afterwit" in (home / ".cursor/mcp.json").read_text()
    disconnect(elsewhere, "cursor", str(other))
    assert tree(home) == before


def test_what_is_shown_is_what_changes(machine: Machine) -> None:
    shown = "\n".join(plan_connection(machine, "codex").differences())
    assert "+[mcp_servers.afterwit]" in shown
    assert '+args = ["mcp"]' in shown
    assert "--- " in shown


def test_agents_that_are_on_the_machine_are_found(machine: Machine) -> None:
    found = connecting.present(machine, lambda program: program == "pi")
    assert found == ["claude-code", "codex", "gemini", "kimi-code", "opencode", "hermes", "pi", "aider"]


def test_the_journal_knows_no_home_folder(machine: Machine, home: Path) -> None:
    connect(machine, "codex")
    known = connections.read(machine.layout).by_place["codex", ""]
    assert str(home) not in json.dumps(msgspec.to_builtins(known))


def test_disconnecting_works_while_the_journal_lacks_entries_and_says_so(machine: Machine, home: Path) -> None:
    before = tree(home)
    connect(machine, "claude-code")
    assert tree(home) != before
    with closing(store_connect(machine.layout.journal)) as db:
        db.execute("DELETE FROM entries WHERE number = (SELECT max(number) FROM entries)")
    with pytest.raises(PartlyDoneError, match=r"could not be noted in the journal: .*lacks decisions"):
        disconnect(machine, "claude-code")
    assert b"afterwit" not in b"".join(content or b"" for content in tree(home).values())
