"""Conditions on a record: fields that have one of some values, or that are there, or are not.

All requirements of a condition must hold. A path that walks a list holds where any of its values does. A value is
compared as it is: the text "1" is not the number 1, and true is no number.
"""

from typing import Any

import msgspec

from afterwit.agents.declared.paths import Place, values_at

Scalar = str | int | float | bool


class Requirement(msgspec.Struct, frozen=True):
    """One field: any of these values, or, without values, whether it is there."""

    path: str
    values: tuple[Scalar, ...] = ()
    exists: bool = True


class Condition(msgspec.Struct, frozen=True):
    requirements: tuple[Requirement, ...]

    def holds(self, place: Place) -> bool:
        return all(_holds(one, place) for one in self.requirements)


def _holds(one: Requirement, place: Place) -> bool:
    found = values_at(one.path, place)
    if not one.values:
        return bool(found) is one.exists
    return any(_is_same(value, wanted) for value in found for wanted in one.values)


def _is_same(value: Any, wanted: Scalar) -> bool:
    return isinstance(value, bool) is isinstance(wanted, bool) and bool(value == wanted)
