import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from afterwit.recall.deck.write import DeckBlock, DeckContent, DeckSettings, write_deck
from afterwit.recall.prompt_block import BlockLine, BlockSection
from afterwit.redaction.shown import ours
from afterwit.store.layout import Layout


@pytest.mark.parametrize("command", [["afterwit", "hook"], ["afterwit.hook"]])
def test_the_hook_can_be_called_through_the_command_too(tmp_path: Path, command: list[str]) -> None:
    layout = Layout(tmp_path / "store")
    layout.create()
    blocks = [DeckBlock((BlockSection(ours(""), (BlockLine("one", ours("- One.")),)),))]
    write_deck(layout.deck, DeckContent(DeckSettings(key=b"k", session_share=0, item_share=0), blocks=blocks))
    ran = subprocess.run(
        [sys.executable, "-m", *command, "codex", "start", "--refuse"],
        input=json.dumps({"session_id": "s", "cwd": str(tmp_path)}),
        capture_output=True,
        text=True,
        env={"HOME": str(tmp_path), "AFTERWIT_HOME": str(layout.root), "PATH": os.environ.get("PATH", "")},
        check=True,
    )
    assert "- One." in json.loads(ran.stdout)["hookSpecificOutput"]["additionalContext"]
    assert ran.stderr == ""
