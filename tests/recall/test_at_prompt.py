"""Recall at the first prompt, with items at hand."""

from typing import Any

from msgspec.structs import replace
from tests.harvest.talks import ORCHARD, talk
from tests.recall.talks.dialogues import Dialogue, digest_of, index_of

from afterwit.model.knowledge import (
    EVERYWHERE,
    READ,
    Activity,
    Authority,
    Belief,
    Category,
    Channel,
    Evidence,
    Item,
    ItemKind,
    ItemStatus,
    Scope,
    ScopeKind,
    SessionRef,
    Trigger,
)
from afterwit.recall.at_prompt import at_later_prompt, at_prompt, notes_at_prompt, talks_of
from afterwit.recall.from_digest import talks_in
from afterwit.recall.place_index import PlaceIndex, PlaceSighting
from afterwit.recall.places import KnownRepo, LikelyPlace, Question
from afterwit.recall.prompt_block import LATER_TOKENS, BlockLine, MarkedLine, unquoted
from afterwit.recall.situation import Situation
from afterwit.recall.start_block import said_of
from afterwit.recall.talks import Quote, TalkIndex
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
    notes = notes_at_prompt(items, _HERE, _TASK, PlaceIndex(), _PRESS)
    marked = [MarkedLine(note.mark, BlockLine(note.item.id, said_of(note.item))) for note in notes]
    return [line.item for line in unquoted(marked, quotes)]


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
    quote = Quote("We press quinces cold. Always.", 0, "s")
    assert _items(item) == ["a"]
    assert _items(item, quotes=(quote,)) == []


def test_the_block_names_the_place_although_nothing_was_decided() -> None:
    known, talks = PlaceIndex(), TalkIndex()
    known.put(PlaceSighting("s", "repair the quince press", {"press/quince.py": ()}, at_ms=1))
    for part in talks_in(talk("repair the quince press")):
        talks.put(part)
    block = at_prompt([_item("a", Trigger(path="press/"))], _HERE, _TASK, KnownRepo(known), talks)
    assert block.files == ("press/quince.py",)
    assert block.items == ("places", "a")


def test_without_history_there_is_silence() -> None:
    assert at_prompt([], _HERE, _TASK, KnownRepo(PlaceIndex()), TalkIndex()).text == ""


def _note(name: str, sentence: str, *triggers: Trigger, **more: Any) -> Item:
    """What a model read."""
    given: dict[str, Any] = {"harvester": READ, "channel": Channel.USER, "sentence": sentence, "triggers": triggers}
    return _item(name, Trigger(), **given | more)


_CRATES = _note("crates", "Crates of the cellar are stacked by the forklift at night.", when="stacking crates")
_LADDERS = _note("ladders", "Ladders lean on the north wall.", Trigger(activity=Activity.EDIT, path="tools/ladder.sh"))


def _known(*paths: str) -> PlaceIndex:
    known = PlaceIndex()
    known.put(PlaceSighting("s", "work", dict.fromkeys(paths, ()), at_ms=1))
    return known


def _told(prompt: str, *items: Item, known: PlaceIndex | None = None) -> tuple[str, ...]:
    block = at_prompt(items, _HERE, Question(prompt), KnownRepo(known or PlaceIndex()), TalkIndex())
    return tuple(item for item in block.items if item != "places")


def test_a_note_is_told_with_the_prompt_that_is_about_it_by_words() -> None:
    assert _told("The forklift drops crates in the cellar", _CRATES, _LADDERS) == ("crates",)
    assert _told("Paint the gate green", _CRATES, _LADDERS) == ()


def test_when_a_note_is_needed_counts_as_its_own_words() -> None:
    note = _note("a", "Use two hands.", when="stacking heavy crates below the vault")
    assert _told("Help me with stacking crates in the vault", note) == ("a",)


def test_a_note_that_waits_for_an_edit_needs_more_than_a_likely_place() -> None:
    note = _note("a", "Mind the belt.", Trigger(activity=Activity.EDIT, path="press/**"), Trigger(path="press/**"))
    assert _items(note) == []
    assert _items(_note("b", "Mind the belt.", Trigger(path="press/**"))) == ["b"]


def test_a_note_about_a_file_that_the_prompt_names_is_told() -> None:
    note = _note(
        "a", "It needs steel.", *(Trigger(activity=kind, path="tools/ladder.sh") for kind in (Activity.EDIT, None))
    )
    assert _told("Look at tools/ladder.sh and tell me", note, known=_known("tools/ladder.sh", "tools/rope.sh")) == (
        "a",
    )


def test_many_notes_stay_within_six_hundred_tokens() -> None:
    notes = [_note(f"n{at}", f"The forklift number {at} drops crates. {'Mind it well. ' * 40}") for at in range(4)]
    block = at_prompt(
        notes, _HERE, Question("The forklift drops crates: what is its number?"), KnownRepo(PlaceIndex()), TalkIndex()
    )
    assert 2 <= len(block.items) <= 6
    assert len(block.text) <= 600 * 4


def _decision(name: str, session: str) -> Item:
    ref = SessionRef(agent="codex", native_id=session, story=session)
    evidence = (Evidence(session=ref, channel=Channel.USER),)
    return _note(name, "Quinces are pressed cold.", kind=ItemKind.DECISION, evidence=evidence)


def test_a_decision_stands_for_the_conversation_that_it_was_read_in() -> None:
    assert talks_of(_decision("a", "s7")) == ("s7",)
    assert talks_of(_CRATES) == ()


def test_a_decision_takes_the_place_of_the_quotes_of_its_conversation() -> None:
    naming = Dialogue(
        "plan", 300, ("U: How do we name the crates of the quince press?", "U: Call them quince-1, quince-2.")
    )
    plan, talks, asked = digest_of(naming), index_of(naming), Question("Label the crates of the quince press.")
    crates = _note("a", "Crates of the quince press are called quince-1 and so on.")
    ref = SessionRef(agent="codex", native_id=plan.native_id, story="plan")
    read = replace(crates, kind=ItemKind.DECISION, evidence=(Evidence(session=ref, channel=Channel.USER),))
    quoted = f"decided {plan.native_id}"
    assert at_prompt([crates], _HERE, asked, KnownRepo(PlaceIndex()), talks).items[:2] == ("a", quoted)
    assert quoted not in at_prompt([read], _HERE, asked, KnownRepo(PlaceIndex()), talks).items
    unrelated = replace(read, sentence="Ladders are red.")
    assert quoted in at_prompt([unrelated], _HERE, asked, KnownRepo(PlaceIndex()), talks).items


def _later(prompt: str, *items: Item, told: tuple[str, ...] = (), known: PlaceIndex | None = None) -> tuple[str, ...]:
    return at_later_prompt(items, _HERE, Question(prompt), known or PlaceIndex(), told).items


def test_a_later_prompt_that_strongly_means_a_note_brings_it_once() -> None:
    asked = "Now the forklift: it drops the crates that are stacked in the cellar"
    assert _later(asked, _CRATES, _LADDERS) == ("crates",)
    assert _later(asked, _CRATES, _LADDERS, told=("crates",)) == ()


def test_a_later_prompt_that_shares_a_single_word_with_a_note_brings_nothing() -> None:
    assert _later("Now look at the cellar door and paint it", _CRATES) == ()


def test_very_short_prompts_get_no_answer() -> None:
    assert [_later(prompt, _CRATES) for prompt in ("yes", "go on", "crates!", "")] == [()] * 4


def test_a_later_prompt_gets_two_hundred_tokens_at_most() -> None:
    notes = [_note(f"n{at}", f"The forklift {at} stacks cellar crates. {'Mind it. ' * 20}") for at in range(5)]
    block = at_later_prompt(notes, _HERE, Question("forklift stacks crates in the cellar"), PlaceIndex(), ())
    assert 1 <= len(block.items) <= 3
    assert sum(len(line.text) for section in block.sections for line in section.lines) <= LATER_TOKENS * 4


def test_without_room_left_in_the_session_a_later_prompt_gets_nothing() -> None:
    asked = Question("the forklift drops the crates that are stacked in the cellar")
    assert at_later_prompt([_CRATES], _HERE, asked, PlaceIndex(), (), room_tokens=5).text == ""
