"""Copied history: where it ends, and that copies have the keys of their originals."""

from collections.abc import Callable
from typing import Any

import pytest

from afterwit.agents.codex.records import Payload
from afterwit.agents.codex.threads import Lineage
from afterwit.model.kinds import EventKind, Relation

PARENT = "01900001-0000-7000-8000-00000000000a"
CHILD = "01900003-0000-7000-8000-00000000000c"
PARENTS_TURN = "01900002-0000-7000-8000-000000000002"
CHILDS_TURN = "01900004-0000-7000-8000-000000000004"


def forked(**more: Any) -> Lineage:
    lineage = Lineage()
    lineage.begin(CHILD)
    lineage.meet(Payload(id=CHILD, **more))
    return lineage


@pytest.mark.parametrize(("fork", "parents"), [("fork", ["parent"]), ("fork_of_a_fork", ["parent", "fork"])])
def test_copies_have_the_keys_of_their_originals(read: Callable[[str], Any], fork: str, parents: list[str]) -> None:
    originals = {key for parent in parents for key in read(parent).shared_keys()}
    keys = read(fork).shared_keys()
    own = [key for key in keys if key not in originals]
    assert len(set(keys)) == len(keys)
    assert {"fork": 4, "fork_of_a_fork": 3}[fork] == len(own)
    assert set(keys[: -len(own)]) <= originals | {"spawned:call_spawn"}


def test_all_files_together_count_each_thing_once_in_any_order(read: Callable[[str], Any]) -> None:
    names = ["parent", "fork", "fork_of_a_fork", "cut_fork"]
    kinds = {e.key: (e.kind, e.text, e.arguments, e.result) for name in names for e in read(name).events}
    back = {e.key: (e.kind, e.text, e.arguments, e.result) for name in reversed(names) for e in read(name).events}
    assert kinds == back
    prompts = sorted(text for kind, text, *_ in kinds.values() if kind is EventKind.PROMPT)
    assert prompts == ["Prune the plums", "go on", "go on", "go on", "thanks"]


def test_tokens_are_counted_once(read: Callable[[str], Any]) -> None:
    spends = {s.key: s for name in ("fork_of_a_fork", "fork", "parent") for s in read(name).spends}
    assert sorted(spend.usage.output for spend in spends.values()) == [5, 20, 25, 30]


def test_the_note_to_a_spawned_agent_is_no_result(read: Callable[[str], Any]) -> None:
    whole = read("fork")
    assert not [e for e in whole.events if e.kind is EventKind.RESULT and e.call_id == "call_spawn"]
    assert whole.facts[1].parent_call == "call_spawn"


def test_a_fork_knows_its_parent(read: Callable[[str], Any]) -> None:
    child, other = read("fork").facts[0], read("fork_of_a_fork").facts[0]
    assert (child.parent, child.relation, child.origin) == (PARENT, Relation.SUBAGENT, "explorer")
    assert (other.parent, other.relation, other.origin) == (CHILD, Relation.FORK, "codex-tui")


def test_only_the_parent_itself_gives_the_starting_call(read: Callable[[str], Any]) -> None:
    assert not [facts for facts in read("fork_of_a_fork").facts if facts.parent_call]


def test_a_cut_fork_still_has_equal_keys(read: Callable[[str], Any]) -> None:
    originals = set(read("parent").shared_keys())
    assert [key in originals for key in read("cut_fork").shared_keys()] == [True, True, True, False]


def test_without_turn_ids_a_pause_ends_the_copy(read: Callable[[str], Any]) -> None:
    originals = set(read("old_parent").shared_keys())
    assert [key in originals for key in read("old_fork").shared_keys()] == [True, True, True, False, False]


def test_line_numbers_say_where_the_copy_ends() -> None:
    lineage = forked(forked_from_id=PARENT, subagent_history_start_ordinal=5)
    lineage.step(4, 1000)
    assert lineage.thread == PARENT
    lineage.step(5, 1000)
    assert lineage.thread == CHILD


def test_a_pause_inside_a_copy_with_turn_ids_does_not_end_it() -> None:
    lineage = forked(forked_from_id=PARENT)
    lineage.turn_to(PARENTS_TURN)
    lineage.step(None, 1000)
    lineage.step(None, 99_000)
    assert lineage.thread == PARENT
    lineage.turn_to(CHILDS_TURN)
    assert lineage.thread == CHILD


def test_a_resumed_thread_is_no_copy() -> None:
    lineage = forked()
    lineage.meet(Payload(id=CHILD))
    assert not lineage.is_copy
    assert lineage.named == [CHILD]


def test_texts_are_counted_within_their_turn() -> None:
    lineage = forked()
    lineage.turn_to(CHILDS_TURN)
    assert [lineage.key("reply", "yes")[-2:] for _ in range(2)] == [":1", ":2"]
    lineage.turn_to(CHILDS_TURN)
    assert lineage.key("reply", "yes").endswith(":3")
    lineage.turn_to("01900004-0000-7000-8000-000000000005")
    assert lineage.key("reply", "yes").endswith(":1")
