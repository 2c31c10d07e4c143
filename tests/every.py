"""Many values, one test: what `parametrize` does, where the values are hundreds and each takes no time.

A case of its own costs more than such a check. All values are checked, and all that fail are named.
"""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

Test = Callable[..., None]


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
