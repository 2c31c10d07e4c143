"""What is said with the first prompt of a session, and with later ones."""

from typing import Any

from tests.recall.asking import at_later_prompt, at_prompt
from tests.recall.knowing import HERE

from afterwit.model.knowledge import (
    EVERYWHERE,
    READ,
    Activity,
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
from afterwit.model.text import words_of
from afterwit.recall.place_index import PlaceSighting
from afterwit.recall.prompt_block import LATER_TOKENS

_TASK = "repair the quince press"
_WORK = (PlaceSighting("s", _TASK, {"press/quince.py": ()}, at_ms=1),)


def _item(name: str, trigger: Trigger, **more: Any) -> Item:
    given: dict[str, Any] = {
        "id": name,
        "harvester": "companions",
        "scope": Scope(ScopeKind.REPO, HERE.repo),
        "category": Category.PITFALL,
        "sentence": "Oil the belt before starting the press.",
        "status": ItemStatus.ACTIVE,
        "authority": Authority.GUIDANCE,
        "channel": Channel.OUTCOME,
        "belief": Belief(8, 2),
        "triggers": (trigger,),
    }
    return Item(**given | more)


def _items(*items: Item) -> list[str]:
    return [name for name in at_prompt(items, _TASK, _WORK).items if name != "places"]


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


def test_the_block_names_the_place_and_what_is_known_of_it() -> None:
    block = at_prompt([_item("a", Trigger(path="press/"))], _TASK, _WORK)
    assert block.files == ("press/quince.py",)
    assert block.items == ("places", "a")


def test_without_history_there_is_silence() -> None:
    assert at_prompt([], _TASK).text == ""


def _note(name: str, sentence: str, *triggers: Trigger, **more: Any) -> Item:
    """What a model read."""
    given: dict[str, Any] = {"harvester": READ, "channel": Channel.USER, "sentence": sentence, "triggers": triggers}
    return _item(name, Trigger(), **given | more)


_CRATES = _note("crates", "Crates of the cellar are stacked by the forklift at night.", when="stacking crates")
_LADDERS = _note("ladders", "Ladders lean on the north wall.", Trigger(activity=Activity.EDIT, path="tools/ladder.sh"))


def _told(prompt: str, *items: Item, paths: tuple[str, ...] = ()) -> tuple[str, ...]:
    work = (PlaceSighting("s", "work", dict.fromkeys(paths, ()), at_ms=1),) if paths else ()
    return tuple(item for item in at_prompt(items, prompt, work).items if item != "places")


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
    paths = ("tools/ladder.sh", "tools/rope.sh")
    assert _told("Look at tools/ladder.sh and tell me", note, paths=paths) == ("a",)


def test_many_notes_stay_within_six_hundred_tokens() -> None:
    notes = [_note(f"n{at}", f"The forklift number {at} drops crates. {'Mind it well. ' * 40}") for at in range(4)]
    block = at_prompt(notes, "The forklift drops crates: what is its number?")
    assert 2 <= len(block.items) <= 6
    assert len(block.text) <= 600 * 4


def _later(prompt: str, *items: Item, told: tuple[str, ...] = ()) -> tuple[str, ...]:
    return at_later_prompt(items, prompt, told).items


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
    block = at_later_prompt(notes, "forklift stacks crates in the cellar")
    assert 1 <= len(block.items) <= 3
    assert sum(len(line.text) for section in block.sections for line in section.lines) <= LATER_TOKENS * 4


def test_without_room_left_in_the_session_a_later_prompt_gets_nothing() -> None:
    asked = "the forklift drops the crates that are stacked in the cellar"
    assert at_later_prompt([_CRATES], asked, room_tokens=5).text == ""
