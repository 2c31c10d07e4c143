"""What SQLite does for whoever asks: the steps of its virtual machine, counted over every connection that is opened."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import apsw


class VmSteps:
    """The steps so far, and the statements that took them."""

    def __init__(self) -> None:
        self.statements: list[tuple[int, str]] = []

    @property
    def total(self) -> int:
        return sum(steps for steps, _ in self.statements)

    def note(self, event: dict[str, Any]) -> None:
        status = event["stmt_status"]
        self.statements.append((status["SQLITE_STMTSTATUS_VM_STEP"], event["sql"]))


@contextmanager
def counted_steps() -> Iterator[VmSteps]:
    """Of all connections that are opened inside."""
    steps = VmSteps()

    def watch(connection: apsw.Connection) -> None:
        connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, steps.note)

    apsw.connection_hooks.append(watch)
    try:
        yield steps
    finally:
        apsw.connection_hooks.remove(watch)
