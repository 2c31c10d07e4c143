"""What a file is found by."""

from hypothesis import given
from hypothesis import strategies as st

from afterwit.capture.tree_index import MOST_CHARS, terms_of
from afterwit.redaction.markers import placeholder


def test_words_of_contents_path_and_name_are_told_apart() -> None:
    terms = terms_of("cellar/Shelf.py", "a quince")
    assert set(terms) == {"quince", "/cellar", "/shelf", "=shelf.py"}
    assert not any(terms.values())


def test_identifiers_are_taken_apart() -> None:
    assert {"basket", "total", "harvest"} <= set(terms_of("a.py", "basketTotal harvest_total"))


def test_a_word_stands_out_where_it_is_defined_or_frequent() -> None:
    terms = terms_of("a.py", "def mill(basket):\n    return quince, quince, quince, pear\n")
    assert (terms["mill"], terms["quince"], terms["pear"]) == (True, True, False)


def test_in_a_long_file_a_word_must_be_more_frequent_to_stand_out() -> None:
    filling = "\n".join(
        f"tree{letter}{other}" for letter in "abcdefghijklmnop" for other in "qrstuvwxyz" for _ in "123"
    )
    short, long = terms_of("a.txt", "quince " * 3), terms_of("a.txt", "quince " * 3 + filling * 4)
    assert (short["quince"], long["quince"]) == (True, False)


def test_numbers_in_disguise_and_endless_words_are_left_out() -> None:
    terms = terms_of("a.txt", f"a1b2c3d4 deadbeef0123 utf8 {'x' * 30} quince")
    assert {term for term in terms if term[0] not in "/="} == {"utf8", "quince"}


def test_placeholders_of_redaction_are_no_words() -> None:
    hidden = placeholder("harvester", "ada", b"k" * 16)
    assert "harvest" in hidden
    terms = terms_of("a.txt", f"quince {hidden} pear")
    assert {term for term in terms if term[0] not in "/="} == {"quince", "pear"}


def test_only_the_beginning_of_a_file_is_looked_at() -> None:
    terms = terms_of("a.txt", "pear " + " " * MOST_CHARS + "quince")
    assert ("pear" in terms, "quince" in terms) == (True, False)


@given(st.text(max_size=300), st.text(min_size=1, max_size=60))
def test_any_text_has_terms(text: str, path: str) -> None:
    terms = terms_of(path, text)
    assert terms == terms_of(path, text)
    assert all(isinstance(stands_out, bool) for stands_out in terms.values())
