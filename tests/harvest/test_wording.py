"""Foreign text in items is one harmless line, and sentences keep their length."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterwit.harvest.harvester import fit_sentence, plain, quote, quote_path, quote_repo, sentence
from afterwit.model.knowledge import SENTENCE_LIMIT


def test_a_command_is_put_between_backticks() -> None:
    assert quote("make  test\n  ALL=1") == "`make test ALL=1`"


def test_backticks_inside_cannot_end_the_quotation() -> None:
    assert quote("echo `id`") == "`echo 'id'`"


def test_what_cannot_be_seen_is_gone() -> None:
    assert quote("ls\x1b[31m a\u202eb\u200b") == "`ls ab`"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("cat /home/ada/notes.txt", "`cat ~/notes.txt`"),
        ("cat /Users/‹user:1a2b3c›/notes.txt", "`cat ~/notes.txt`"),
        (r"type C:\Users\ada\notes.txt", r"`type ~\notes.txt`"),
        ("ls /root/pears", "`ls ~/pears`"),
        ("ls src/home/index.ts", "`ls src/home/index.ts`"),
    ],
)
def test_home_folders_are_shortened(text: str, shown: str) -> None:
    assert quote(text) == shown


def test_a_text_that_needs_what_was_taken_out_is_refused() -> None:
    assert quote("curl -H ‹token:0011ff› https://example.org") == ""
    assert quote(" \n") == ""


def test_a_long_text_is_cut() -> None:
    assert quote("abc def", 5) == "`abc…`"


def test_a_short_sentence_stays_as_it_is() -> None:
    assert sentence("Use  `make`.\n") == "Use `make`."


def test_a_sentence_is_one_line_and_never_cut() -> None:
    assert sentence(f" Use\n`{'word ' * 100}`. ") == f"Use `{'word ' * 100}`."


@given(st.text(max_size=600))
def test_no_text_breaks_the_bounds(text: str) -> None:
    assert "`" not in plain(text)
    assert "\n" not in quote(text)
    assert len(quote(text)) <= 82
    assert "\n" not in sentence(text)


def test_a_repository_is_named_without_host_and_owner() -> None:
    assert quote_repo("example.org/fruit/orchard") == "`orchard`"


def test_parts_that_do_not_fit_are_left_out_whole_and_the_ending_stays() -> None:
    parts = [f", {quote_path(f'src/{letter * 90}.py')}" for letter in "abcd"]
    text = fit_sentence("Work changes `x.py`", parts, "; its tests are in `t.py`")
    assert len(text) <= SENTENCE_LIMIT
    assert text.endswith("; its tests are in `t.py`.")
    assert text.count("`") % 2 == 0
    assert "…" not in text
