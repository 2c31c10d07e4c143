"""Decisions as they follow from the journal: what holds, what was undone, what was brought, what is forgotten."""

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.knowledge.drafting import draft, piece
from tests.thoroughness import examples

from afterwit.model.knowledge import EVERYWHERE, Category, Channel, Draft, Trigger
from afterwit.store.decisions import (
    Forgettable,
    Forgotten,
    ItemChanges,
    ItemEvidence,
    JournalEntry,
    KnowledgeEntry,
    SessionRead,
    gather_decisions,
    in_force,
)

ITEM = "0a0a0a0a0a0a"


def entry(number: int, kind: KnowledgeEntry, body: Mapping[str, Any], item: str = "") -> JournalEntry:
    return JournalEntry("m1", number, 1_000 + number, kind, {"item": item, **body} if item else body)


def judged(number: int, decision: str, **more: str) -> JournalEntry:
    return entry(number, KnowledgeEntry.DECIDED, {"item": ITEM, "decision": decision, **more}, ITEM)


def undone(number: int, target: int) -> JournalEntry:
    return entry(number, KnowledgeEntry.UNDONE, {"machine": "m1", "number": target})


def kinds(*entries: JournalEntry) -> list[str]:
    return [str(one.kind) for one in gather_decisions(entries).decisions.get(ITEM, ())]


def test_decisions_come_by_item_with_an_edits_words() -> None:
    assert kinds(judged(1, "approve"), judged(2, "retire")) == ["approve", "retire"]
    made = gather_decisions([judged(1, "edit", sentence="Use `make all`.")]).decisions[ITEM]
    assert [one.changes.named for one in made] == [{"sentence": "Use `make all`."}]


def test_an_edit_may_set_everything_that_an_item_says_of_itself() -> None:
    changes = ItemChanges(
        scope=EVERYWHERE, category=Category.PITFALL, triggers=(Trigger(program="make", words=("all",)),), advice=""
    )
    body = msgspec.json.decode(msgspec.json.encode({"item": ITEM, "decision": "edit", **msgspec.to_builtins(changes)}))
    (made,) = gather_decisions([entry(1, KnowledgeEntry.DECIDED, body, ITEM)]).decisions[ITEM]
    assert made.changes == changes


def test_what_was_undone_was_never_decided() -> None:
    assert kinds(judged(1, "approve"), judged(2, "retire"), undone(3, 2)) == ["approve"]


def test_undoing_an_undo_brings_it_back() -> None:
    entries = [judged(1, "retire"), undone(2, 1), undone(3, 2)]
    assert kinds(*entries) == ["retire"]
    assert kinds(*entries, undone(4, 3)) == []


def test_what_people_wrote_and_imported_are_drafts() -> None:
    own, foreign = draft("Prune in March."), draft("Pick in autumn.", channel=Channel.IMPORTED)
    entries = [
        entry(1, KnowledgeEntry.ADDED, {"draft": msgspec.to_builtins(own)}),
        entry(2, KnowledgeEntry.IMPORTED, {"drafts": [msgspec.to_builtins(foreign)], "source": "import:team"}),
    ]
    assert gather_decisions(entries).drafts == (own, foreign)
    assert gather_decisions([*entries, undone(3, 1)]).drafts == (foreign,)


@pytest.mark.parametrize(
    ("what", "name"),
    [
        (Forgettable.SESSION, "s1"),
        (Forgettable.AGENT, "claude-code"),
        (Forgettable.SOURCE, "https://example.org/page"),
        (Forgettable.CHANNEL, "web"),
    ],
)
def test_what_is_forgotten_takes_the_evidence_from_there(what: Forgettable, name: str) -> None:
    read = piece("s1", channel=Channel.WEB, source="https://example.org/page")
    forgotten = gather_decisions([entry(1, KnowledgeEntry.FORGOTTEN, {"what": what, "name": name})]).forgotten
    assert forgotten.takes(read)
    assert not gather_decisions([]).forgotten.takes(read)


def test_a_session_is_forgotten_with_its_subagents_and_no_other() -> None:
    forgotten = Forgotten(frozenset({(Forgettable.SESSION, "s1")}))
    child = msgspec.structs.replace(piece("s1").session, native_id="s1/child")
    assert forgotten.covers(child)
    assert not forgotten.covers(piece("s2").session)


_entries = st.lists(st.tuples(st.booleans(), st.integers(1, 8)), max_size=8).map(
    lambda made: [
        undone(number, min(target, number - 1)) if is_undo and number > 1 else judged(number, "retire")
        for number, (is_undo, target) in enumerate(made, start=1)
    ]
)


@settings(max_examples=examples(50), deadline=None)
@given(_entries)
def test_an_entry_counts_exactly_if_no_entry_that_counts_undoes_it(entries: list[JournalEntry]) -> None:
    counting = in_force(entries)
    taken_back = {one.body["number"] for one in counting if one.kind == KnowledgeEntry.UNDONE}
    left_out = {one.number for one in entries} - {one.number for one in counting}
    assert left_out == taken_back


def _read(number: int, request: str, *drafts: Draft, confirms: str = "") -> JournalEntry:
    relations = (ItemEvidence(item=confirms, evidence=piece("s9")),) if confirms else ()
    body = SessionRead(
        request=request,
        session=piece("s9").session,
        model="orchard-1",
        prompt="1",
        checks=1,
        drafts=drafts,
        relations=relations,
    )
    return entry(number, KnowledgeEntry.READ, msgspec.json.decode(msgspec.json.encode(body)))


def test_what_a_model_read_is_drafted_and_what_it_confirms_is_evidence() -> None:
    made = gather_decisions([_read(1, "r1", draft("Prune in March."), confirms=ITEM)])
    assert [one.sentence for one in made.drafts] == ["Prune in March."]
    assert made.reports == {ITEM: (piece("s9"),)}


def test_of_several_answers_to_one_request_the_last_that_stands_counts() -> None:
    entries = [_read(1, "r1", draft("Prune in March.")), _read(2, "r1", draft("Prune in May."))]
    assert [one.sentence for one in gather_decisions(entries).drafts] == ["Prune in May."]
    assert [one.sentence for one in gather_decisions([*entries, undone(3, 2)]).drafts] == ["Prune in March."]


def settled(number: int, request: str, **claims: Any) -> JournalEntry:
    about = {"request": request, "repo": "orchard", "items": [], "model": "orchard-1", "prompt": "1", "checks": 1}
    return entry(number, KnowledgeEntry.CONSOLIDATED, {**about, **claims})


def test_of_notes_that_say_the_same_the_last_that_was_kept_stands_for_all() -> None:
    entries = [settled(1, "r1", same=[["a", "b"], ["c", "d"]]), settled(2, "r2", same=[["c", "a"]])]
    assert gather_decisions(entries).same == dict.fromkeys("abcd", "c")
    assert gather_decisions([*entries, undone(3, 2)]).same == {"a": "a", "b": "a", "c": "c", "d": "c"}


def test_of_several_answers_about_the_same_notes_the_last_counts() -> None:
    entries = [settled(1, "r1", same=[["a", "b"]]), settled(2, "r1", replaced=[["a", "b"]], contradict=[["c", "d"]])]
    result = gather_decisions(entries)
    assert (result.same, result.replaced) == ({}, {"b": ("a",)})
    assert result.contradicted == {"c": ("d",), "d": ("c",)}
