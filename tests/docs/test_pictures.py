"""Terminals in the documentation show what the commands print today, hold nothing of the machine, and can be read."""

import importlib
import re
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree as Xml

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
FOREIGN = re.compile(r"https?://(?!www\.w3\.org/2000/svg)|url\(|@import|@font-face|/(?:tmp|home|root)/")
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def pictures(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(DOCS)
    return importlib.import_module("pictures")


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(DOCS)
    return importlib.import_module("terminal_svg")


@pytest.mark.slow
def test_the_pictures_are_what_the_commands_print_wherever_the_demo_lies(pictures: ModuleType, tmp_path: Path) -> None:
    assert pictures.drawn(tmp_path / "another place") == pictures.present()


def test_a_picture_that_drifted_or_is_left_over_is_noticed(
    pictures: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = pictures.present()
    monkeypatch.setattr(pictures, "drawn", lambda _folder: kept)
    monkeypatch.setattr(pictures, "PLACE", tmp_path)
    assert pictures.main(["--check"]) == 1
    assert pictures.main([]) == 0
    assert pictures.main(["--check"]) == 0
    (tmp_path / "gone.svg").write_text("<svg/>", encoding="utf-8")
    assert pictures.main(["--check"]) == 1
    assert "docs/pictures/gone.svg is not what the commands print. Run `make pictures`." in capsys.readouterr().err
    assert pictures.main([]) == 0
    (tmp_path / "learn.svg").write_text(kept["learn.svg"].replace("21 sessions", "22 sessions"), encoding="utf-8")
    assert pictures.main(["--check"]) == 1


def test_a_command_that_fails_or_prints_its_place_makes_no_picture(
    pictures: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for command, reason in (("afterwit lern", "exit code 2"), ("afterwit config show", "where the demo lies")):
        monkeypatch.setattr(pictures, "PICTURES", (pictures.Picture("odd", "Odd", (command,)),))
        with pytest.raises(pictures.PictureError, match=reason):
            pictures.drawn(tmp_path / command)


def test_every_picture_is_shown_somewhere(pictures: ModuleType) -> None:
    pages = [ROOT / "README.md", *DOCS.rglob("*.md")]
    shown = {name for page in pages for name in re.findall(r"pictures/(\S+\.svg)", page.read_text(encoding="utf-8"))}
    assert pictures.present().keys() - shown == set()


def test_pictures_fetch_nothing_and_say_in_words_what_they_show(pictures: ModuleType) -> None:
    for name, picture in pictures.present().items():
        drawn = Xml.fromstring(picture)
        assert {element.tag.removeprefix(SVG) for element in drawn.iter()} <= {
            *("svg", "title", "desc", "style", "rect", "circle", "text")
        }, name
        assert drawn.findtext(f"{SVG}title"), name
        assert "prefers-color-scheme: dark" in (drawn.findtext(f"{SVG}style") or "")
        assert FOREIGN.findall(picture) == []


def test_every_word_stands_in_its_column(terminal: ModuleType) -> None:
    printed = ["agent   found", "─────", "a <b>  \x1b[31m12\x1b[0m", ""]
    drawn = Xml.fromstring(terminal.terminal_svg("Title", [terminal.Typed("afterwit x", printed)], 20))
    words = [
        (text.text, (int(text.attrib["x"]) - 20) // 8, int(text.attrib["textLength"]) // 8, text.get("class"))
        for text in drawn.iter(f"{SVG}text")
    ]
    assert words == [
        ("$", 0, 1, "soft"),
        ("afterwit x", 2, 10, "typed"),
        ("agent", 0, 5, None),
        ("found", 8, 5, None),
        ("─────", 0, 5, "soft"),
        ("a <b>", 0, 5, None),
        ("12", 7, 2, "bad"),
    ]


@pytest.mark.parametrize("line", ["\x1b[2K", "a\rb", "\x1b[35mx", "a\tb"])
def test_what_a_picture_cannot_show_is_an_error(terminal: ModuleType, line: str) -> None:
    with pytest.raises(ValueError, match="a picture"):
        terminal.terminal_svg("Title", [terminal.Typed("afterwit x", [line])], 20)
