import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.thoroughness import examples

from afterwit.agents.declared.parsing import toml_of

FIXTURES = Path(__file__).parent / "fixtures"
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
SCALAR = TEXT | st.integers(-(2**60), 2**60) | st.booleans()
VALUE = SCALAR | st.lists(SCALAR, max_size=3) | st.dictionaries(TEXT, SCALAR | st.lists(SCALAR, max_size=2), max_size=3)
NAME = TEXT.filter(lambda name: name not in ("facts", "event", "spend"))
RULES = st.lists(st.dictionaries(TEXT, VALUE, min_size=1, max_size=3), min_size=1, max_size=3)


@settings(max_examples=examples(100), deadline=None)
@given(plain=st.dictionaries(NAME, VALUE, max_size=4), events=RULES)
def test_what_is_written_decodes_to_the_same(plain: dict[str, Any], events: list[dict[str, Any]]) -> None:
    table = {**plain, "event": events}
    assert tomllib.loads(toml_of(table)) == table


@pytest.mark.parametrize("name", ["tinker", "lathe"])
def test_a_description_survives_being_written(name: str) -> None:
    table = tomllib.loads((FIXTURES / f"{name}.toml").read_text())
    table["facts"] = table["facts"] if isinstance(table["facts"], list) else [table["facts"]]
    assert tomllib.loads(toml_of(table)) == table


def test_it_reads_like_written_by_hand() -> None:
    table = {
        "name": "tinker",
        "sniff": {"message.role": ["user", "model"]},
        "event": [{"when": {"type": "user"}, "kind": "prompt", "text": "message.content"}],
    }
    assert toml_of(table) == (
        'name = "tinker"\nsniff = { "message.role" = ["user", "model"] }\n\n'
        '[[event]]\nwhen = { type = "user" }\nkind = "prompt"\ntext = "message.content"\n'
    )
