"""What is behind More: every change and its undo, by clicks, by keys, and without JavaScript."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.e2e.web.conftest import Enter, Site, demo_world, served
from tests.web.stores import REPO, drawn_store, furnished

pytestmark = pytest.mark.e2e
_APPROVE, _REJECT = (re.compile(f"^{verb}: When .pytest. is not found") for verb in ("Approve", "Reject"))


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    yield from served(furnished(demo_world(tmp_path), tmp_path / "src" / "orchard"))


def _bar(page: Page) -> None:
    """Takes back what was just done."""
    page.get_by_role("status").get_by_role("button", name="Undo").click()


@pytest.mark.parametrize("has_script", [True, False])
def test_a_pattern_is_approved_edited_rejected_and_each_is_undone(enter: Enter, has_script: bool) -> None:
    page = enter(java_script_enabled=has_script).open("/more/patterns")
    card = page.locator("article").filter(has=page.get_by_role("button", name=_APPROVE))
    page.get_by_role("button", name=_APPROVE).click()
    expect(page.get_by_role("status").first).to_contain_text("approved")
    _bar(page)
    expect(page.get_by_role("status").first).to_contain_text("Undone.")
    card.get_by_text("Edit", exact=True).click()
    card.get_by_role("textbox").fill("Call it with uv run pytest.")
    card.get_by_role("button", name="Save").click()
    expect(page.get_by_role("row", name=re.compile("approved"))).to_be_visible()
    _bar(page)
    page.get_by_role("button", name=_REJECT).click()
    expect(page.get_by_role("row", name=re.compile("rejected"))).to_be_visible()
    _bar(page)
    expect(page.get_by_role("button", name=_APPROVE)).to_be_visible()


def test_a_pattern_is_handed_to_agents_as_a_skill_and_taken_back(enter: Enter, tmp_path: Path) -> None:
    visitor = enter()
    page = visitor.open("/more/patterns")
    page.get_by_role("button", name=_APPROVE).click()
    page.locator("td.lead a").first.click()
    page.get_by_role("link", name="As a skill…").click()
    expect(page.locator(".diff .added").first).to_be_visible()
    home = Path(visitor.site.environ["HOME"])
    assert not list(home.glob(".claude/skills/*/SKILL.md")), "a plan writes nothing"
    page.get_by_role("button", name="Publish it").click()
    expect(page.get_by_role("status").first).to_contain_text("Published.")
    assert list(home.glob(".claude/skills/*/SKILL.md"))
    page.get_by_role("link", name="Take it back…").first.click()
    page.get_by_role("button", name="Take it back").click()
    expect(page.get_by_role("status").first).to_contain_text("Taken back.")
    assert not list(home.glob(".claude/skills/*/SKILL.md"))


def test_what_agents_are_told_of_a_fix_is_rejected_in_place_and_undone(enter: Enter) -> None:
    page = enter().open(f"/more/guards?repo={REPO}&state=guarded")
    page.locator("td.lead a").first.click()
    note = page.locator(".note")
    note.get_by_role("button", name=re.compile("^Reject")).click()
    expect(note.get_by_role("status")).to_contain_text("Decided")
    note.get_by_role("button", name="Undo").click()
    expect(note.get_by_role("button", name=re.compile("^Reject"))).to_be_visible()


def test_a_fix_that_was_not_checked_says_what_would_run_and_where(enter: Enter) -> None:
    page = enter().open(f"/more/guards?repo={REPO}&state=not-checked")
    page.locator("td.lead a").first.click()
    expect(page.locator(".next")).to_contain_text("afterwit guards check")
    expect(page.locator(".diff .added").first).to_be_visible()


def test_keys_alone_lead_to_a_guard_and_through_a_change_and_its_undo(enter: Enter) -> None:
    page = enter().open("/")
    for key in ("g", "m"):
        page.keyboard.press(key)
    page.wait_for_url("**/more")
    page.keyboard.press("j")
    expect(page.get_by_role("link", name="Patterns", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/more/patterns")
    page.get_by_role("button", name=re.compile("^Approve")).first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/more/patterns?decided=*")
    page.get_by_role("button", name="Undo").focus()
    page.keyboard.press("Space")
    page.wait_for_url("**/more/patterns?said=undone")


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (360, "dark")])
def test_every_plot_is_drawn_with_its_intervals_and_fits(
    enter: Enter, tmp_path: Path, site: Site, width: int, scheme: str
) -> None:
    visitor = enter(width, color_scheme=scheme)
    page = visitor.open("/proof")
    expect(page.locator(".plot canvas")).to_have_count(2)
    assert not visitor.is_wider_than_the_window()
    assert visitor.serious_findings() == []


class TestWithDraws:
    """Sessions of which a half was told something."""

    @pytest.fixture
    def site(self, tmp_path: Path) -> Iterator[Site]:
        yield from served(drawn_store(tmp_path))

    @pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (360, "dark")])
    def test_the_effect_is_drawn_and_leads_to_its_sessions(self, enter: Enter, width: int, scheme: str) -> None:
        visitor = enter(width, color_scheme=scheme)
        page = visitor.open("/proof?compare=now")
        expect(page.locator(".plot canvas")).to_have_count(1)
        assert not visitor.is_wider_than_the_window()
        assert visitor.serious_findings() == []
        page.get_by_role("link", name=re.compile("failed actions in 100")).click()
        page.locator("td.lead a").first.click()
        expect(page.locator(".moment.prompt").first).to_be_visible()
