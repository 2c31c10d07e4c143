"""Recall at the first prompt, with items at hand."""

from typing import Any

from tests.harvest.talks import ORCHARD, talk

from afterwit.model.knowledge import (
    EVERYWHERE,
    Authority,
    Belief,
    Category,
    Channel,
    Item,
    ItemStatus,
    Scope,
    ScopeKind,
    Trigger,
)
from afterwit.recall.at_prompt import at_prompt, items_for_prompt
from afterwit.recall.decisions import Quote
from afterwit.recall.from_digest import talk_of
from afterwit.recall.place_index import PlaceIndex, PlaceSighting
from afterwit.recall.places import LikelyPlace, Question
from afterwit.recall.situation import Situation
from afterwit.recall.talks import USER, TalkIndex
from afterwit.text.words import words_of

_HERE = Situation(ORCHARD, "codex")
_TASK = Question("repair the quince press")
_PRESS = [LikelyPlace("press/quince.py", 0.6), LikelyPlace("docs/press.md", 0.1)]


def _item(name: str, trigger: Trigger, **more: Any) -> Item:
    given: dict[str, Any] = {
        "id": name,
        "harvester": "companions",
        "scope": Scope(ScopeKind.REPO, ORCHARD),
        "category": Category.PITFALL,
        "sentence": "Oil the belt before starting the press.",
        "status": ItemStatus.ACTIVE,
        "authority": Authority.GUIDANCE,
        "channel": Channel.OUTCOME,
        "belief": Belief(8, 2),
        "triggers": (trigger,),
    }
    return Item(**given | more)


def _items(*items: Item, quotes: tuple[Quote, ...] = ()) -> list[str]:
    return [line.item for line in items_for_prompt(items, _HERE, _TASK, _PRESS, quotes)]


def test_an_item_items_where_the_work_is_likely() -> None:
    assert _items(_item("a", Trigger(path="press/*.py")), _item("b", Trigger(path="docs/"))) == ["a"]


def test_an_item_items_where_the_prompt_names_its_topic() -> None:
    quinces, plums = tuple(words_of("quince press")), tuple(words_of("plum press"))
    assert _items(_item("a", Trigger(topic=quinces)), _item("b", Trigger(topic=plums))) == ["a"]


def test_what_has_a_place_in_the_start_block_does_not_wait_for_a_prompt() -> None:
    assert _items(_item("a", Trigger(program="press"))) == []


def test_items_of_other_repositories_and_candidates_stay_silent() -> None:
    path = Trigger(path="press/")
    elsewhere = _item("a", path, scope=Scope(ScopeKind.REPO, "example.org/other"))
    assert _items(elsewhere, _item("b", path, status=ItemStatus.CANDIDATE), _item("c", path, scope=EVERYWHERE)) == ["c"]


def test_what_a_quote_says_is_not_said_twice() -> None:
    item = _item("a", Trigger(path="press/"), sentence='The user said on 2026-05-01: "We press quinces cold."')
    quote = Quote("We press quinces cold. Always.", USER, 0, "s")
    assert _items(item) == ["a"]
    assert _items(item, quotes=(quote,)) == []


def test_the_block_names_the_place_although_nothing_was_decided() -> None:
    known, talks = PlaceIndex(), TalkIndex()
    known.put(PlaceSighting("s", "repair the quince press", {"press/quince.py": ()}, at_ms=1))
    talks.put(talk_of(talk("repair the quince press")))
    block = at_prompt([_item("a", Trigger(path="press/"))], _HERE, _TASK, known, talks)
    assert block.files == ("press/quince.py",)
    assert block.items == ("places", "a")


def test_without_history_there_is_silence() -> None:
    assert at_prompt([], _HERE, _TASK, PlaceIndex(), TalkIndex()).text == ""
