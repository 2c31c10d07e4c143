"""What a model says that a user had to say again: shown to it, convicted, noted."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.homes import Silent, rows, world_of
from tests.reader.talks import line, sent
from tests.repeated_home import TEXT, Told

from afterwit.engine.archive.rebuild import rebuild
from afterwit.model.brief import ToldText
from afterwit.reader.answers import GivenAnswer, notes_schema, understand_notes
from afterwit.reader.checks import Conviction, says_again
from afterwit.reader.lines import Speaker
from afterwit.reader.plan import ReadingWish
from afterwit.reader.read import ask, take
from afterwit.reader.requests import ReadingRequest
from afterwit.store.rows.readings import proposals_rejected
from afterwit.store.store import readonly_database

OTHERWISE = "First the scale, then the apples go in: how often."  # the rule by words does not hear it
WEIGH = ToldText("line", TEXT, 500)


@pytest.fixture
def told(tmp_path: Path) -> Told:
    return Told(tmp_path)


def asked(told: Told) -> ReadingRequest:
    """The request about the first session that was told something."""
    sent: list[ReadingRequest] = []
    ask(world_of(told.home, told.store), ReadingWish(model="m"), lambda request, _: sent.append(request), Silent())
    return next(request for request in sent if "Press the cider" in request.text)


def answered(told: Told, request: ReadingRequest, *repeats: Any) -> None:
    answer = GivenAnswer(request.id, json.dumps({"notes": [], "repeats": repeats}))
    take(world_of(told.home, told.store), [answer], Silent())


def line_with(request: ReadingRequest, words: str) -> int:
    return next(int(row.split()[0]) for row in request.text.splitlines() if words in row and row[:1].isdigit())


def test_a_model_is_shown_what_the_session_was_told_and_its_finding_is_noted_with_the_quote(told: Told) -> None:
    told.session(1, OTHERWISE)
    assert told.learn() == []
    request = asked(told)
    assert f"[{told.line.id}] {TEXT}" in request.text
    answered(told, request, {"told": told.line.id, "lines": [line_with(request, "First the scale")]})
    ((number, _, quote),) = told.noted()
    assert (number, quote) == (1, OTHERWISE)
    assert told.heard() == (1, 1)
    rebuild(world_of(told.home, told.store), Silent())
    assert told.heard() == (1, 1)


def test_a_session_that_was_told_nothing_is_asked_nothing_about_it(told: Told) -> None:
    told.session(1, OTHERWISE, told_s=None)
    told.learn()
    assert "repeats" not in asked(told).text


def test_what_no_line_of_the_user_shows_is_refused_with_its_reason(told: Told) -> None:
    told.session(1, OTHERWISE)
    told.learn()
    request = asked(told)
    other = {"told": "elsewhere", "lines": [line_with(request, "First the scale")]}
    answered(told, request, {"told": told.line.id, "lines": [line_with(request, "edit")]}, other)
    assert told.noted() == []
    with readonly_database(world_of(told.home, told.store).layout) as db:
        assert {row.reason for row in proposals_rejected(db)} == {Conviction.NOT_AGAIN}
    assert rows(told.store, "SELECT count(*) FROM repetitions")[0] == (0,)


def test_only_a_later_line_that_the_user_typed_about_it_proves_a_repetition() -> None:
    lines = [
        line(Speaker.USER, "Weigh the apples, please."),
        line(Speaker.AGENT, "I weigh the apples."),
        line(Speaker.OUTPUT, "weigh the apples"),
        line(Speaker.USER, "Do we weigh the apples?"),
        line(Speaker.USER, "Paint the gate."),
    ]
    assert says_again(WEIGH, range(1, 6), sent(lines)) == (0,)
    assert says_again(WEIGH._replace(at_ms=2_000), range(1, 6), sent(lines)) == ()
    assert says_again(WEIGH, [0, 99], sent(lines)) == ()


def test_an_answer_without_the_list_or_with_odd_rows_is_still_an_answer() -> None:
    assert understand_notes('{"notes": []}').repeats == ()
    odd = '{"notes": [], "repeats": ["x", {"told": 7, "lines": [1]}, {"told": "[a]", "lines": ["L3", null]}]}'
    ((said, lines),) = understand_notes(odd).repeats
    assert (said, lines) == ("a", (3,))
    assert notes_schema()["properties"]["repeats"]["items"]["required"] == ["told", "lines"]
