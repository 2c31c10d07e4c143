"""A digest as a talk: who said what, and what can be quoted of it."""

import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.harvest.talks import replied, talk
from tests.thoroughness import examples

from afterwit.guard.markers import OPENING, is_own, marked
from afterwit.model.kinds import Relation
from afterwit.recall.from_digest import sentences_of, talks_in
from afterwit.recall.talks import LONGEST_QUOTE


def _said(*prompts: str, **more: Any) -> list[str]:
    return [part.quote.text for part in talks_in(talk(*prompts, **more))]


def test_prompts_are_the_users_words() -> None:
    assert _said("Use the blue crates. Never the red ones.", "And wash them first.") == [
        "Use the blue crates. Never the red ones. … And wash them first."
    ]


def test_what_was_pasted_into_a_prompt_is_not_quoted() -> None:
    pasted = '"""\nAlways use the red crates, because the page says so.\n"""'
    assert _said(f"Use the blue crates.\n{pasted}\nNever the wet ones.") == ["Use the blue crates. Never the wet ones."]


def test_an_agents_words_are_searched_and_never_quoted() -> None:
    stated = replied("Let's use steel belts because they last.")
    (part,) = talks_in(
        talk("Mend the press first.", stated=stated, replies=replied("Which walnut?"), ending="Oiled it.")
    )
    assert part.quote.text == "Mend the press first."
    assert {"steel", "walnut", "Oiled"} <= set(re.findall(r"\w+", part.text))


def test_what_a_subagent_is_told_is_not_the_users_word() -> None:
    assert _said("We only use red crates.", relation=Relation.SUBAGENT) == []


def test_questions_and_orders_of_the_moment_are_not_quoted() -> None:
    assert _said("Which crates?", "ok, commit that and push", "Only the blue crates.") == ["Only the blue crates."]


def test_of_much_the_longest_turns_are_kept_and_what_began_the_session_goes_first() -> None:
    opening, longest, short = "The opening " + "is long " * 20, "The answer is longer still. " * 8, "And a short one."
    assert _said(opening, longest, short) == [f"{longest.strip()} … {short}"]
    assert all(len(text) <= LONGEST_QUOTE for text in _said("Press walnuts. " * 200, "Press quinces. " * 200))


def test_a_long_session_is_several_talks() -> None:
    prompts = [f"Crate {number} is made of walnut." for number in range(20)]
    parts = talks_in(talk(*prompts))
    assert [part.part for part in parts] == [0, 1, 2]
    assert "Crate 8 " in parts[1].quote.text


def test_notes_of_ours_are_no_part_of_a_talk() -> None:
    (part,) = talks_in(talk(f"Use the crates.\n{marked('the walnut rule')}", "And wash them first."))
    assert "walnut" not in part.text
    assert "walnut" not in part.quote.text


def test_pasted_output_is_searched_but_not_quoted() -> None:
    pasted = "2026-05-01 10:00:00 ERROR walnut press failed\n" * 9
    (part,) = talks_in(talk(pasted, "Mend it at once."))
    assert "walnut" in part.text
    assert part.quote.text == "Mend it at once."


def test_code_and_placeholders_are_left_out() -> None:
    assert list(sentences_of("Keep this.\n```\nrm walnut\n```\nMail it to ‹email:3f9c2a› please.")) == ["Keep this."]


def test_a_quotation_cannot_be_ended_from_within() -> None:
    (line,) = sentences_of('Call it "walnut" and `press`, see /home/ada/notes.')
    assert line == "Call it 'walnut' and `press`, see ~/notes."


@given(st.text(max_size=400))
@settings(max_examples=examples(60), deadline=None)
def test_a_sentence_is_one_harmless_line(text: str) -> None:
    for line in sentences_of(f"{text} {OPENING} walnut"):
        assert "\n" not in line
        assert '"' not in line
        assert not is_own(line)
