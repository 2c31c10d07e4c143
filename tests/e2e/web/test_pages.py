"""Every page, wide and narrow, light and dark: a silent console, nothing too wide, nothing that shuts people out."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.e2e.web.conftest import Enter, Site, Visitor, demo_world, served
from tests.web.stores import furnished

pytestmark = pytest.mark.e2e
_REPO = "github.com/acme/orchard"
_PAGES = (
    "/",
    f"/brief?repo={_REPO}",
    "/knowledge",
    "/knowledge?status=all",
    f"/knowledge/told?repo={_REPO}&task=frost+warnings",
    "/sessions",
    "/sessions?outcome=failure",
    "/search",
    "/search?q=pytest",
    "/proof",
    "/proof?compare=now",
    "/proof/figure?figure=failures",
    "/more",
    f"/more/checks?repo={_REPO}",
    "/more/guards",
    f"/more/guards?repo={_REPO}",
    "/more/patterns",
    "/more/skills",
    "/more/skills/show?name=release-notes",
    "/more/templates",
    f"/more/places?repo={_REPO}&task=frost",
    "/more/settings",
    "/more/doctor",
)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    yield from served(furnished(demo_world(tmp_path), tmp_path / "src" / "orchard"))


def _every_page(visitor: Visitor) -> list[str]:
    """All of them, with the first note and the first session that the lists lead to."""
    page = visitor.open("/knowledge")
    note = page.locator(".note-sentence a").first.get_attribute("href")
    page = visitor.open("/sessions?sort=actions")
    session = page.locator("td.lead a").first.get_attribute("href")
    assert note is not None
    assert session is not None
    page = visitor.open("/more/templates")
    further = [page.locator("td.lead a").first.get_attribute("href")]
    page = visitor.open("/more/patterns")
    pattern = page.locator(".note-sentence a").first.get_attribute("href")
    further += [pattern, f"/more/guards?repo={_REPO}&state=not-checked"]
    page = visitor.open(f"/more/guards?repo={_REPO}")
    fixes = page.locator("td.lead a").all()
    further += [fix.get_attribute("href") for fix in fixes]
    kinds = [session.replace("/sessions/", f"/{kind}/", 1) for kind in ("prompts",)]
    return [
        *_PAGES,
        *map(str, further),
        note,
        session,
        f"{session}?from=5",
        *kinds,
        f"{session.replace('/sessions/', '/moment/', 1)}?at=2",
    ]


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (360, "dark")])
def test_every_page_can_be_read_by_everybody(enter: Enter, width: int, scheme: str) -> None:
    visitor = enter(width, color_scheme=scheme)
    findings: list[str] = []
    for path in _every_page(visitor):
        visitor.open(path)
        findings += [f"{path} {finding}" for finding in visitor.serious_findings()]
        if visitor.is_wider_than_the_window():
            findings.append(f"{path} is wider than {width}")
    assert findings == []


def _is_download(path: str) -> bool:
    return "keep=1" in path or path.endswith("/export")


def test_no_link_leads_nowhere(enter: Enter) -> None:
    visitor = enter()
    seen: set[str] = set()
    waiting = ["/"]
    while waiting:
        path = waiting.pop()
        seen.add(path)
        page = visitor.open(path)
        found = page.eval_on_selector_all("a[href]", "links => links.map(link => link.getAttribute('href'))")
        for link in found:
            plain = link.partition("#")[0]
            assert plain.startswith("/") or not plain, f"{path} leads to {link}"
            kind = plain.partition("?")[0]
            is_new = plain and plain not in seen and plain not in waiting
            alike = [known for known in (*seen, *waiting) if known.startswith(kind[:14])]
            if is_new and len(alike) < 6 and not kind.startswith("/export/") and not _is_download(plain):
                waiting.append(plain)
    assert len(seen) > 20
