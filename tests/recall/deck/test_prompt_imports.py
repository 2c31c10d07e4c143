"""What a hook loads at the first prompt."""

import subprocess
import sys

_SCRIPT = """
import afterwit.recall.deck.first_prompt
import afterwit.recall.prompt_block
import sys
print(*sys.modules)
"""
_SLOW = (
    "msgspec",
    "re2",
    "json",
    "dataclasses",
    "inspect",
    "pathlib",
    "datetime",
    "click",
    "rich",
    "afterwit.model.zstd",
)


def test_nothing_slow_is_loaded_for_the_first_prompt() -> None:
    found = subprocess.run([sys.executable, "-c", _SCRIPT], capture_output=True, text=True, check=True).stdout.split()
    assert "afterwit.recall.prompt_block" in found
    assert not set(_SLOW) & set(found)
