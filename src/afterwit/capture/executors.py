"""Which executors there are, and how one is reached by the address that a user gives.

Extras bring them: `dask://HOST:PORT` is a Dask cluster. So can others: an entry point of the group
`afterwit.executors` whose name stands before `://` in the address, and which is a function from the address to an
executor of `concurrent.futures`. What an executor needs is loaded when it is made.
"""

from collections.abc import Callable
from concurrent.futures import Executor
from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points

from afterwit.capture.elsewhere import Elsewhere
from afterwit.config.extras import extras, load
from afterwit.model.errors import AfterwitError, UsageError

GROUP = "afterwit.executors"


def executor_at(address: str) -> Elsewhere:
    """The executor at an address. Raises where there is none, or it cannot be reached."""
    refuse_unknown(address)
    name = address.partition("://")[0]
    points = {point.name: point for point in _points()}
    try:
        make: Callable[[str], Executor]
        make = load(_of_extras()[name]) if name in _of_extras() else points[name].load()
        return Elsewhere(make(address), address)
    except AfterwitError:
        raise
    except Exception as error:
        raise AfterwitError(f"{address} cannot be reached: {error}.") from error


def refuse_unknown(address: str) -> None:
    """Raises where there is no executor of the name in this address."""
    name = address.partition("://")[0]
    if name not in executor_names():
        close = get_close_matches(name, executor_names(), 1)
        meant = f" Do you mean {close[0]}?" if close else ""
        names = ", ".join(f"{other}://" for other in executor_names())
        raise UsageError(f"--executor {address}: there is no executor of this name; there are {names}.{meant}")


def executor_names() -> list[str]:
    own = _of_extras()
    return [*own, *sorted(point.name for point in _points() if point.name not in own)]


def _of_extras() -> dict[str, str]:
    return {name: code for extra in extras() for name, code in extra.executors.items()}


def _points() -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=GROUP))
