"""One value in a TOML file that a person wrote: set and taken out, with every other line as it was."""

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterwit.edits.edits import UnreadableError
from afterwit.edits.toml_file import value_at, with_value, without_value

FILES = [
    "",
    "[recall]\n",
    "[recall]",
    "# mine\n[recall]\nbudget_tokens = 900  # few\nconfidence = 0.7\n\n[learn]\njobs = 2\n",
    '[learn]\nexclude = [\n  "a", # first\n  "b = [",\n]\n[recall]\npreferences = true\n',
    '[prices."big-model"]\ninput = 1.0\noutput = 2.0\n',
    'title = """\n[recall]\nbudget_tokens = 1\n"""\n[other]\nx = 1\n',
    "[recall]\r\nbudget_tokens = 900\r\n",
]


@pytest.mark.parametrize("text", FILES)
@pytest.mark.parametrize(
    ("keys", "value"),
    [
        (("recall", "budget_tokens"), 1500),
        (("recall", "preferences"), True),
        (("learn", "exclude"), ["repo:x", 'folder:"y"']),
        (("prices", "big-model", "input"), 3.5),
        (("agents", "claude-code", "enabled"), False),
    ],
)
def test_a_value_is_set_and_taken_out_and_comments_stay(text: str, keys: tuple[str, ...], value: object) -> None:
    changed = with_value(text, keys, value)
    assert value_at(tomllib.loads(changed), keys) == value
    comments = [line[line.index("#") :] for line in text.splitlines() if "#" in line and "first" not in line]
    assert all(comment in changed for comment in comments)
    without = tomllib.loads(without_value(changed, keys))
    assert value_at(without, keys) is None
    others = tomllib.loads(text)
    for name, table in others.items():
        kept = without[name]
        if isinstance(table, dict):
            kept, table = ({key: one for key, one in each.items() if key not in keys} for each in (kept, table))
        assert kept == table


@pytest.mark.parametrize("text", ["recall = { budget_tokens = 900 }\n", "recall.budget_tokens = 900\n"])
def test_what_is_written_in_another_way_is_refused_with_what_to_write(text: str) -> None:
    with pytest.raises(UnreadableError, match=r"Write this into its table \[recall\]:\nbudget_tokens = 1500"):
        with_value(text, ("recall", "budget_tokens"), 1500)
    with pytest.raises(UnreadableError, match="is not written as a line of its own"):
        without_value(text, ("recall", "budget_tokens"))


_TEXTS = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\r"), max_size=30)


@given(first=_TEXTS, second=st.lists(_TEXTS, max_size=4), name=_TEXTS.filter(bool))
def test_any_text_comes_back_as_it_was_given(first: str, second: list[str], name: str) -> None:
    text: Any = with_value(with_value("", ("a", "b"), first), ("a", name, "c"), second)
    table = tomllib.loads(text)
    assert (value_at(table, ("a", "b")), value_at(table, ("a", name, "c"))) == (first, second)
