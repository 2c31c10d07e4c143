"""Manual pages say what the reference pages say, in roff that nothing in the text can break."""

import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def man(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(DOCS)
    return importlib.import_module("man")


def test_every_command_gets_a_page_and_a_short_name_leads_to_it(man: ModuleType, tmp_path: Path) -> None:
    assert man.main([str(tmp_path)]) == 0
    pages = {page.stem: page.read_text(encoding="utf-8") for page in (tmp_path / "man1").iterdir()}
    reference = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "reference" / "commands").glob("*.md"))
    sections = {name.replace(" ", "-") for name in re.findall(r"^##? (afterwit.*)$", reference, re.MULTILINE)}
    assert sections == {name for name, page in pages.items() if not page.startswith(".so ")}
    assert pages["afterwit-search"] == ".so man1/afterwit-sessions-search.1\n"
    assert "\\fB\\-\\-dry\\-run\\fR\n" in pages["afterwit-learn"]


def test_a_page_of_a_command_that_is_gone_is_removed(man: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "man1").mkdir()
    (tmp_path / "man1" / "afterwit-teach.1").write_text("", encoding="utf-8")
    assert man.main([str(tmp_path)]) == 0
    assert not (tmp_path / "man1" / "afterwit-teach.1").exists()


def test_no_text_becomes_a_request(man: ModuleType, tmp_path: Path) -> None:
    text = man.CommandText("afterwit x", "afterwit x", (".so evil", "a \\n ◆"), (), {}, "", (), (), ("'br",))
    page = man.manual_page(text).splitlines()
    assert "\\&.so evil" in page
    assert "a \\en \\[u25C6]" in page
    assert "\\&'br" in page


def test_a_folder_must_be_named(man: ModuleType) -> None:
    assert man.main([]) == 2
