"""Every change from the page, and its undo, as a person clicks them; then without JavaScript."""

import re

import pytest
from playwright.sync_api import expect
from tests.e2e.web.conftest import Enter

from afterwit.extras.demo.run import SHOWN

pytestmark = pytest.mark.e2e
_USED = r"When pytest is not found here"


def test_what_waits_is_decided_in_place_and_undone(enter: Enter) -> None:
    visitor = enter()
    page = visitor.open("/")
    card = page.locator(".note", has_text="line for the changelog")
    for label, decided in (("Approve", "in use"), ("Reject", "")):
        card.get_by_role("button", name=re.compile(f"^{label}")).click()
        expect(card.get_by_role("status")).to_contain_text("Decided")
        if decided:
            expect(card.locator(".tag").first).to_have_text(decided)
        card.get_by_role("button", name="Undo").click()
        expect(card.locator(".tag").first).to_have_text("needs your approval")
    assert page.url.rstrip("/") == visitor.site.root


def test_what_is_told_unseen_is_approved_rejected_and_undone_by_one_key_each(enter: Enter) -> None:
    page = enter().open("/")
    expect(page.get_by_role("heading", name="In use, not looked at")).to_be_visible()
    cards = page.locator("#unseen ~ .note")
    page.keyboard.press("j")
    while not page.locator("#unseen ~ .note.current").count():
        page.keyboard.press("j")
    page.keyboard.press("y")
    expect(cards.nth(0).get_by_role("status")).to_contain_text("Decided: approve")
    page.keyboard.press("n")
    expect(cards.nth(1).get_by_role("status")).to_contain_text("Decided: reject")
    expect(page.locator(".htmx-request, .htmx-settling, .htmx-added, .htmx-swapping")).to_have_count(0)
    page.keyboard.press("u")
    expect(cards.nth(1).get_by_role("status")).to_contain_text("Undone")
    expect(cards.nth(0).get_by_role("status")).to_contain_text("Decided: approve")


def test_a_note_gets_other_words_and_its_old_ones_back(enter: Enter) -> None:
    page = enter().open("/")
    card = page.locator(".note", has_text="line for the changelog")
    card.get_by_text("Edit", exact=True).click()
    card.get_by_role("textbox").fill("Every change gets its line in CHANGES.md.")
    card.get_by_role("button", name="Save").click()
    edited = page.locator(".note", has_text="its line in CHANGES.md")
    expect(edited.locator(".tag").first).to_have_text("in use")
    edited.get_by_role("button", name="Undo").click()
    expect(page.locator(".note", has_text="line for the changelog")).to_be_visible()


@pytest.mark.parametrize("has_script", [True, False])
def test_pinning_retiring_and_undoing_from_the_page_of_a_note(enter: Enter, has_script: bool) -> None:
    page = enter(java_script_enabled=has_script).open("/knowledge?q=pytest")
    page.get_by_role("link", name=re.compile(_USED)).click()
    page.get_by_role("button", name=re.compile("^Pin")).click()
    expect(page.get_by_role("button", name=re.compile("^Unpin"))).to_be_visible()
    page.get_by_role("status").get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name=re.compile("^Pin"))).to_be_visible()
    page.get_by_role("button", name=re.compile("^Retire")).click()
    expect(page.locator(".tag").first).to_have_text("retired")
    page.get_by_role("status").get_by_role("button", name="Undo").click()
    expect(page.locator(".tag").first).to_have_text("in use")


def test_a_check_is_tried_turned_on_and_undone_by_one_key_each(enter: Enter) -> None:
    page = enter().open("/more/checks?repo=github.com/acme/orchard")
    page.get_by_role("textbox").fill("uv run pytest instead of pytest")
    page.get_by_role("button", name="Add and try").click()
    expect(page.locator("#tried")).to_contain_text("On past sessions")
    page.keyboard.press("y")
    expect(page.get_by_role("status")).to_contain_text("Decided: turn on the check")
    expect(page.locator(".tag")).to_have_text("on")
    page.keyboard.press("u")
    expect(page.locator(".tag")).to_have_text("off")
    page.keyboard.press("j")
    page.keyboard.press("y")
    expect(page.locator("#tried")).to_contain_text("On past sessions")


def test_forgetting_a_session_shows_its_plan_first_and_can_be_undone(enter: Enter) -> None:
    visitor = enter()
    page = visitor.open("/knowledge?q=pytest")
    page.get_by_role("link", name=re.compile(_USED)).click()
    before = page.locator("article.card").count()
    page.get_by_role("link", name="Forget all from this session…").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Forget what was learned")
    page.get_by_role("button", name="Forget it").click()
    expect(page.get_by_role("status").first).to_contain_text("forget session")
    page.get_by_role("button", name="Undo").click()
    visitor.open("/knowledge?q=pytest")
    page.get_by_role("link", name=re.compile(_USED)).click()
    expect(page.locator("article.card")).to_have_count(before)


def test_an_original_is_pinned_and_let_go(enter: Enter) -> None:
    page = enter().open("/sessions")
    page.locator("td.lead a").first.click()
    page.get_by_role("button", name="Pin the original").click()
    page.get_by_role("button", name="Unpin the original").click()
    expect(page.get_by_role("button", name="Pin the original")).to_be_visible()


def test_a_folder_is_left_out_and_taken_in_again(enter: Enter) -> None:
    page = enter().open("/more/settings")
    page.get_by_role("textbox").fill("folder:/srv/private/**")
    page.get_by_role("button", name="Leave out").click()
    entry = page.locator("li", has_text="folder:/srv/private/**")
    entry.get_by_role("button", name="Take in again").click()
    expect(page.get_by_text("folder:/srv/private/**")).to_have_count(0)


def test_a_link_is_copied_and_leads_to_the_session(enter: Enter) -> None:
    visitor = enter(permissions=["clipboard-read", "clipboard-write"])
    page = visitor.open(f"/session?id={SHOWN}")
    page.get_by_role("button", name="Copy the link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.url.partition("?")[0]
    page.goto(copied)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Frost")
