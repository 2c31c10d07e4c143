"""What CONTRIBUTING names is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_NAMED = re.compile(
    r"`((?:src|tests|docs|store|model|agents|actions|harvest|cli|config|knowledge|extras)/[\w./-]+\.\w+)`"
)
_SOURCE = "src/afterwit"


def named_files() -> list[str]:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return sorted({name for name in _NAMED.findall(text) if "<" not in name})


@pytest.mark.parametrize("name", named_files())
def test_a_file_that_contributing_names_is_there(name: str) -> None:
    assert (ROOT / name).exists() or (ROOT / _SOURCE / name).exists()


def test_contributing_names_files() -> None:
    assert len(named_files()) > 20
