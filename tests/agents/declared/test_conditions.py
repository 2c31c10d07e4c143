from typing import Any

import pytest
from tests.every import for_every

from afterwit.agents.declared.description import Condition, DeclaredPlace, Requirement

RECORD = {"type": "user", "count": 1, "flag": True, "parts": [{"kind": "text"}, {"kind": "tool"}], "null": None}


def holds(*requirements: Requirement) -> bool:
    return Condition(requirements).holds(DeclaredPlace(RECORD, RECORD))


@for_every(
    "path, values, is_so",
    [
        ("type", ("user",), True),
        ("type", ("model",), False),
        ("type", ("model", "user"), True),
        ("count", (1,), True),
        ("count", ("1",), False),
        ("count", (True,), False),
        ("flag", (True,), True),
        ("flag", (1,), False),
        ("parts[].kind", ("tool",), True),
        ("parts[].kind", ("image",), False),
        ("absent", ("user",), False),
    ],
)
def test_a_field_has_one_of_the_values(path: str, values: tuple[Any, ...], is_so: bool) -> None:
    assert holds(Requirement(path, values)) is is_so


@pytest.mark.parametrize(("path", "is_there"), [("type", True), ("null", False), ("absent", False)])
def test_a_field_is_there_or_not(path: str, is_there: bool) -> None:
    assert holds(Requirement(path)) is is_there
    assert holds(Requirement(path, exists=False)) is not is_there


def test_all_requirements_must_hold() -> None:
    assert holds(Requirement("type", ("user",)), Requirement("count"))
    assert not holds(Requirement("type", ("user",)), Requirement("absent"))
