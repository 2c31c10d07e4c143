"""What calls say of the changes that they make, in the forms of different tools."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterwit.actions.changes import SpanChange, changes_of

PATCH = """*** Begin Patch
*** Update File: cider/press.py
@@ def turn(barrel):
 screw = 1
-turns = 2
+turns = 3
--- a remark
@@
-end
*** Add File: cider/oak.py
+staves = 24
+
*** Delete File: old.py
*** Update File: a.py
*** Move to: b.py
+moved = True
*** End Patch"""
UNIFIED = """diff --git a/press.py b/press.py
--- a/press.py
+++ b/press.py
@@ -1,2 +1,2 @@
 screw = 1
-turns = 2
+turns = 3
"""
SEARCH = "<<<<<<< SEARCH\nturns = 2\n=======\nturns = 3\nscrews = 1\n>>>>>>> REPLACE\n"


@pytest.mark.parametrize(
    "arguments",
    [
        {"file_path": "press.py", "old_string": "turns = 2", "new_string": "turns = 3"},
        {"path": "press.py", "old_str": "turns = 2", "new_str": "turns = 3"},
        {"path": "press.py", "edit": {"old": "turns = 2", "new": "turns = 3"}},
        {"file_path": "press.py", "edits": [{"old_string": "turns = 2", "new_string": "turns = 3"}]},
        {"edits": [{"path": "press.py", "oldText": "turns = 2", "newText": "turns = 3"}]},
    ],
)
def test_a_replacement_is_one_span_for_another(arguments: dict[str, Any]) -> None:
    assert changes_of(arguments) == [SpanChange("press.py", ("turns = 2",), ("turns = 3",))]


def test_a_file_that_is_written_whole_is_all_of_it() -> None:
    assert changes_of({"file_path": "a", "content": "x\ny\n"}) == [SpanChange("a", (), ("x", "y"), is_whole=True)]


def test_a_text_that_is_inserted_takes_nothing_away() -> None:
    insertion = {"command": "insert", "path": "a", "insert_line": 3, "insert_text": "x"}
    assert changes_of(insertion) == [SpanChange("a", (), ("x",))]


@pytest.mark.parametrize(
    "arguments",
    [{"input": PATCH}, {"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}\nEOF\n"]}, {"patch": PATCH}],
)
def test_a_patch_is_taken_apart_file_by_file(arguments: dict[str, Any]) -> None:
    assert changes_of(arguments) == [
        SpanChange("cider/press.py", ("screw = 1", "turns = 2", "-- a remark"), ("screw = 1", "turns = 3")),
        SpanChange("cider/press.py", ("end",), ()),
        SpanChange("cider/oak.py", (), ("staves = 24", ""), is_whole=True),
        SpanChange("b.py", (), ("moved = True",)),
    ]


def test_a_patch_as_git_writes_it() -> None:
    assert changes_of({"diff": UNIFIED}) == [
        SpanChange("press.py", ("screw = 1", "turns = 2"), ("screw = 1", "turns = 3"))
    ]


def test_blocks_of_search_and_replacement() -> None:
    span = SpanChange("press.py", ("turns = 2",), ("turns = 3", "screws = 1"))
    assert changes_of({"path": "press.py", "diff": SEARCH}) == [span]


@pytest.mark.parametrize("arguments", [None, {}, {"path": "a"}, {"command": "ls"}, {"edits": [1, None]}, {"new": 3}])
def test_what_has_none_of_these_forms_says_nothing(arguments: dict[str, Any] | None) -> None:
    assert changes_of(arguments) == []


@given(
    st.dictionaries(
        st.sampled_from(["input", "patch", "command", "old_string", "new_string", "content", "edits", "path"]),
        st.recursive(
            st.none() | st.integers() | st.text() | st.sampled_from([PATCH, UNIFIED, SEARCH]),
            lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["old", "new", "path"]), inner),
        ),
    )
)
def test_arguments_of_any_shape_are_read(arguments: dict[str, Any]) -> None:
    assert all(isinstance(line, str) for change in changes_of(arguments) for line in (*change.before, *change.after))
