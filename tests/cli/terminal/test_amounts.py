import pytest

from afterwit.model.figures import human_dollars, human_span, human_tokens


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0"), (999, "999"), (1_234, "1.2k"), (2_100_000, "2.1M"), (3 * 10**11, "300G")]
)
def test_tokens_are_short(count: int, text: str) -> None:
    assert human_tokens(count) == text


def test_dollars_say_what_is_not_known() -> None:
    assert human_dollars(None) == "?"
    assert human_dollars(1.5, is_partial=True) == "$1.50+"
    assert human_dollars(0.001) == "<$0.01"
    assert human_dollars(0.0) == "$0.00"


@pytest.mark.parametrize(
    ("span", "text"),
    [(None, ""), (40, "40 ms"), (2_000, "2 s"), (90_000, "2 min"), (5_400_000, "1.5 h"), (4 * 86_400_000, "4 d")],
)
def test_spans_have_one_unit(span: int | None, text: str) -> None:
    assert human_span(span) == text
