"""What a model answered: tolerant in form, strict in content."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterwit.model.knowledge import Activity, Category, ItemKind
from afterwit.reader.answers import notes_schema, understand_notes
from afterwit.reader.requests import MOST_ITEMS

NOTE = {"sentence": "Prune `rows/7` in winter.", "lines": [3, 4], "category": "pitfall", "kind": "decision"}
WHOLE = json.dumps({"notes": [NOTE]})


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        f"```json\n{WHOLE}\n```",
        f"Here is what I saw:\n\n{WHOLE}\n\nThat is all.",
        json.dumps([NOTE]),
        json.dumps({"items": [NOTE], "more": 1}),
    ],
)
def test_an_answer_is_understood_however_it_is_wrapped(text: str) -> None:
    (proposal,) = understand_notes(text).proposals
    assert (proposal.sentence, proposal.lines) == ("Prune `rows/7` in winter.", (3, 4))
    assert (proposal.category, proposal.kind) == (Category.PITFALL, ItemKind.DECISION)


def test_an_empty_list_is_an_answer_and_text_without_one_is_none() -> None:
    assert understand_notes('{"notes": []}').fault == ""
    assert understand_notes("I found nothing.").fault
    assert understand_notes("").fault


def test_what_is_of_the_wrong_type_is_dropped() -> None:
    odd: dict[str, Any] = NOTE | {
        "lines": ["L3", "4", 5.5, None, True, "x"],
        "category": "rumour",
        "confidence": "high",
        "spares": 1e300,
        "programs": ["make prune", 7, ""],
        "activities": ["edit", "dance", []],
        "about": {"note": "abc", "relation": "doubts"},
    }
    (proposal,) = understand_notes(json.dumps({"notes": [odd]})).proposals
    assert proposal.lines == (3, 4)
    assert proposal.category is Category.FACT
    assert (proposal.confidence, proposal.spares) == (0.5, 1.0)
    assert proposal.programs == ("make prune",)
    assert proposal.activities == (Activity.EDIT,)
    assert (proposal.about, proposal.relation) == ("", "")


def test_no_more_notes_than_were_asked_for_are_taken() -> None:
    assert len(understand_notes(json.dumps({"notes": [NOTE] * 50})).proposals) == MOST_ITEMS


def test_the_schema_asks_for_every_field() -> None:
    note = notes_schema()["properties"]["notes"]["items"]
    assert set(note["required"]) == set(note["properties"])


@given(st.text() | st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists).map(json.dumps))
def test_anything_can_come_back(text: str) -> None:
    assert isinstance(understand_notes(text).fault, str)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            name: st.none() | st.integers() | st.text() | st.lists(st.integers() | st.text() | st.none())
            for name in ("sentence", "lines", "category", "kind", "when", "scope", "paths", "about", "confidence")
        },
    )
)
def test_any_note_is_a_proposal_or_none(note: dict[str, Any]) -> None:
    for proposal in understand_notes(json.dumps({"notes": [note]})).proposals:
        assert proposal.sentence
        assert 0.0 <= proposal.confidence <= 1.0
        assert all(isinstance(number, int) for number in proposal.lines)
