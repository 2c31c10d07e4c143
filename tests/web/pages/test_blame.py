"""Who wrote the lines of a file, on the page, and what of a session still stands."""

from pathlib import Path

import pytest
from tests.homes import learned, world_of
from tests.recall.writers import ClaudeWriter
from tests.sources.checkouts import Worked, worked
from tests.web.browser import Browser
from tests.web.conftest import place_of

PRESS = "def turn_the_press(barrel):\n    wooden_screw = barrel.screw_of_oak()\n    return wooden_screw\n"


@pytest.fixture
def place(tmp_path: Path) -> Worked:
    made = worked(tmp_path / "home" / "orchard")
    writer = ClaudeWriter("5ea50077", str(made.root)).prompt("Build a press that turns <slowly>")
    writer.write(str(made.root / "press.py"), PRESS).write(str(made.root / "gone.py"), PRESS).put(tmp_path / "home")
    made.commit({"press.py": PRESS + "print_by_hand()\n"}, "Build the press", 600)
    (tmp_path / "home" / "secret.txt").write_text("nothing for the page\n")
    return made


@pytest.fixture
def seen(tmp_path: Path, place: Worked) -> Browser:
    assert place.root.exists()
    learned(tmp_path / "home", tmp_path / "store")
    browser = Browser(place_of(world_of(tmp_path / "home", tmp_path / "store")))
    browser.enter()
    return browser


def test_lines_lead_to_the_edit_that_wrote_them(seen: Browser) -> None:
    reply = seen.get("/blame?repo=orchard&file=press.py")
    assert reply.status == 200
    assert "Build a press that turns &lt;slowly&gt;" in reply.text
    assert "no known session wrote this" in reply.words
    (edit,) = [link for link in reply.links if "?at=" in link]
    moment = edit.partition("#")[2]
    assert f'id="{moment}"' in seen.get(edit.partition("#")[0]).text


def test_a_session_leads_to_what_of_it_still_stands_and_that_to_its_lines(seen: Browser) -> None:
    (stands,) = [link for link in seen.get("/sessions/claude-code/5ea50077").links if link.startswith("/blame")]
    reply = seen.get(stands.replace("&amp;", "&"))
    assert "press.py 3 3" in " ".join(reply.words.split())
    assert "gone.py 0 3" in " ".join(reply.words.split())
    (lines,) = [link for link in reply.links if "file=" in link]
    assert "Build a press" in seen.get(lines.replace("&amp;", "&")).words


def test_without_a_file_it_asks_for_one(seen: Browser) -> None:
    reply = seen.get("/blame")
    assert reply.status == 200
    assert 'name="file"' in reply.text


@pytest.mark.parametrize("file", ["../secret.txt", "nothing.py", "{home}/secret.txt", "link.txt"])
def test_nothing_outside_the_checkout_is_looked_at(seen: Browser, place: Worked, tmp_path: Path, file: str) -> None:
    (place.root / "link.txt").symlink_to(tmp_path / "home" / "secret.txt")
    reply = seen.get(f"/blame?repo=orchard&file={file.format(home=tmp_path / 'home')}")
    assert reply.status == 400
    assert "There is no file" in reply.words
