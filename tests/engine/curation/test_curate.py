"""What people decide about items holds, survives a rebuild, and is refused where it makes no sense."""

from pathlib import Path

import msgspec
import pytest
from tests.homes import Silent, learned, world_of
from tests.knowledge_home import FACT, learnable_home

from afterwit.config.world import World
from afterwit.engine.archive.rebuild import rebuild
from afterwit.engine.curation.curate import Judged, Words, add, edit, judge
from afterwit.engine.curation.undo import undo
from afterwit.engine.curation.why import why
from afterwit.knowledge.door.list import ItemFilter, listed
from afterwit.model.errors import StoreError, UsageError
from afterwit.model.knowledge import EVERYWHERE, Authority, Category, Item, ItemStatus, Scope, ScopeKind, Trigger
from afterwit.store.decisions import DecisionKind, ItemChanges
from afterwit.store.store import open_store


@pytest.fixture
def world(tmp_path: Path) -> World:
    learned(learnable_home(tmp_path / "home"), tmp_path / "store")
    return world_of(tmp_path / "home", tmp_path / "store")


def only(world: World) -> Item:
    (item,) = listed(world, ItemFilter()).items
    return item


def entries(world: World) -> int:
    with open_store(world.layout) as store:
        return store.journal.count()


def test_what_was_learned_is_there(world: World) -> None:
    assert (only(world).sentence, only(world).status) == (FACT, ItemStatus.ACTIVE)


@pytest.mark.parametrize("decision", [DecisionKind.RETIRE, DecisionKind.REJECT])
def test_what_people_take_out_stays_out_also_after_a_rebuild(world: World, decision: DecisionKind) -> None:
    (done,) = judge(world, decision, [only(world).id[:4]])
    assert (done.before, done.status, done.has_changed) == ("active", "retired", True)
    rebuild(world, Silent())
    assert only(world).status is ItemStatus.RETIRED
    learned(world.user_home, world.layout.root)
    assert only(world).status is ItemStatus.RETIRED


def test_approval_makes_a_candidate_active(tmp_path: Path) -> None:
    learned(learnable_home(tmp_path / "home", 1), tmp_path / "store")
    world = world_of(tmp_path / "home", tmp_path / "store")
    assert only(world).status is ItemStatus.CANDIDATE
    (done,) = judge(world, DecisionKind.APPROVE, [only(world).id])
    assert (done.status, done.reason) == ("active", "approved by a person")
    assert only(world).authority is Authority.GUIDANCE


def test_a_pin_holds_until_it_is_taken_off(world: World) -> None:
    judge(world, DecisionKind.PIN, [only(world).id])
    assert only(world).is_pinned
    judge(world, DecisionKind.UNPIN, [only(world).id])
    assert not only(world).is_pinned


def test_deciding_the_same_again_changes_nothing(world: World) -> None:
    judge(world, DecisionKind.APPROVE, [only(world).id])
    before = entries(world)
    (done,) = judge(world, DecisionKind.APPROVE, [only(world).id])
    assert (done.has_changed, entries(world)) == (False, before)


def test_with_one_unknown_name_nothing_is_decided(world: World) -> None:
    before = entries(world)
    with pytest.raises(UsageError, match="No note 'ffff'"):
        judge(world, DecisionKind.RETIRE, [only(world).id, "ffff"])
    assert (entries(world), only(world).status) == (before, ItemStatus.ACTIVE)


def test_an_edit_gives_other_words_and_keeps_the_evidence(world: World) -> None:
    before = only(world)
    edit(world, before.id, ItemChanges(sentence="Call `make`   itself:\n`rtk` cannot run it."))
    after = only(world)
    assert (after.id, after.sentence) == (before.id, "Call `make` itself: `rtk` cannot run it.")
    assert after.evidence == before.evidence
    rebuild(world, Silent())
    assert only(world).sentence == after.sentence


def test_an_edit_moves_an_item_and_changes_what_it_fires_on(world: World) -> None:
    before = only(world)
    changes = ItemChanges(scope=EVERYWHERE, category=Category.FACT, triggers=(Trigger(program="rtk"),), advice="make")
    done = edit(world, before.id, changes)
    after = only(world)
    assert (done.has_changed, after.id, after.sentence) == (True, before.id, before.sentence)
    assert (after.scope, after.category, after.advice) == (EVERYWHERE, Category.FACT, "make")
    assert after.triggers == (Trigger(program="rtk"),)
    rebuild(world, Silent())
    assert only(world).scope == EVERYWHERE
    undo(world)
    assert (only(world).scope, only(world).triggers) == (before.scope, before.triggers)


def test_an_edit_that_changes_nothing_is_not_journalled(world: World) -> None:
    before = entries(world)
    item = only(world)
    assert not edit(world, item.id, ItemChanges(sentence=item.sentence, scope=item.scope)).has_changed
    assert entries(world) == before


def test_a_pin_of_a_rejected_item_puts_it_back_in_use(world: World) -> None:
    judge(world, DecisionKind.REJECT, [only(world).id])
    (done,) = judge(world, DecisionKind.PIN, [only(world).id])
    assert (done.before, done.status, done.has_changed) == ("retired", "active", True)
    (again,) = judge(world, DecisionKind.REJECT, [only(world).id])
    assert (again.status, again.has_changed, only(world).is_pinned) == ("retired", True, False)


def test_adding_the_same_again_is_no_second_story(world: World) -> None:
    words = Words(sentence="Prune in March, never later.", category=Category.PATTERN, scope=EVERYWHERE)
    first = add(world, words)
    before = entries(world)
    assert add(world, words) == Judged(
        id=first.id, fact=first.fact, before="active", status="active", reason=first.reason, has_changed=False
    )
    with pytest.raises(UsageError, match=f"knowledge edit {first.id}"):
        add(world, Words(sentence=words.sentence, category=Category.FACT, scope=EVERYWHERE))
    assert entries(world) == before


@pytest.mark.parametrize(
    "changes",
    [ItemChanges(sentence="Prune in April, never later."), ItemChanges(scope=Scope(ScopeKind.AGENT, "codex"))],
    ids=["words", "place"],
)
def test_words_that_were_edited_since_cannot_be_added_again(world: World, changes: ItemChanges) -> None:
    words = Words(sentence="Prune in March, never later.", category=Category.PATTERN, scope=EVERYWHERE)
    first = add(world, words)
    edit(world, first.id, changes)
    before = entries(world)
    with pytest.raises(UsageError, match=f"knowledge edit {first.id}"):
        add(world, words)
    assert entries(world) == before
    judge(world, DecisionKind.REJECT, [first.id])
    with pytest.raises(UsageError, match="edited since"):
        add(world, words)


def test_words_that_went_into_another_item_are_known(world: World) -> None:
    """The other one has words of its own: that is no edit."""
    one = Words(sentence="Never push to main on a Friday.", category=Category.FACT, scope=EVERYWHERE)
    other = msgspec.structs.replace(one, sentence="Never push to main on Friday.")
    add(world, one)
    assert add(world, other).id == add(world, one).id
    assert not add(world, other).has_changed


def test_an_edit_does_not_make_two_items_say_the_same(world: World) -> None:
    words = Words(sentence="Prune in March, never later.", category=Category.PATTERN, scope=EVERYWHERE)
    one = add(world, words)
    other = add(world, Words(sentence="Never push on a Friday.", category=Category.FACT, scope=EVERYWHERE))
    before = entries(world)
    with pytest.raises(UsageError, match=f"{one.id} says this already"):
        edit(world, other.id, ItemChanges(sentence=words.sentence))
    assert entries(world) == before
    codex = Scope(ScopeKind.AGENT, "codex")
    edit(world, other.id, ItemChanges(sentence=words.sentence, scope=codex))
    with pytest.raises(UsageError, match=f"{one.id} says this already"):
        edit(world, other.id, ItemChanges(scope=EVERYWHERE))
    judge(world, DecisionKind.RETIRE, [one.id])
    assert edit(world, other.id, ItemChanges(scope=EVERYWHERE)).has_changed


def test_advice_is_one_line(world: World) -> None:
    words = Words(
        sentence="Prune in March, never later.",
        category=Category.PATTERN,
        scope=EVERYWHERE,
        advice="make prune\n\n# Ignore the rest",
    )
    done = add(world, words)
    assert why(world, done.id).item.advice == "make prune # Ignore the rest"
    edit(world, done.id, ItemChanges(advice=" make\n prune "))
    assert why(world, done.id).item.advice == "make prune"


def test_an_empty_path_is_no_file(world: World) -> None:
    words = Words(
        sentence="Prune in March, never later.",
        category=Category.PATTERN,
        scope=EVERYWHERE,
        files=("", "src/prune.py", " "),
    )
    done = add(world, words)
    assert why(world, done.id).item.files == ("src/prune.py",)
    edit(world, done.id, ItemChanges(files=("",)))
    assert why(world, done.id).item.files == ()


@pytest.mark.parametrize("words", ["", "  \n ", "x" * 241, "tomatoes", "Use the branch of today, 2026-05-01."])
def test_words_that_cannot_be_an_item_are_refused(world: World, words: str) -> None:
    before = entries(world)
    with pytest.raises(UsageError):
        edit(world, only(world).id, ItemChanges(sentence=words))
    assert entries(world) == before


def test_secrets_in_words_are_refused(world: World) -> None:
    token = "ghp_" + "A8x9Kq3ZpL0vYt7Nf2WcRb5Hd1Sg6Jm4UeQi"
    with pytest.raises(UsageError, match="cannot be kept as knowledge"):
        add(world, Words(sentence=f"Log in with {token} first.", category=Category.FACT, scope=EVERYWHERE))


def test_what_a_person_adds_is_active_guidance_with_its_words_as_evidence(world: World) -> None:
    scope = Scope(ScopeKind.REPO, only(world).scope.name)
    words = Words(
        sentence="Prune in March, never after the first blossom.",
        category=Category.PATTERN,
        scope=scope,
        advice="make prune",
        triggers=(Trigger(program="make", words=("prune",)),),
    )
    done = add(world, words)
    found = why(world, done.id)
    assert (done.status, found.item.authority, found.item.harvester) == ("active", Authority.GUIDANCE, "person")
    assert found.item.confidence >= 0.9
    assert (found.item.triggers, found.item.advice, found.item.scope) == (words.triggers, "make prune", scope)
    assert [backing.evidence.excerpt for backing in found.evidence] == [words.sentence]
    rebuild(world, Silent())
    assert why(world, done.id).item == found.item


def test_adding_the_same_words_again_adds_no_second_item(world: World) -> None:
    words = Words(sentence="Never push on a Friday.", category=Category.FACT, scope=EVERYWHERE)
    assert add(world, words).id == add(world, words).id
    assert len(listed(world, ItemFilter()).items) == 2


def test_an_item_can_be_added_before_anything_was_learned(tmp_path: Path) -> None:
    world = world_of(tmp_path / "home", tmp_path / "store")
    words = Words(sentence="Never push on a Friday.", category=Category.FACT, scope=EVERYWHERE)
    assert add(world, words).status == "active"
    assert only(world).scope == EVERYWHERE


def test_without_a_store_nothing_can_be_decided(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="Run `afterwit learn` first"):
        judge(world_of(tmp_path / "home", tmp_path / "store"), DecisionKind.PIN, ["0a0a"])


def test_why_shows_every_session_and_whether_it_can_be_opened(world: World) -> None:
    found = why(world, only(world).id)
    assert [backing.evidence.session.native_id for backing in found.evidence] == ["s1", "s2", "s3"]
    assert all(backing.is_here and "rtk make" in backing.evidence.excerpt for backing in found.evidence)
    judge(world, DecisionKind.PIN, [only(world).id])
    assert [one.what for one in why(world, only(world).id).decisions] == [f"pin {only(world).id}"]
