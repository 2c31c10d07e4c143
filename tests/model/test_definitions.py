"""Names that a piece of code defines, across languages."""

from tests.every import for_every

from afterwit.model.text import definitions_in


@for_every(
    "code, expected",
    [
        ("def pick(row):\n    pass\n\nclass Pear:\n    async def ripen(self): ...", ["pick", "Pear", "ripen"]),
        ("func (r *Row) Pick(n int) error {\n}\ntype Pear struct {", ["Pick", "Pear"]),
        ("pub fn pick() {}\nimpl Pear {}\npub(crate) struct Row;", ["pick", "Pear", "Row"]),
        ("export const ripe = 1\nexport default function pick() {}\ninterface Row {}", ["ripe", "pick", "Row"]),
        ("public static class Pear {\n", ["Pear"]),
        ("+def pick():\n-def drop():", ["pick", "drop"]),
        ("module github.com/ann/orchard\n\ngo 1.24", []),
        ("module Orchard\n  module Fruit::Pear\n", ["Orchard", "Fruit::Pear"]),
        ("declare module Pear {\nmodule Plum = Fruit.Plum", ["Pear", "Plum"]),
        ("module systems that ripen", []),
        ("just some prose about a class of pears", []),
        ("", []),
    ],
)
def test_definitions_are_found(code: str, expected: list[str]) -> None:
    assert definitions_in(code) == expected


def test_each_name_is_taken_once_and_their_number_is_bounded() -> None:
    assert definitions_in("def pick(): ...\ndef pick(): ...") == ["pick"]
    assert len(definitions_in("\n".join(f"def pick_{at}(): ..." for at in range(100)))) == 12
