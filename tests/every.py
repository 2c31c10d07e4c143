"""Many values, one test: what `parametrize` does, where the values are hundreds and each takes no time.

A case of its own costs more than such a check. All values are checked, and all that fail are named.
"""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import pytest

Test = Callable[..., None]
Value = TypeVar("Value")


def for_every(names: str, values: Iterable[Any]) -> Callable[[Test], Test]:
    """Runs the test with each value. `names` are separated by commas; with more than one, a value is a tuple."""
    wanted = [name.strip() for name in names.split(",")]
    cases = [value if len(wanted) > 1 else (value,) for value in values]
    assert cases, "no values for " + names

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def with_every_value(**fixtures: Any) -> None:
            faults = []
            for case in cases:
                try:
                    test(**fixtures, **dict(zip(wanted, case, strict=True)))
                except AssertionError as error:
                    faults.append(f"{case!r:.300}: {error}")
                except BaseException as error:
                    error.add_note(f"with {case!r:.300}")
                    raise
            assert not faults, f"{len(faults)} of {len(cases)} fail\n" + "\n".join(faults)

        signature = inspect.signature(test)
        left = [one for name, one in signature.parameters.items() if name not in wanted]
        with_every_value.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return with_every_value

    return decorate


def per_group(name: str, values: Iterable[Value], group: Callable[[Value], str]) -> Callable[[Test], Test]:
    """One case for each group of values, such as all fixtures of an agent: the test runs with each value in turn.

    Goes above `given`, so that each value gets examples of its own."""
    groups: dict[str, list[Value]] = {}
    for value in values:
        groups.setdefault(group(value), []).append(value)

    def decorate(test: Test) -> Test:
        def with_each_value(group: str, **fixtures: Any) -> None:
            for value in groups[group]:
                try:
                    test(**fixtures, **{name: value})
                except BaseException as error:
                    error.add_note(f"with {value!s:.300}")
                    raise

        for attribute in ("__name__", "__qualname__", "__module__", "__doc__"):
            setattr(with_each_value, attribute, getattr(test, attribute))
        chosen = inspect.Parameter("group", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        left = [one for own, one in inspect.signature(test).parameters.items() if own != name]
        with_each_value.__signature__ = inspect.Signature([chosen, *left])  # type: ignore[attr-defined]
        per_case: Test = pytest.mark.parametrize("group", groups)(with_each_value)
        return per_case

    return decorate
