import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.every import for_every
from tests.harvest.talks import MAY_MS
from tests.thoroughness import examples

from afterwit.harvest.statements import (
    ROOM,
    attribute,
    is_deictic,
    is_document,
    is_general,
    momentary,
    typed_sentences,
    words_stated,
)
from afterwit.model.knowledge import SENTENCE_LIMIT

RULE = "Always prune the pears in winter."


def test_sentences_are_taken_one_by_one() -> None:
    assert typed_sentences(f"{RULE} Never prune the plums in spring.") == (RULE, "Never prune the plums in spring.")


def test_lower_case_typing_is_split_as_well() -> None:
    assert typed_sentences("we prune pears in winter. can you look at the plums") == (
        "we prune pears in winter.",
        "can you look at the plums",
    )


def test_code_quotes_tables_headings_and_output_are_passed_over() -> None:
    text = (
        "# Always prune the pears in winter\n> Always prune the plums in winter.\n| Always | prune the figs | soon |\n"
        "```\nalways prune the quinces in winter\n```\n<notes>Always prune the apples in winter.</notes>\n"
        "❯ always prune the cherries in winter\n"
    )
    assert typed_sentences(text) == ()


def test_text_with_notes_of_ours_is_not_read() -> None:
    assert typed_sentences(f"[afterwit notes from past sessions]\n{RULE}\n[end of afterwit notes]") == ()


def test_a_pasted_document_is_told_by_its_look() -> None:
    assert not is_document(f"ok, looks good. {RULE}")
    assert is_document("Implement the following plan:\n" + RULE)
    assert is_document("\n".join(f"- {RULE}" for _ in range(5)))
    assert is_document(f"## Findings\n{RULE}\n## More\n{RULE}\n## Rest\n{RULE}\n## End\n")
    assert is_document("High: the press never stops.")
    assert is_document("<command-name>prune</command-name>")


@for_every(
    "prompt",
    [
        RULE,
        f"ok, looks good. {RULE} And now the plums",
        f"Look at the press.\n\n{RULE}\n",
        f"- {RULE}\n- and the plums?",
        f"1. {RULE}\n2. Count the crates",
    ],
)
def test_a_sentence_that_a_user_typed_is_taken_whole(prompt: str) -> None:
    assert RULE in typed_sentences(prompt)


@for_every(
    "prompt",
    [
        f'Ann wrote "Be kind. {RULE} Bye" and left.',
        f"Ann wrote “Be kind. {RULE}” and left.",
        f"She says 'prune {RULE}' all day.",
        f"The ticket says: {RULE}",
        f'"""\n{RULE}\n"""\nIs that so?',
        f"> {RULE}\nIs that so?",
        f"Implement the following plan:\n{RULE}",
        f"The press is slow, so we\n{RULE[0].lower()}{RULE[1:]}",
        f"{RULE} " * 90,
    ],
)
def test_what_is_quoted_pasted_or_goes_on_before_is_not_the_users_sentence(prompt: str) -> None:
    assert not any("prune the pears" in sentence for sentence in typed_sentences(prompt))


@for_every(
    "prompt",
    [
        "Always prune the pears in\nwinter, before they wake",
        "Always prune the pears as in\n```\nmake winter\n```",
        'Always prune the pears as "Winter for growers" has it.',
        "Always prune the pears that ‹user:564f2c› planted.",
        f"Always prune the pears{', and the plums' * 20} in winter.",
    ],
)
def test_a_sentence_of_which_something_would_be_missing_is_not_taken(prompt: str) -> None:
    assert not any("prune the pears" in sentence for sentence in typed_sentences(prompt))


def test_what_names_a_page_or_a_removed_value_is_not_general() -> None:
    assert is_general("Prune the pears in winter.")
    assert not is_general("Prune as https://example.org says.")
    assert not is_general("Prune as ‹user:564f2c› says.")


def test_a_statement_is_shown_with_its_date() -> None:
    assert attribute(MAY_MS, RULE) == f'The user said on 2026-05-01: "{RULE}"'
    assert attribute(0, RULE) == f'The user said: "{RULE}"'


def test_quotes_and_stray_backticks_cannot_end_a_quotation() -> None:
    shown = attribute(MAY_MS, 'Say "stop" and use `prune.')
    assert shown == "The user said on 2026-05-01: \"Say 'stop' and use prune.\""


@given(st.text(max_size=ROOM))
@settings(max_examples=examples(80))
def test_a_shown_statement_is_one_line_within_the_limit_and_its_words_can_be_read_back(text: str) -> None:
    shown = attribute(MAY_MS, text)
    assert len(shown) <= SENTENCE_LIMIT
    assert "\n" not in shown
    assert shown.count('"') == 2
    assert shown.count("`") % 2 == 0
    assert words_stated(shown) == shown[shown.index('"') + 1 : -1]


def test_words_that_were_shown_as_an_agents_can_still_be_read_back() -> None:
    assert words_stated(f'The agent said on 2026-05-01: "{RULE}"') == RULE


def test_other_sentences_are_their_own_words() -> None:
    assert words_stated("Use `uv run pytest`.") == "Use `uv run pytest`."


@for_every(
    "text, what",
    [
        ("The release of 2026-03-04 broke it.", "a date"),
        ("Released on March 4, 2026 to all.", "a date"),
        ("The job starts at 14:30 every day.", "a time of day"),
        ("See 6e47bfce-57ce-48b6-912e-334e37d721de for more.", "an id"),
        ("Reverted in ffda090 again.", "a hash"),
        ("Closed by #46 last week.", "the number of an issue or a pull request"),
        ("As said in PR 12, pears float.", "the number of an issue or a pull request"),
        ("ORCH-112 asks for ripe pears.", "the key of a ticket"),
        ("Logs are in /tmp/press/out.log there.", "a temporary folder"),
        ("Logs are in /var/folders/ab/out.log there.", "a temporary folder"),
        ("Read /home/pip/notes.md first.", "a home folder"),
        (r"Read C:\Users\pip\notes.md first.", "a home folder"),
        ("Rebase feature/ripe-pears first.", "a branch"),
        ("Open localhost:49152 to see it.", "a port of the moment"),
        ("See press.ts:12 for the reason.", "a line of a file"),
        ("The name on line 12 is wrong.", "a line of a file"),
    ],
)
def test_a_text_about_one_moment_is_told_by_what_binds_it(text: str, what: str) -> None:
    assert momentary(text) == what


@for_every(
    "text",
    [
        "Use `uv run pytest -q` for the tests.",
        "Files are read as UTF-8 and hashed with SHA-256.",
        "Open localhost:3000 to see the orchard.",
        "The press takes 12 crates, never 13.",
        "`deadline` and `feedface` are names.",
        "Rules E501 and SA4006 are switched off.",
        "Compare with origin/main before a push.",
        "Put the fix in `fix/` only if `src/fix/press.ts` has none.",
        "Node 20.11.1 is needed.",
    ],
)
def test_a_lasting_text_is_bound_to_no_moment(text: str) -> None:
    assert momentary(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "Never touch this branch.",
        "We should skip it for now.",
        "It always fails here.",
        "Use the previous approach.",
        "As discussed, pears come first.",
        "Press is slow now, so wait.",
        "You suggested to always prune.",
    ],
)
def test_pointing_words_are_noticed(text: str) -> None:
    assert is_deictic(text)


@pytest.mark.parametrize(
    "text", ["From now on, prune in winter.", "Use `this.press` in classes.", "Pears are pressed whole."]
)
def test_words_that_only_look_like_pointing_are_not(text: str) -> None:
    assert not is_deictic(text)
