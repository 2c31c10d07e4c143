"""Nobody but the browser that was given the link gets an answer, and nothing but our own pages changes anything."""

import pytest
from tests.web.browser import ORIGIN, PORT, Browser

from afterwit.web.safety import LARGEST_BODY, Guarded

_STRICT = {
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
}


@pytest.fixture
def stranger(browser: Browser) -> Browser:
    """The same run, asked by somebody without the cookie."""
    browser.cookie = ""
    return browser


def test_the_link_becomes_a_strict_cookie_and_leaves_the_address_bar(browser: Browser) -> None:
    fresh = Browser(lambda: pytest.fail("nothing is opened for the entry"))
    reply = fresh.enter()
    assert (reply.status, reply.headers["location"]) == (303, "/")
    assert "HttpOnly" in reply.headers["set-cookie"]
    assert "SameSite=Strict" in reply.headers["set-cookie"]
    assert fresh.keys.link not in reply.headers["set-cookie"]


def test_the_link_counts_once(browser: Browser) -> None:
    assert browser.enter().status == 303  # this browser is in already
    browser.cookie = ""
    reply = browser.enter()
    assert reply.status == 403
    assert "counts once" in reply.text
    assert "set-cookie" not in reply.headers


def test_a_form_in_a_file_of_the_owner_posts_the_token_and_is_led_on_by_a_page_of_ours() -> None:
    """A redirect would still count as sent by the file, and browsers send no strict cookie along with that."""
    fresh = Browser(lambda: pytest.fail("nothing is opened for the entry"))
    from_file = {"origin": "null", "sec-fetch-site": "cross-site"}
    reply = fresh.ask("POST", "/enter", f"token={fresh.keys.link}".encode(), from_file)
    assert (reply.status, "location" in reply.headers) == (200, False)
    assert 'http-equiv="refresh"' in reply.text
    assert "SameSite=Strict" in reply.headers["set-cookie"]
    again = fresh.ask("POST", "/enter", f"token={fresh.keys.link}".encode(), from_file)
    assert (again.status, "set-cookie" in again.headers) == (403, False)


@pytest.mark.parametrize("body", [b"", b"token=guess", b"token=" + b"x" * (LARGEST_BODY + 1)])
def test_a_form_without_the_token_does_not_get_in(stranger: Browser, body: bytes) -> None:
    reply = stranger.ask("POST", "/enter", body, {"origin": "null", "sec-fetch-site": "cross-site"})
    assert reply.status in (403, 413)
    assert "set-cookie" not in reply.headers


def test_asking_for_the_headers_does_not_use_the_link_up() -> None:
    fresh = Browser(lambda: pytest.fail("nothing is opened for the entry"))
    reply = fresh.ask("HEAD", fresh.app.entry_path())
    assert (reply.status, "set-cookie" in reply.headers, reply.body) == (204, False, b"")
    assert fresh.enter().status == 303


def test_a_socket_of_another_user_is_refused_before_anything_else(browser: Browser) -> None:
    browser.app = Guarded(browser.app, browser.keys, PORT, is_foreign=lambda client: client == ("127.0.0.1", 50000))
    assert browser.get("/sessions").status == 403


@pytest.mark.parametrize("path", ["/sessions", "/", "/static/page.css", "/search?q=pytest", "/enter", "/enter?token=x"])
def test_without_the_token_there_is_nothing_to_see(stranger: Browser, path: str) -> None:
    reply = stranger.get(path)
    assert reply.status == 403
    assert "orchard" not in reply.text


@pytest.mark.parametrize("cookie", [f"afterwit_{PORT}=guess", "other=1", "=;=;", 'a="\\'])
def test_a_wrong_cookie_is_none(stranger: Browser, cookie: str) -> None:
    stranger.cookie = cookie
    assert stranger.get("/sessions").status == 403


@pytest.mark.parametrize("host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", f"127.0.0.1:{PORT + 1}", ""])
def test_a_rebound_host_is_refused_even_with_the_cookie(browser: Browser, host: str) -> None:
    assert browser.get("/sessions", host=host).status == 421


def test_localhost_is_this_machine_too(browser: Browser) -> None:
    assert browser.get("/sessions", host=f"localhost:{PORT}").status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "null", "sec_fetch_site": "cross-site"},
        {"origin": f"http://127.0.0.1:{PORT + 1}"},
        {"origin": f"https://127.0.0.1:{PORT}"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
    ],
)
def test_another_origin_neither_reads_nor_changes(browser: Browser, headers: dict[str, str]) -> None:
    for reply in (browser.get("/sessions", **headers), browser.post("/undo", None, **headers)):
        assert reply.status == 403
        assert not [name for name in reply.headers if name.startswith("access-control")]


def test_our_own_forms_send_no_origin_because_pages_send_no_referrer(browser: Browser) -> None:
    assert browser.post("/no-such-page", origin="null", sec_fetch_site="same-origin").status == 404


@pytest.mark.parametrize("csrf", ["", "guess"])
def test_a_change_needs_the_token_of_our_own_pages(browser: Browser, csrf: str) -> None:
    reply = browser.post("/undo", {"csrf": csrf})
    assert reply.status == 403
    assert "did not come from a page" in reply.text


def test_the_token_may_come_as_a_header(browser: Browser) -> None:
    headers = {"origin": ORIGIN, "x-csrf-token": browser.keys.csrf}
    assert browser.ask("POST", "/no-such-page", b"", headers).status == 404


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"])
def test_other_methods_are_unknown(browser: Browser, method: str) -> None:
    reply = browser.ask(method, "/sessions")
    assert reply.status == 405
    assert "access-control-allow-origin" not in reply.headers


def test_a_body_larger_than_any_form_is_refused(browser: Browser) -> None:
    assert browser.ask("POST", "/undo", b"x" * (LARGEST_BODY + 1), {"origin": ORIGIN}).status == 413


@pytest.mark.parametrize("path", ["/sessions", "/static/page.css", "/no-such-page"])
def test_every_answer_forbids_inline_code_framing_sniffing_and_referrers(browser: Browser, path: str) -> None:
    reply = browser.get(path)
    policy = reply.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert reply.headers | _STRICT == reply.headers


def test_refusals_forbid_it_too(stranger: Browser) -> None:
    reply = stranger.get("/sessions")
    assert reply.headers | _STRICT == reply.headers


@pytest.mark.parametrize("path", ["/static/../safety.py", "/static/..%2fsafety.py", "/static//etc/passwd"])
def test_no_file_outside_the_static_folder_is_served(browser: Browser, path: str) -> None:
    assert browser.get(path).status == 404


def test_an_unknown_page_says_so(browser: Browser) -> None:
    reply = browser.get("/no-such-page")
    assert reply.status == 404
    assert "There is no such page." in reply.words
