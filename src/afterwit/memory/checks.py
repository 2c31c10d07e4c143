"""What `memory evaluate` tries on a backend: whether it does what it should, and what becomes of writes under faults.

Every check runs as a user of its own, made for the evaluation, and says in a word or two what it tried. A backend that
raises fails the check with that message.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

from afterwit.memory.backends.backend import Backend, UnreachableError, UnsupportedError
from afterwit.memory.backends.queue import Queue, QueueingBackend
from afterwit.model.errors import AfterwitError
from afterwit.model.memory_entry import Entry, Write

Check = Callable[[Backend, str], bool]
PASSED = "passed"
SEPARATE, DELETED = "users are separate", "deleted entries are gone"
_AT = 1_000_000
_KEY = "evaluation.check"
_CALLS = ("store", "retrieve", "query", "keys", "delete")


def functionality(backend: Backend, user: str) -> dict[str, str]:
    """By check: `passed`, or what went wrong."""
    return {name: _outcome(check, backend, user) for name, check in _CHECKS.items()}


def faults(backend: Backend, user: str, folder: Path) -> dict[str, str]:
    """By fault: `passed` if nothing was lost or doubled, or what went wrong."""
    outcomes = {}
    for number, (name, is_done) in enumerate(_FAULTS.items()):
        queue = Queue(folder / f"queue-{number}.db", backend.name)
        try:
            outcomes[name] = _outcome(
                _fault(queue, folder / f"{number}.lock", 100 + 10 * number, is_done=is_done), backend, user
            )
        finally:
            queue.close()
    return outcomes


def _outcome(check: Check, backend: Backend, user: str) -> str:
    try:
        return PASSED if check(backend, user) else "failed: the answer is not what it should be"
    except UnsupportedError as error:
        return f"unsupported: {error}"
    except AfterwitError as error:
        return f"failed: {error}"


def _write(user: str, value: str, at: int = 0, key: str = _KEY) -> Write:
    return Write(user=user, key=key, value=value, metadata={"by": "evaluation", "count": 1}, at_ms=_AT + at)


def _value(backend: Backend, user: str) -> str | None:
    entry = backend.retrieve(user, _KEY)
    return entry.value if entry else None


def _keeps(backend: Backend, user: str) -> bool:
    text = "Zwei Leerzeichen\n\t“naïve” 🍏"
    backend.store(_write(user, text))
    wanted = Entry(key=_KEY, value=text, metadata={"by": "evaluation", "count": 1}, created_ms=_AT, updated_ms=_AT)
    return backend.retrieve(user, _KEY) == wanted


def _replaces(backend: Backend, user: str) -> bool:
    backend.store(_write(user, "first", 1))
    backend.store(_write(user, "second", 2))
    backend.store(_write(user, "second", 2))
    return _value(backend, user) == "second" and backend.keys(user) == [_KEY]


def _lists(backend: Backend, user: str) -> bool:
    backend.store(_write(user, "another", 3, "other.check"))
    return backend.keys(user) == [_KEY, "other.check"] and backend.keys(user, "other") == ["other.check"]


def _finds(backend: Backend, user: str) -> bool:
    backend.store(_write(user, "Prune the apple trees in March", 4))
    return _KEY in [hit.entry.key for hit in backend.query(user, "pruning apples", 5)]


def _separates(backend: Backend, user: str) -> bool:
    other = f"{user}-other"
    backend.store(_write(user, "mine", 5))
    unseen = backend.retrieve(other, _KEY) is None and backend.keys(other) == [] and not backend.query(other, "mine", 5)
    return unseen and backend.delete(other, _KEY, _AT + 6) is False and _value(backend, user) == "mine"


def _deletes(backend: Backend, user: str) -> bool:
    backend.store(_write(user, "gone soon", 7))
    is_deleted = all(backend.delete(user, key, _AT + 8) for key in backend.keys(user))
    return is_deleted and backend.keys(user) == [] and not backend.query(user, "gone soon", 5)


_CHECKS: dict[str, Check] = {
    "entries come back as they were": _keeps,
    "a second write replaces the first": _replaces,
    "keys are listed": _lists,
    "a query finds": _finds,
    SEPARATE: _separates,
    DELETED: _deletes,
}
_FAULTS = {"gone before a write": False, "gone in the middle of a write": True}


def _fault(queue: Queue, lock: Path, at: int, *, is_done: bool) -> Check:
    """Stores while the backend fails, then again with it working: the entry is there before, after, and once. Each
    fault has moments of its own, because one write may come to a backend again, but not after its deletion."""

    def check(backend: Backend, user: str) -> bool:
        now = [_AT + at]
        failing = _Failing(backend, is_done=is_done)
        queueing = QueueingBackend(cast("Backend", failing), lambda: backend, queue, lock, lambda: now[0])
        detour = queueing.store(_write(user, "kept through a fault", at + 1))
        is_seen = queueing.retrieve(user, _KEY) is not None
        failing.is_failing = False
        now[0] += 60_000
        is_delivered = queueing.deliver() == 1 and queue.first() is None
        is_once = _value(backend, user) == "kept through a fault" and backend.keys(user) == [_KEY]
        backend.delete(user, _KEY, _AT + at + 2)
        return detour.is_waiting and is_seen and is_delivered and is_once

    return check


class _Failing:
    """A backend whose answers get lost, before or after the work was done."""

    def __init__(self, backend: Backend, *, is_done: bool) -> None:
        self._backend = backend
        self._is_done = is_done
        self.is_failing = True

    def __getattr__(self, name: str) -> Any:
        given = getattr(self._backend, name)
        return partial(self._lose, name, given) if name in _CALLS else given

    def _lose(self, name: str, call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        is_made = not self.is_failing or (self._is_done and name == "store")
        answer = call(*arguments, **options) if is_made else None
        if self.is_failing:
            raise UnreachableError("The answer was lost, as the evaluation wanted it.")
        return answer
