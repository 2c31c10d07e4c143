"""Reading with keys alone, searching as one types, scrolling through windows, and all of it without JavaScript."""

import re

import pytest
from playwright.sync_api import expect
from tests.e2e.web.conftest import Enter

pytestmark = pytest.mark.e2e


def test_keys_lead_through_pages_prompts_and_failures(enter: Enter) -> None:
    visitor = enter()
    page = visitor.open("/")
    page.keyboard.press("g")
    page.keyboard.press("s")
    page.wait_for_url("**/sessions")
    page.keyboard.press("/")
    expect(page.get_by_label("Title or first prompt")).to_be_focused()
    page.keyboard.type("frost")
    page.keyboard.press("Enter")
    page.wait_for_url("**/sessions?*text=frost*")
    page.locator("h1").click()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url("**/sessions/claude-code/**")
    page.wait_for_load_state("networkidle")
    page.keyboard.press("j")
    expect(page.locator(".moment.prompt:focus")).to_have_count(1)
    page.keyboard.press("n")
    expect(page.locator(".moment.failed > summary:focus")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator(".moment.failed[open]")).to_have_count(1)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_the_first_tab_leads_past_the_navigation(enter: Enter) -> None:
    page = enter().open("/sessions")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


def test_search_answers_as_one_types(enter: Enter) -> None:
    page = enter().open("/search")
    page.get_by_role("searchbox").first.press_sequentially("pytest")
    expect(page.locator("#found mark").first).to_have_text("pytest")
    expect(page).to_have_url(re.compile("q=pytest"))


def test_without_javascript_search_and_transcripts_are_plain_pages(enter: Enter) -> None:
    page = enter(java_script_enabled=False).open("/search")
    page.get_by_role("searchbox").first.fill("pytest")
    page.get_by_role("button", name="Search").click()
    page.locator("a.match").first.click()
    expect(page.locator(".moment.wanted")).to_have_count(1)
    page.get_by_role("link", name="List the prompts").click()
    expect(page.locator("ol.prompts li").first).to_be_visible()
