"""Sentences that state something lasting, of people and of agents."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.every import for_every
from tests.thoroughness import examples

from afterwit.capture.assembly.notes import agent_statements, person_statements


@for_every(
    "sentence",
    [
        "Always run the linter before you commit.",
        "We never mock the database in tests.",
        "From now on use the small saw.",
        "Please don't add comments that repeat the code.",
        "We use pnpm here and not npm.",
        "Prefer composition over inheritance in this package.",
        "We decided to keep the old format.",
        "Let's go with the second plan.",
    ],
)
def test_a_rule_or_decision_of_a_person_is_taken(sentence: str) -> None:
    assert person_statements(f"Prune row three. {sentence}") == [sentence]


@pytest.mark.parametrize(
    "sentence",
    [
        "The root cause was a missing index on the table.",
        "It turns out that the cache is shared.",
        "This fails because the port is taken.",
        "We decided to use the async client.",
        "The runner does not support globs, so list the files instead.",
    ],
)
def test_a_cause_or_decision_of_an_agent_is_taken(sentence: str) -> None:
    assert agent_statements(f"I looked at it. {sentence}") == [sentence]


@for_every(
    "text",
    [
        "Prune the plums in row three",
        "Should we always do this?",
        "```\nalways run this first thing in the morning\n```",
        "> never do this thing again please",
        "# Always use headings for this",
        "never mind",
        "x = always(1) + never(2) if y else z(3)",
        "",
    ],
)
def test_tasks_questions_code_quotes_and_scraps_are_passed_over(text: str) -> None:
    assert person_statements(text) == []
    assert agent_statements(text) == []


def test_a_list_item_is_a_sentence() -> None:
    assert person_statements("Rules:\n- Always wash the saw\n- Never climb alone up there") == [
        "Always wash the saw",
        "Never climb alone up there",
    ]


def test_the_number_of_sentences_is_bounded() -> None:
    text = "\n".join(f"Always do the {number}th thing first." for number in range(50))
    assert len(person_statements(text)) == 8
    assert len(agent_statements(text.replace("Always", "We decided to"))) == 3


@given(st.text(max_size=300))
@settings(max_examples=examples(100), deadline=None)
def test_any_text_can_be_looked_through(text: str) -> None:
    for sentence in (*person_statements(text), *agent_statements(text)):
        assert "\n" not in sentence
        assert 0 < len(sentence) <= 320
