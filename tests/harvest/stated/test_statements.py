from hypothesis import given, settings
from hypothesis import strategies as st
from tests.harvest.talks import MAY_MS

from afterwit.harvest.stated.statements import StatedBy, attributed, is_general, is_typed, statements, words_stated
from afterwit.model.knowledge import SENTENCE_LIMIT

RULE = "Always prune the pears in winter."


def test_sentences_are_taken_one_by_one() -> None:
    assert statements(f"{RULE} Never prune the plums in spring.") == [RULE, "Never prune the plums in spring."]


def test_lower_case_typing_is_split_as_well() -> None:
    assert statements("we prune pears in winter. can you look at the plums") == [
        "we prune pears in winter.",
        "can you look at the plums",
    ]


def test_lines_that_were_broken_to_a_width_are_joined() -> None:
    text = "Prune\n\nThe press must stop before the barrel\nis full, because it leaks."
    assert statements(text, is_wrapped=True) == ["The press must stop before the barrel is full, because it leaks."]


def test_code_quotes_tables_headings_and_output_are_passed_over() -> None:
    text = (
        "# Always prune the pears in winter\n> Always prune the plums in winter.\n| Always | prune the figs | soon |\n"
        "```\nalways prune the quinces in winter\n```\n<notes>Always prune the apples in winter.</notes>\n"
        "❯ always prune the cherries in winter\n"
    )
    assert statements(text) == []


def test_questions_and_announcements_are_no_statements() -> None:
    assert statements("Should we always prune the pears?\nWe always prune these trees:") == []


def test_text_with_notes_of_ours_is_not_read() -> None:
    assert statements(f"[afterwit notes from past sessions]\n{RULE}\n[end of afterwit notes]") == []


def test_a_short_prompt_counts_as_typed() -> None:
    assert is_typed(f"ok, looks good. {RULE}")


def test_a_pasted_document_does_not() -> None:
    assert not is_typed("Implement the following plan:\n" + RULE)
    assert not is_typed("\n".join(f"- {RULE}" for _ in range(5)))
    assert not is_typed(f"## Findings\n{RULE}\n## More\n{RULE}\n## Rest\n{RULE}\n## End\n")
    assert not is_typed("High: the press never stops.")
    assert not is_typed("<command-name>prune</command-name>")
    assert not is_typed(RULE * 40)


def test_what_names_a_page_or_a_removed_value_is_not_general() -> None:
    assert is_general("Prune the pears in winter.")
    assert not is_general("Prune as https://example.org says.")
    assert not is_general("Prune as ‹user:564f2c› says.")


def test_a_statement_is_shown_with_speaker_and_date() -> None:
    assert attributed(StatedBy.USER, MAY_MS, RULE) == f'The user said on 2026-05-01: "{RULE}"'
    assert attributed(StatedBy.COMMIT, 0, RULE) == f'A commit said: "{RULE}"'


def test_quotes_and_stray_backticks_cannot_end_a_quotation() -> None:
    shown = attributed(StatedBy.AGENT, MAY_MS, 'Say "stop" and use `prune.')
    assert shown == "The agent said on 2026-05-01: \"Say 'stop' and use prune.\""


@given(st.text(max_size=400), st.sampled_from(StatedBy))
@settings(max_examples=80)
def test_a_shown_statement_is_one_line_within_the_limit_and_its_words_can_be_read_back(
    text: str, who: StatedBy
) -> None:
    shown = attributed(who, MAY_MS, text)
    assert len(shown) <= SENTENCE_LIMIT
    assert "\n" not in shown
    assert shown.count('"') == 2
    assert shown.count("`") % 2 == 0
    assert words_stated(shown) == shown[shown.index('"') + 1 : -1]


def test_other_sentences_are_their_own_words() -> None:
    assert words_stated("Use `uv run pytest`.") == "Use `uv run pytest`."
