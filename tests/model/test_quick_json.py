import json
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.every import for_every
from tests.thoroughness import examples

from afterwit.model.quick_json import dumps, loads

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@settings(max_examples=examples(100))
@given(VALUES)
def test_what_is_written_reads_back_here_and_elsewhere(value: object) -> None:
    assert loads(dumps(value)) == json.loads(dumps(value)) == value


@settings(max_examples=examples(100))
@given(VALUES, st.sampled_from(["", " ", "\n\t "]))
def test_it_reads_what_json_writes(value: object, blanks: str) -> None:
    assert loads(f"{blanks}{json.dumps(value, indent=1)}{blanks}") == value


@for_every("text", ["", " ", "{", "[1,", '{"a":1} x', "nul", "'a'", '"\n"', "{1:2}", '{"a"}'])
def test_what_is_no_json_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the message is the scanner's
        loads(text)


def test_a_lone_surrogate_survives() -> None:
    assert loads(dumps("a\ud800b")) == "a\ud800b"


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_numbers_that_json_lacks_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match="no such number"):
        dumps(value)


@pytest.mark.parametrize("value", [{1: 2}, {"a": {1, 2}}, b"bytes"])
def test_values_that_json_lacks_are_refused(value: object) -> None:
    with pytest.raises(TypeError):
        dumps(value)


def test_it_does_without_the_modules_that_make_json_slow() -> None:
    script = (
        "import sys; import afterwit.model.quick_json as q; q.loads(q.dumps({'a': [1]})); print('re' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"
