"""Reading what hosts tell every session."""

from pathlib import Path

from afterwit.agents.registry import instruction_files
from afterwit.sources.checkout import checkout_instructions, home_instructions, project_memory

FILES = instruction_files()


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def test_instruction_files_of_a_checkout_are_read(tmp_path: Path) -> None:
    write(tmp_path / "AGENTS.md", "Run make test.")
    write(tmp_path / ".claude/rules/style.md", "Short functions.")
    write(tmp_path / "README.md", "Not an instruction.")
    assert checkout_instructions(tmp_path, FILES) == {
        "AGENTS.md": "Run make test.",
        ".claude/rules/style.md": "Short functions.",
    }


def test_a_link_that_leads_out_of_the_checkout_is_left_out(tmp_path: Path) -> None:
    write(tmp_path / "elsewhere/secret.md", "secret")
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo/AGENTS.md").symlink_to(tmp_path / "elsewhere/secret.md")
    write(tmp_path / "repo/CLAUDE.md", "Fine.")
    assert checkout_instructions(tmp_path / "repo", FILES) == {"CLAUDE.md": "Fine."}


def test_a_folder_with_the_name_of_a_file_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").mkdir()
    assert checkout_instructions(tmp_path, FILES) == {}


def test_a_huge_file_is_read_in_part(tmp_path: Path) -> None:
    write(tmp_path / "AGENTS.md", "x" * 300_000)
    assert len(checkout_instructions(tmp_path, FILES)["AGENTS.md"]) == 200_000


def test_a_missing_folder_says_nothing(tmp_path: Path) -> None:
    assert checkout_instructions(tmp_path / "gone", FILES) == {}


def test_memory_files_of_agents_are_read(tmp_path: Path) -> None:
    write(tmp_path / ".claude/CLAUDE.md", "Be brief.")
    write(tmp_path / ".codex/memories/tools.md", "Use rg.")
    write(tmp_path / ".claude/projects/-srv-harbour/memory/notes.md", "Tides.")
    assert home_instructions(tmp_path, FILES) == {
        ".claude/CLAUDE.md": "Be brief.",
        ".codex/memories/tools.md": "Use rg.",
    }
    found = project_memory(tmp_path, Path("/srv/harbour"), FILES)
    assert found == {".claude/projects/-srv-harbour/memory/notes.md": "Tides."}
