"""Skills are written and taken back in one way, and what others wrote is left as it was."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.every import for_every

from afterwit.connect.foreign_files import FileRecord, ForeignFile, fingerprint, replace
from afterwit.extras.lab import skill_folders
from afterwit.extras.lab.skill_folders import (
    LONGEST_NAME,
    SkillDocument,
    carry_out,
    keep_bases,
    plan_removal,
    plan_skill,
    skill_document,
    skill_name,
    skill_readers,
    skills_root,
)
from afterwit.model.errors import AfterwitError, UsageError
from afterwit.redaction.shown import ours
from afterwit.store.layout import Layout

NAME = "read-first-3fa9c1aa"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    place = tmp_path / "home"
    place.mkdir()
    return place


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    made = Layout(tmp_path / "store")
    made.create()
    return made


def document(text: str = "Read it first.", version: str = "1.0.0") -> SkillDocument:
    return skill_document(NAME, ours('Edits fail: "old" is not there.'), ours(text), version)


def publish(
    layout: Layout, home: Path, written: SkillDocument, earlier: tuple[FileRecord, ...] = (), seen: str = ""
) -> tuple[FileRecord, ...]:
    change = plan_skill(home / ".claude/skills", written, home, earlier, seen)
    keep_bases(layout, [change])
    carry_out([change])
    return (*earlier, change.record)


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b"" for path in folder.rglob("*")}


def test_the_front_matter_is_what_agents_read() -> None:
    assert document().content.decode() == (
        f"---\nname: {NAME}\n"
        'description: "Edits fail: \\"old\\" is not there."\n'
        'metadata:\n  version: "1.0.0"\n---\n\nRead it first.\n'
    )


@given(st.text(max_size=200), st.text(min_size=1, max_size=40))
def test_names_are_names_whatever_they_are_made_of(words: str, key: str) -> None:
    name = skill_name(words, fingerprint(key.encode("utf-8", "surrogatepass")))
    assert "/" not in name
    assert ".." not in name
    assert skill_document(name, ours("x"), ours("y"), "1.0.0").name == name
    assert len(name) <= LONGEST_NAME


@for_every("name", ["", "../x", "a/b", "A", "a--b", "-a", "a" * 65, "a\n"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="no name for a skill"):
        skill_document(name, ours("x"), ours("y"), "1.0.0")


def test_a_skill_comes_and_goes_without_a_trace(layout: Layout, home: Path) -> None:
    (home / ".claude").mkdir()
    before = tree(home)
    records = publish(layout, home, document())
    assert (home / f".claude/skills/{NAME}/SKILL.md").read_bytes() == document().content
    records = publish(layout, home, document("Read it twice.", "1.0.1"), records)
    carry_out([plan_removal(layout, home, records)])
    assert tree(home) == before


def test_planning_changes_nothing(home: Path) -> None:
    plan_skill(home / ".claude/skills", document(), home)
    assert tree(home) == {}


def test_a_second_time_changes_nothing(layout: Layout, home: Path) -> None:
    records = publish(layout, home, document())
    change = plan_skill(home / ".claude/skills", document(), home, records)
    assert not change.is_needed
    assert carry_out([change]) == []


def test_what_somebody_else_wrote_is_refused(home: Path) -> None:
    path = home / f".claude/skills/{NAME}/SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text("theirs")
    with pytest.raises(UsageError, match="not written by afterwit"):
        plan_skill(home / ".claude/skills", document(), home)


def test_what_a_person_was_shown_is_replaced_and_comes_back(layout: Layout, home: Path) -> None:
    path = home / f".claude/skills/{NAME}/SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"theirs\r\n")
    before = tree(home)
    records = publish(layout, home, document(), seen=fingerprint(b"theirs\r\n"))
    records = publish(layout, home, document("Read it twice.", "1.0.1"), records)
    carry_out([plan_removal(layout, home, records)])
    assert tree(home) == before


def test_what_was_changed_by_hand_is_neither_overwritten_nor_removed(layout: Layout, home: Path) -> None:
    records = publish(layout, home, document())
    path = home / f".claude/skills/{NAME}/SKILL.md"
    path.write_text("mine now")
    with pytest.raises(UsageError, match="changed by hand"):
        plan_skill(home / ".claude/skills", document("new"), home, records)
    with pytest.raises(UsageError, match="changed by hand"):
        plan_removal(layout, home, records)
    assert path.read_text() == "mine now"


def test_files_that_others_put_beside_it_stay(layout: Layout, home: Path) -> None:
    records = publish(layout, home, document())
    beside = home / f".claude/skills/{NAME}/notes.md"
    beside.write_text("mine")
    carry_out([plan_removal(layout, home, records)])
    assert tree(home)[f".claude/skills/{NAME}/notes.md"] == b"mine"
    assert not (beside.parent / "SKILL.md").exists()


def test_a_write_that_was_cut_off_can_be_made_again(layout: Layout, home: Path) -> None:
    records = publish(layout, home, document())
    cut_off = plan_skill(home / ".claude/skills", document("new", "1.0.1"), home, records)
    records = (*records, cut_off.record)
    carry_out([plan_skill(home / ".claude/skills", document("new", "1.0.1"), home, records)])
    assert (home / f".claude/skills/{NAME}/SKILL.md").read_bytes() == document("new", "1.0.1").content


def test_a_full_disk_takes_the_others_back(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changes = [plan_skill(home / root, document(), home) for root in (".claude/skills", ".agents/skills")]
    write = replace

    def failing(file: ForeignFile, content: bytes | None) -> tuple[Path, ...]:
        if ".agents" in str(file.path):
            raise OSError(28, "No space left on device", str(file.path))
        return write(file, content)

    monkeypatch.setattr(skill_folders, "replace", failing)
    with pytest.raises(OSError, match="No space left"):
        carry_out(changes)
    assert tree(home) == {}


@pytest.mark.skipif(os.name != "posix", reason="links as POSIX has them")
def test_a_link_out_of_the_place_is_refused(home: Path, tmp_path: Path) -> None:
    (home / ".claude/skills").mkdir(parents=True)
    (home / f".claude/skills/{NAME}").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(AfterwitError, match="leads out of"):
        plan_skill(home / ".claude/skills", document(), home)


@pytest.mark.skipif(os.name != "posix", reason="links as POSIX has them")
def test_a_linked_place_is_followed(layout: Layout, home: Path, tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    (home / ".claude").mkdir()
    (home / ".claude/skills").symlink_to(tmp_path / "dotfiles")
    records = publish(layout, home, document())
    assert (tmp_path / f"dotfiles/{NAME}/SKILL.md").exists()
    carry_out([plan_removal(layout, home, records)])
    assert list((tmp_path / "dotfiles").iterdir()) == []


def test_places_follow_the_agent_the_variable_and_the_project() -> None:
    home = Path("/home/user")
    assert skills_root("claude-code", home, {}) == home / ".claude/skills"
    assert skills_root("claude-code", home, {"CLAUDE_CONFIG_DIR": "/elsewhere"}) == Path("/elsewhere/skills")
    assert skills_root("codex", home, {"CODEX_HOME": "/elsewhere"}) == home / ".agents/skills"
    assert skills_root("codex", home, {}, Path("/src/orchard")) == Path("/src/orchard/.agents/skills")
    with pytest.raises(UsageError, match="reads no skills"):
        skills_root("aider", home, {})
    with pytest.raises(UsageError, match="reads no skills of projects"):
        skills_root("hermes", home, {}, Path("/src/orchard"))
    assert {"claude-code", "codex"} <= {agent.name for agent in skill_readers()}
