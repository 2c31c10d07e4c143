import msgspec

from afterwit.agents.fields import loosely


class Leaf(msgspec.Struct):
    count: int | None = None
    name: str | None = None


class Tree(msgspec.Struct):
    leaf: Leaf | None = None
    leaves: str | list[Leaf | str] | None = None
    is_old: bool | None = msgspec.field(default=None, name="isOld")


def test_what_fits_is_kept_and_what_does_not_is_named() -> None:
    flaws: list[str] = []
    value = {"leaf": {"count": "7", "name": ["x"]}, "leaves": [{"count": 2.0}, "text", None], "isOld": "perhaps"}
    assert loosely(value, Tree, flaws) == Tree(leaf=Leaf(count=7), leaves=[Leaf(count=2), "text"])
    assert flaws == ["leaf.name", "leaves[2]", "isOld"]


def test_numbers_for_ids_become_text() -> None:
    flaws: list[str] = []
    assert loosely({"leaf": {"name": 17}}, Tree, flaws) == Tree(leaf=Leaf(name="17"))
    assert flaws == []


def test_the_list_of_flaws_is_bounded() -> None:
    flaws: list[str] = []
    loosely({"leaves": [None] * 1000}, Tree, flaws)
    assert len(flaws) == 20
