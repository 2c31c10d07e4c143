"""Fits a decoded JSON value into a type as far as it goes.

For records whose fields are not of the type they should be: numbers as strings are converted, a field or a list item
that cannot be used is left out, and its path is noted. Never raises for a mapping against a struct. Knows JSON values,
structs, lists and unions of them; nothing about any agent.
"""

import types
from collections.abc import Mapping
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

_S = TypeVar("_S", bound=msgspec.Struct)
_FLAWS = 20


class _UnusableError(Exception):
    """The value has no place in the type."""


def loosely(value: Mapping[str, Any], kind: type[_S], flaws: list[str]) -> _S:
    """The struct with every field that could be filled. Appends the path of each one that could not to `flaws`."""
    return _struct(value, kind, flaws, "")


def _struct(value: Mapping[str, Any], kind: type[_S], flaws: list[str], at: str) -> _S:
    hints = get_type_hints(kind)
    found: dict[str, Any] = {}
    for field in msgspec.structs.fields(kind):
        if field.encode_name in value:
            path = f"{at}{field.encode_name}"
            try:
                found[field.name] = _fitted(value[field.encode_name], hints[field.name], flaws, path)
            except _UnusableError:
                _note(flaws, path)
    return kind(**found)


def _fitted(value: Any, kind: Any, flaws: list[str], at: str) -> Any:
    if kind in (Any, msgspec.Raw):
        return value
    options = get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)
    if isinstance(value, dict):
        struct = next((option for option in options if _is_struct(option)), None)
        if struct is not None:
            return _struct(value, struct, flaws, f"{at}.")
    if isinstance(value, list):
        listed = next((option for option in options if get_origin(option) is list), None)
        if listed is not None:
            return _items(value, get_args(listed)[0], flaws, at)
    return _scalar(value, options)


def _items(values: list[Any], kind: Any, flaws: list[str], at: str) -> list[Any]:
    found = []
    for index, value in enumerate(values):
        path = f"{at}[{index}]"
        try:
            found.append(value if kind is msgspec.Raw else _fitted(value, kind, flaws, path))
        except _UnusableError:
            _note(flaws, path)
    return found


def _scalar(value: Any, options: tuple[Any, ...]) -> Any:
    for option in options:
        if _is_struct(option) or get_origin(option) is list:
            continue
        try:
            return msgspec.convert(_likened(value, option), option, strict=False)
        except msgspec.ValidationError:
            continue
    raise _UnusableError


def _likened(value: Any, option: Any) -> Any:
    """A count that was written as 12.0, an id that was written as a number."""
    if option is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if option is str and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _note(flaws: list[str], path: str) -> None:
    if len(flaws) < _FLAWS:
        flaws.append(path)
