"""Checks on the page: added, tried, turned on where their trial stands, and every decision undone."""

from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest
from tests.web.browser import Browser, Reply

from afterwit.config.world import World
from afterwit.engine.curation import brief, checks
from afterwit.knowledge.checks import CheckState
from afterwit.model.brief import Heading
from afterwit.model.check import Check, CheckKind
from afterwit.store.decide import decide
from afterwit.store.decisions import BriefCompiled, KnowledgeEntry
from afterwit.store.store import open_store

REPO = "github.com/acme/orchard"
FORM = "uv run pytest instead of pytest"
PUSH = "Never run `git push` unless the user asks."


def state(world: World) -> CheckState:
    (found,) = checks.look(world, world.user_home, REPO).states
    return found


def decision(browser: Browser, world: World, kind: str, **more: str) -> Reply:
    fields = {"check": state(world).check.id, "decision": kind, "back": f"/more/checks?repo={REPO}", **more}
    done = browser.post("/more/checks", fields)
    assert done.status == 303
    return done


def undo(browser: Browser, done: Reply) -> None:
    number = parse_qs(urlsplit(done.headers["location"]).query)["done"][0]
    assert f'name="number" value="{number}"' in browser.get(done.headers["location"]).text
    assert browser.post("/undo", {"number": number}).status == 303


@pytest.fixture
def added(browser: Browser, world: World) -> Check:
    assert browser.post("/more/checks/add", {"repo": REPO, "form": FORM}).status == 303
    return state(world).check


def test_the_page_without_a_check_says_how_one_is_added(browser: Browser) -> None:
    reply = browser.get(f"/more/checks?repo={REPO}")
    assert "There is no check yet" in reply.words
    assert "before COMMAND: COMMAND" in reply.words


@pytest.mark.parametrize("path", ["/more", "/brief"])
def test_the_page_is_linked_from_where_people_look_for_it(browser: Browser, path: str) -> None:
    assert any(link.startswith("/more/checks") for link in browser.get(path).links)


def test_what_is_added_leads_to_its_trial(browser: Browser, world: World) -> None:
    done = browser.post("/more/checks/add", {"repo": REPO, "form": FORM})
    shown = browser.get(done.headers["location"])
    (trial,) = checks.try_checks(world, world.user_home, REPO, [state(world).check.id]).values()
    assert trial.stops
    assert trial.in_words in shown.words
    stop = trial.examples[0]
    link = f"/sessions/{stop.agent}/{stop.session}?at={stop.moment}#m-{stop.moment}"
    assert link in shown.links
    assert stop.called in browser.get(link).words


def test_a_check_is_turned_on_only_where_its_trial_stands(browser: Browser, added: Check) -> None:
    assert "Turn on" not in browser.get(f"/more/checks?repo={REPO}").words
    assert "Turn on" in browser.get(f"/more/checks?repo={REPO}&try={added.id}").words


def test_a_form_that_is_none_is_kept_with_what_is_wrong(browser: Browser, world: World) -> None:
    reply = browser.post("/more/checks/add", {"repo": REPO, "form": "be careful"})
    assert reply.status == 400
    assert 'value="be careful"' in reply.text
    assert "has no form of a check" in reply.words
    assert checks.look(world, world.user_home, REPO).states == ()


@pytest.mark.parametrize(
    ("kind", "more", "words"),
    [
        ("approve", {}, "on"),
        ("strict", {}, "on, strict"),
        ("approve", {"everywhere": "1"}, "on, everywhere"),
        ("off", {}, "off"),
    ],
)
@pytest.mark.usefixtures("added")
def test_a_decision_is_made_and_undone(
    browser: Browser, world: World, kind: str, more: dict[str, str], words: str
) -> None:
    if kind == "off":
        decision(browser, world, "strict")
    before = state(world).status
    done = decision(browser, world, kind, **more)
    assert state(world).in_words == words
    undo(browser, done)
    assert state(world).status is before


@pytest.mark.usefixtures("added")
def test_a_check_that_is_taken_out_is_gone_and_comes_back(browser: Browser, world: World) -> None:
    done = decision(browser, world, "reject")
    assert checks.look(world, world.user_home, REPO).states == ()
    undo(browser, done)
    assert state(world).check.form == FORM


@pytest.mark.usefixtures("added")
def test_an_unknown_decision_or_check_changes_nothing(browser: Browser, world: World) -> None:
    for fields in ({"check": state(world).check.id, "decision": "paint"}, {"check": "zzz", "decision": "approve"}):
        assert browser.post("/more/checks", fields).status == 400
    assert browser.get(f"/more/checks?repo={REPO}&try=zzz").status == 400
    assert state(world).in_words == "off"


def test_a_line_of_the_brief_that_has_a_form_becomes_a_check(browser: Browser, world: World) -> None:
    brief.edit(world, world.user_home, REPO, {Heading.WISH: [PUSH, "Be kind."]})
    page = browser.get(f"/brief?repo={REPO}")
    assert page.words.count("Make a check") == 1
    line = next(told.line for told in brief.look(world, world.user_home, REPO).start if told.line.text == PUSH)
    done = browser.post("/brief", {"repo": REPO, "line": line.id, "decision": "check"})
    assert "On past sessions" in browser.get(done.headers["location"]).words
    assert state(world).check.form == "never run git push unless asked"


def test_a_proposal_that_would_have_been_in_the_way_is_shown_when_it_is_asked_for(
    browser: Browser, world: World
) -> None:
    proposed = Check(kind=CheckKind.NOT_COMMAND, text="Never run the tests.", command="uv run pytest", repo=REPO)
    body = BriefCompiled(
        request="r1", repo=REPO, items=(), until_ms=0, model="m", prompt="p", run_ms=0, checks=1, proposals=(proposed,)
    )
    with open_store(world.layout) as store:
        decide(store, KnowledgeEntry.COMPILED, msgspec.to_builtins(body), world.now_ms)
    shown = browser.get(f"/more/checks?repo={REPO}")
    assert "1 proposal would have been in the way too often" in shown.words
    assert "Never run the tests." not in shown.words
    assert "Never run the tests." in browser.get(f"/more/checks?repo={REPO}&all=1").words
