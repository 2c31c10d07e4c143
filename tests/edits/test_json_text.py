"""Values go into and come out of JSON files, and every other character stays."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.every import for_every
from tests.thoroughness import examples

from afterwit.edits.edits import UnreadableError
from afterwit.edits.json_file import data, with_item, with_member, without

COMMENTED = """{
  // what I like
  "theme": "dark", /* really */
  "hooks": {
    "Stop": [
      {"command": "mine"}, // keep
    ],
  }, // the last one
}
"""

_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text('ab"\\/é ', max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=2), inner, max_size=3),
    max_leaves=6,
)
_documents = st.dictionaries(st.sampled_from(["a", "b", "list", "deep"]), _values, max_size=4)
_styles = st.sampled_from([None, 2, 4, "\t"])


def test_a_member_goes_to_the_end_in_the_style_of_the_file() -> None:
    assert with_member('{\n    "a": 1\n}\n', ("b", "c"), [2]) == (
        '{\n    "a": 1,\n    "b": {\n        "c": [\n            2\n        ]\n    }\n}\n'
    )
    assert with_member('{"a": 1}', ("b",), {"c": 2}) == '{"a": 1, "b": {"c": 2}}'
    assert with_member('{\r\n  "a": {}\r\n}\r\n', ("a", "b"), 1) == '{\r\n  "a": {\r\n    "b": 1\r\n  }\r\n}\r\n'
    assert with_member("", ("a",), 1) == '{\n  "a": 1\n}\n'


def test_of_a_key_that_is_written_twice_the_one_that_counts_is_changed() -> None:
    twice = '{"hooks": {"Stop": [1]}, "hooks": {"Stop": [2]}}'
    added = with_item(twice, ("hooks", "Stop"), 3)
    assert json.loads(added) == {"hooks": {"Stop": [2, 3]}}
    assert without(added, ("hooks", "Stop", 1)) == twice


def test_comments_and_trailing_commas_stay_where_they_are() -> None:
    added = with_item(COMMENTED, ("hooks", "Stop"), {"command": "ours"})
    assert added == COMMENTED.replace("// keep\n", '// keep\n      {\n        "command": "ours"\n      },\n')
    assert without(added, ("hooks", "Stop", 1)) == COMMENTED


def test_a_member_behind_a_comment_does_not_become_part_of_it() -> None:
    text = '{\n  "a": 1 // one\n}'
    added = with_member(text, ("b",), 2)
    assert added == '{\n  "a": 1, // one\n  "b": 2\n}'
    assert without(added, ("b",)) == text
    assert data(without('{"a": 1, // one\n"b": 2}', ("b",))) == {"a": 1}


@for_every(
    "text, told",
    [
        ('{"a": 1', "line 1: it ends"),
        ('{"a" 1}', "line 1: a key in quotes"),
        ('{\n"a": 1\n"b": 2}', "line 3: a comma or } is expected"),
        ("{'a': 1}", "line 1: a key in quotes"),
        ('{"a": 01}', "01 is no value"),
        ("{} {}", "line 1: something follows"),
        ('{"a": "x\n"}', "line 1: a value is expected"),
        ("[" * 200, "nested too deeply"),
    ],
)
def test_what_is_no_json_is_refused_with_its_line(text: str, told: str) -> None:
    with pytest.raises(UnreadableError, match=told.replace("}", r"\}")):
        data(text)


def test_a_value_of_another_kind_in_the_way_is_an_error() -> None:
    with pytest.raises(UnreadableError, match=r"hooks should be an object"):
        with_member('{"hooks": []}', ("hooks", "Stop"), [1])
    with pytest.raises(UnreadableError, match=r"hooks should be a list"):
        with_item('{"hooks": {}}', ("hooks",), 1)


@settings(max_examples=examples(150))
@given(_documents, _styles, st.sampled_from([("new",), ("deep", "new"), ("new", "er", "est")]), _values)
def test_a_member_that_came_in_comes_out_without_a_trace(
    document: dict[str, Any], style: int | str | None, path: tuple[str, ...], value: Any
) -> None:
    text = json.dumps(document, indent=style, ensure_ascii=False)
    if not isinstance(document.get("deep", {}), dict):
        return
    added = with_member(text, path, value)
    found = data(added)
    for name in path:
        found = found[name]
    assert found == value
    top = path[:1] if path[0] not in document else path
    removed = without(added, top)
    assert data(removed) == document
    if document and document.get("deep") != {}:
        assert removed == text


@settings(max_examples=examples(100))
@given(st.lists(_values, max_size=4), _styles, _values)
def test_an_item_that_came_in_comes_out_without_a_trace(items: list[Any], style: int | str | None, value: Any) -> None:
    text = json.dumps({"list": items}, indent=style, ensure_ascii=False)
    added = with_item(text, ("list",), value)
    assert data(added) == {"list": [*items, value]}
    assert without(added, ("list", len(items))) == text


@settings(max_examples=examples(100))
@given(st.lists(_values, min_size=1, max_size=4), _styles, st.data())
def test_any_item_can_be_cut_out(items: list[Any], style: int | str | None, draw: st.DataObject) -> None:
    place = draw.draw(st.integers(0, len(items) - 1))
    text = json.dumps({"list": items, "a": 1}, indent=style)
    assert data(without(text, ("list", place))) == {"list": items[:place] + items[place + 1 :], "a": 1}
