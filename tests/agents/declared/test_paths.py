from typing import Any

import pytest
from tests.every import for_every

from afterwit.agents.declared.description import DeclaredPlace, parsed, values_at

RECORD = {
    "type": "reply",
    "message": {"role": "model", "parts": [{"text": "one"}, {"text": None}, {"other": 1}, {"text": "two"}]},
    "attributes": {"session.id": "s-1"},
    "grid": [[1, 2], [3]],
    "nothing": None,
    "no": False,
}


def found(path: str, element: Any = RECORD) -> list[Any]:
    return list(values_at(path, DeclaredPlace(element, RECORD)))


@for_every(
    "path, values",
    [
        ("type", ["reply"]),
        ("message.role", ["model"]),
        ("message.parts[].text", ["one", "two"]),
        ("message.parts[3].text", ["two"]),
        ("message.parts[9].text", []),
        ('attributes."session.id"', ["s-1"]),
        ("grid[][]", [1, 2, 3]),
        ("grid[0][1]", [2]),
        ("no", [False]),
        ("nothing", []),
        ("message.role.deeper", []),
        ("type[]", []),
        ("absent.at.all", []),
    ],
)
def test_a_path_leads_to_its_values(path: str, values: list[Any]) -> None:
    assert found(path) == values


def test_a_path_starts_at_the_element_unless_it_says_otherwise() -> None:
    element = {"type": "part"}
    assert found("type", element) == ["part"]
    assert found("$.type", element) == ["reply"]


@for_every("path", ["", "$", ".", "a..b", "a.", ".a", "a[", "a[x]", "a]b", "a b.[", 'a."b', "a[-1]"])
def test_what_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="path"):
        parsed(path)


def test_names_with_blanks_and_hyphens_are_names() -> None:
    assert list(values_at("tool-call.exit code", DeclaredPlace({"tool-call": {"exit code": 2}}, {}))) == [2]
