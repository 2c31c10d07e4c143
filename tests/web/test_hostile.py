"""Transcripts that mean harm do nothing but show; long ones are shown in windows."""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from tests.homes import learned, lines, world_of
from tests.web.browser import Browser
from tests.web.conftest import place_of

_SCRIPT = "<script>window.pwned = 1</script><img src=x onerror=alert(1)>"
_LINK = "https://evil.example/?q=1 [a](javascript:alert(1)) {{ 7 * 7 }} {% raw %}"
_HIDDEN = "safe\u202egnp.exe \x1b]8;;http://evil\x07link\x1b]8;;\x07 \u2066x\u2069"
_GIANT = "A" * 2_000_000
_EVENTS = 3_000


class _Elements(HTMLParser):
    """What a browser makes elements of, with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, list[tuple[str, str]]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, [(name, value or "") for name, value in attrs]))


def _record(number: int, kind: str, content: Any) -> dict[str, Any]:
    return {
        "type": kind,
        "uuid": f"u{number}",
        "sessionId": "5ea50001-0000-4000-8000-000000000001",
        "timestamp": f"2026-05-01T{number // 3600:02d}:{number // 60 % 60:02d}:{number % 60:02d}.000Z",
        "cwd": "/srv/<b>orchard</b>",
        "gitBranch": '"><script>x</script>',
        "version": "2.1.150",
        "isSidechain": False,
        "message": {"role": kind, "id": f"msg{number}", "model": "m", "content": content},
    }


def _call(number: int, command: str) -> list[dict[str, Any]]:
    used = {"type": "tool_use", "id": f"toolu_{number}", "name": "Bash", "input": {"command": command}}
    result = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": f"{command}\n{_SCRIPT}"}
    return [_record(number, "assistant", [used]), _record(number + 1, "user", [result])]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Browser:
    folder = tmp_path_factory.mktemp("hostile")
    records = [_record(number, "user", text) for number, text in enumerate((_SCRIPT, _LINK, _HIDDEN, _GIANT))]
    records += _call(4, f"echo '{_SCRIPT}'")
    records += [
        _record(number, "assistant", [{"type": "text", "text": f"step {number}"}]) for number in range(6, _EVENTS)
    ]
    _write(
        folder / "home" / ".claude" / "projects" / "-srv-orchard" / "5ea50001-0000-4000-8000-000000000001.jsonl",
        records,
    )
    learned(folder / "home", folder / "store")
    browser = Browser(place_of(world_of(folder / "home", folder / "store")))
    browser.enter()
    return browser


def _write(path: Path, records: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(lines(records))


_PATH = "/sessions/claude-code/5ea50001-0000-4000-8000-000000000001"


@pytest.mark.parametrize("path", [_PATH, "/sessions", "/search?q=pwned", "/", f"{_PATH}?at=0"])
def test_markup_is_text_wherever_it_is_shown(place: Browser, path: str) -> None:
    reply = place.get(path)
    assert reply.status == 200
    elements = _Elements(reply.text).found
    assert {tag for tag, _ in elements}.isdisjoint({"img", "iframe", "b", "style", "object", "svg"})
    assert all(dict(fields).get("src", "").startswith("/static/") for tag, fields in elements if tag == "script")
    names = {name for _, fields in elements for name, _ in fields}
    assert not {name for name in names if name.startswith("on") or name == "style"}


def test_links_and_templates_in_transcripts_are_inert(place: Browser) -> None:
    reply = place.get(_PATH)
    assert "https://evil.example/?q=1" in reply.words
    assert "{{ 7 * 7 }}" in reply.words
    assert [link for link in reply.links if not link.startswith(("/", "#"))] == []


def test_nothing_turns_the_writing_or_drives_a_terminal(place: Browser) -> None:
    text = place.get(_PATH).text
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x1b\x07]", text)
    assert "gnp.exe" in text


def test_a_giant_line_is_cut_and_shown_whole_when_asked_for(place: Browser) -> None:
    page = place.get(_PATH)
    assert len(page.body) < 200_000
    more = next(link for link in page.links if link.startswith("/moment/") and link.endswith("?at=3"))
    assert len(place.get(more).body) > 2_000_000


def test_a_long_session_comes_in_windows_that_lead_to_its_end(place: Browser) -> None:
    seen: list[str] = []
    path = _PATH
    while path:
        reply = place.part(path)
        seen += re.findall(r'id="m-([\d.]+)"', reply.text)
        path = next((link for link in reply.links if "from=" in link), "")
    assert len(seen) == len(set(seen)) == _EVENTS - 1  # the output of the call stands with it
    assert place.get(f"{_PATH}?from=999999").status == 200


def test_more_matches_than_can_be_ranked_are_said_to_be_the_newest(place: Browser) -> None:
    words = place.get("/search?q=step").words
    assert "At least 2,000 matches in at least 1 session" in words
    assert "the newest 1 are shown, newest first" in words
    assert "newest" not in place.get("/search?q=pwned").words


def test_names_in_paths_are_keys_and_never_files(place: Browser) -> None:
    for path in ("/sessions/claude-code/../../etc/passwd", "/export/x/..%2f..%2fetc%2fpasswd", "/knowledge/..%2fx"):
        assert place.get(path).status in (400, 404)
