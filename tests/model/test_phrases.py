import pytest

from afterwit.model.text import Phrases

FORMS = (r"\bNo such (?:File|folder)\b|^ladder: \S+ missing$", r"\bnot (?!yet)\w+", r"\bby setting (?-i:[A-Z_]{3,})=")


@pytest.mark.parametrize(
    ("text", "is_there"),
    [
        ("Error by setting TREE=1", True),
        ("error by setting tree=1", False),
        ("NO SUCH FILE", True),
        ("oak\nLadder: old missing\n", True),
        ("Not Yet", False),
    ],
)
def test_capitals_count_only_where_a_form_says_so(text: str, is_there: bool) -> None:
    assert Phrases(*FORMS).are_in(text) is is_there
