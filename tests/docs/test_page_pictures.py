"""Pictures of the web page are noticed when the page they show says something else today."""

import importlib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def texts(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "docs")
    return importlib.import_module("page_texts")


def test_every_picture_is_of_the_page_as_it_is(texts: ModuleType) -> None:
    assert texts.faults() == [], "look at the pages, then run `make screens`"


@pytest.mark.slow
def test_a_picture_of_another_page_or_without_its_text_is_noticed(
    texts: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    monkeypatch.setattr(texts, "FOLDER", folder)
    monkeypatch.setattr(texts, "PAGES", {"more": "/more"})
    (folder / "more.png").write_bytes(b"one")
    texts.write()
    assert texts.faults() == []
    (folder / "more.png").write_bytes(b"another")
    assert texts.faults() == ["docs/pictures/more.png and .txt were not written together"]
    text = folder / "more.txt"
    text.write_text(text.read_text(encoding="utf-8").replace("Guards", "Gates"), encoding="utf-8")
    assert "docs/pictures/more.png shows another page than there is" in texts.faults()
