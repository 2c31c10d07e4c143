import pytest
from tests.every import for_every

from afterwit.agents.registry import instruction_files
from afterwit.model.instruction_files import Instruction, Placed, instruction, place_instruction


@for_every(
    "path, expected",
    [
        ("AGENTS.md", Placed("", "AGENTS.md")),
        ("/srv/orchard/CLAUDE.md", Placed("/srv/orchard", "CLAUDE.md")),
        ("/srv/orchard/.claude/CLAUDE.md", Placed("/srv/orchard", ".claude/CLAUDE.md")),
        ("/srv/orchard/.github/copilot-instructions.md", Placed("/srv/orchard", ".github/copilot-instructions.md")),
        ("/srv/orchard/.cursor/rules/fruit.mdc", Placed("/srv/orchard", ".cursor/rules/fruit.mdc")),
        ("c:\\orchard\\AGENTS.md", Placed("c:/orchard", "AGENTS.md")),
        ("docs/AGENTS.md", Placed("docs", "AGENTS.md")),
        ("README.md", None),
        ("my-AGENTS.md", None),
        (".cursor/rules/deep/fruit.mdc", None),
        ("x/" * 600 + "AGENTS.md", None),
        ("", None),
    ],
)
def test_a_path_is_taken_apart_at_the_longest_name(path: str, expected: Placed | None) -> None:
    assert place_instruction(path, instruction_files().in_checkouts) == expected


def test_home_folders_have_names_of_their_own() -> None:
    assert place_instruction("/home/ada/.codex/AGENTS.md", instruction_files().in_homes) == Placed(
        "/home/ada", ".codex/AGENTS.md"
    )
    assert place_instruction("/home/ada/AGENTS.md", instruction_files().in_homes) is None


@pytest.mark.parametrize("is_whole", [True, False])
def test_what_was_noted_is_read_back(is_whole: bool) -> None:
    found = Instruction(".claude/rules/ripe fruit.md", "Pick it.", is_whole)
    assert instruction(found.head, found.text) == found
