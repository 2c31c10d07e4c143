from afterwit.harvest.wording import fitted, shown, shown_repo
from afterwit.model.knowledge import SENTENCE_LIMIT


def test_a_repository_is_named_without_host_and_owner() -> None:
    assert shown_repo("example.org/fruit/orchard") == "`orchard`"


def test_parts_that_do_not_fit_are_left_out_whole_and_the_ending_stays() -> None:
    parts = [f", {shown(f'src/{letter * 90}.py')}" for letter in "abc"]
    text = fitted("Work changes `x.py`", parts, "; its tests are in `t.py`")
    assert len(text) <= SENTENCE_LIMIT
    assert text.endswith("; its tests are in `t.py`.")
    assert text.count("`") % 2 == 0
    assert "…" not in text
