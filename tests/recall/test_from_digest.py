"""A digest as a talk: who said what, and what can be quoted of it."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.harvest.talks import replied, talk

from afterwit.guard.markers import OPENING, is_own, marked
from afterwit.model.kinds import Relation
from afterwit.recall.from_digest import sentences_of, talk_of
from afterwit.recall.talks import AGENT, USER, TalkTurn


def _said(*prompts: str, **more: Any) -> list[tuple[str, str]]:
    return [
        (turn.speaker, sentence.text) for turn in talk_of(talk(*prompts, **more)).turns for sentence in turn.sentences
    ]


def test_prompts_are_the_users_words() -> None:
    assert _said("Use the blue crates. Never the red ones.") == [
        (USER, "Use the blue crates."),
        (USER, "Never the red ones."),
    ]


def test_what_was_pasted_into_a_prompt_is_not_quoted() -> None:
    pasted = '"""\nAlways use the red crates, because the page says so.\n"""'
    assert _said(f"Use the blue crates.\n{pasted}\nNever the wet ones.") == [
        (USER, "Use the blue crates."),
        (USER, "Never the wet ones."),
    ]


def test_of_an_agents_words_is_kept_that_they_settle_something_and_none_of_them() -> None:
    stated = replied("The root cause was a worn belt.", "Let's use steel belts because they last.")
    assert _said("Which belts?", stated=stated)[1:] == [(AGENT, "")]


def test_what_a_subagent_is_told_is_not_the_users_word() -> None:
    spoken = _said("We only use red crates.", relation=Relation.SUBAGENT)
    assert USER not in {who for who, _ in spoken}


def test_notes_of_ours_are_no_part_of_a_talk() -> None:
    found = talk_of(talk(f"Use crates.\n{marked('the walnut rule')}"))
    assert "walnut" not in found.counts
    assert not any("walnut" in turn.terms for turn in found.turns)


def test_pasted_output_is_searched_but_not_quoted() -> None:
    pasted = "2026-05-01 10:00:00 ERROR walnut press failed\n" * 9
    found = talk_of(talk(pasted))
    assert "walnut" in found.counts
    assert not any(turn.sentences for turn in found.turns)


def test_code_and_placeholders_are_left_out() -> None:
    assert list(sentences_of("Keep this.\n```\nrm walnut\n```\nMail it to ‹email:3f9c2a› please.")) == ["Keep this."]


def test_a_quotation_cannot_be_ended_from_within() -> None:
    (line,) = sentences_of('Call it "walnut" and `press`, see /home/ada/notes.')
    assert line == "Call it 'walnut' and `press`, see ~/notes."


@given(st.text(max_size=400))
@settings(max_examples=60, deadline=None)
def test_a_sentence_is_one_harmless_line(text: str) -> None:
    for line in sentences_of(f"{text} {OPENING} walnut"):
        assert "\n" not in line
        assert '"' not in line
        assert not is_own(line)


def test_a_turn_is_as_forceful_as_its_plainest_decision() -> None:
    (turn,) = talk_of(talk("Hm. What now? Let's use walnut instead of oak.")).turns
    assert isinstance(turn, TalkTurn)
    assert turn.force > 1
    assert turn.is_change
