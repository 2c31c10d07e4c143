"""What stood on the pages of the web page when their pictures were taken: a text beside each picture, to notice that it
is stale.

Pixels differ from machine to machine; what a page says and of which parts it is made does not. So `make screens` writes
both, and a test renders the pages again, from the demo of one fixed day and without a browser, and compares. The text
names the picture that it was written with, so that one is not changed without the other.
"""

import datetime as dt
import hashlib
import re
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path

from tests.demo_store import learned_demo
from tests.homes import NOW_MS
from tests.web.browser import Browser
from tests.web.conftest import place_of
from tests.web.stores import replayed

from afterwit.extras.demo.run import SHOWN, DemoPlace, demo_of

FOLDER = Path(__file__).parent / "pictures"
PAGES = {
    "today": "/",
    "transcript": f"/session?id={SHOWN}",
    "note": "/knowledge/79f4ed",
    "search": "/search?q=pytest",
    "proof": "/proof",
    "patterns": "/more/patterns",
}
_VARYING = (
    (re.compile(r"‹(\w+):[0-9a-f]+›"), r"‹\1›"),  # keyed with what is drawn for every store
    (re.compile(r"\b[\d.,]+ [kKMG]?B\b"), "… B"),  # of files that are packed
)


class _MainParts(HTMLParser):
    """The parts of a page below `main`: each text with the element that it stands in. What a closed list holds besides
    what is chosen stands in no picture."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in ("input", "br", "link", "meta", "hr"):
            shown = given.get("type") != "hidden" and self._is_inside()
            self.lines += [f"{tag} {given.get('placeholder') or given.get('name') or ''}".rstrip()] if shown else []
            return
        self._open.append(".".join((tag, *(given.get("class") or "").split())))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop().partition(".")[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if text := " ".join(data.split()):
            self.lines += [f"{self._open[-1]}: {text}"] if self._is_inside() else []

    def _is_inside(self) -> bool:
        names = [name.partition(".")[0] for name in self._open]
        return "main" in names and "option" not in names


def rendered() -> dict[str, str]:
    """What the pages say today, from a demo in a folder of its own: words of its path would be found by a search."""
    with tempfile.TemporaryDirectory(prefix="afterwit-pages-") as folder:
        demo = DemoPlace(learned_demo(Path(folder, "demo")), sys.platform)
        world = demo_of(demo, NOW_MS).world._replace(zone=dt.UTC)
        replayed(world)
        browser = Browser(place_of(world))
        browser.enter()
        return {name: _text(browser, path) for name, path in PAGES.items()}


def present() -> dict[str, str]:
    """What they said when the pictures were taken."""
    files = {file.stem: file.read_text(encoding="utf-8") for file in sorted(FOLDER.glob("*.txt"))}
    return {name: text.partition("\n")[2] for name, text in files.items()}


def faults() -> list[str]:
    """Which pictures are not of the pages as they are."""
    now, then = rendered(), present()
    found = [
        f"docs/pictures/{name}.png shows another page than there is" for name in now if now[name] != then.get(name)
    ]
    found += [f"docs/pictures/{name}.txt belongs to no picture" for name in then.keys() - now.keys()]
    return found + [
        f"docs/pictures/{name}.png and .txt were not written together"
        for name in now.keys() & then.keys()
        if (FOLDER / f"{name}.txt").read_text(encoding="utf-8").partition("\n")[0] != _mark(name)
    ]


def write() -> None:
    """Writes the texts beside pictures that were just taken."""
    for name, text in rendered().items():
        (FOLDER / f"{name}.txt").write_text(f"{_mark(name)}\n{text}", encoding="utf-8")


def _text(browser: Browser, path: str) -> str:
    reply = browser.get(path)
    if reply.status == 303:
        reply = browser.get(reply.headers["location"])
    parts = _MainParts()
    parts.feed(reply.text)
    text = "\n".join(parts.lines) + "\n"
    for varying, plain in _VARYING:
        text = varying.sub(plain, text)
    return text


def _mark(name: str) -> str:
    picture = FOLDER / f"{name}.png"
    return f"picture {hashlib.sha256(picture.read_bytes()).hexdigest()[:16]}" if picture.exists() else "no picture"
