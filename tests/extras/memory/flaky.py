"""A backend in memory that fails when told, before or after it did its work, and keeps count of what arrived."""

from collections.abc import Mapping

from afterwit.extras.memory.backend import Availability, BackendError, Operation, RejectedError
from afterwit.model.memory_entry import Entry, Hit, Write
from afterwit.store.rows.memory import search


class FlakyBackend:
    name = "flaky"
    leaves_machine = True
    privacy = "A test sees it."
    unsupported: Mapping[Operation, str] = {}

    def __init__(self) -> None:
        self.held: dict[tuple[str, str], Entry] = {}
        self.arrived: list[str] = []
        self.before: BackendError | None = None
        self.after: BackendError | None = None
        self.rejected_key = ""

    def availability(self) -> Availability:
        return Availability(self.before is None, str(self.before or ""))

    def store(self, write: Write, *, is_late: bool = False) -> None:
        self._fail(self.before)
        if write.key == self.rejected_key:
            raise RejectedError(f"{write.key} is not wanted here.")
        present = self.held.get((write.user, write.key))
        if not (is_late and present and present.updated_ms > write.at_ms):
            created = present.created_ms if present else write.at_ms
            self.held[write.user, write.key] = Entry(
                key=write.key, value=write.value, metadata=write.metadata, created_ms=created, updated_ms=write.at_ms
            )
        self.arrived.append(write.value)
        self._fail(self.after)

    def retrieve(self, user: str, key: str) -> Entry | None:
        self._fail(self.before)
        return self.held.get((user, key))

    def query(self, user: str, text: str, limit: int) -> list[Hit]:
        self._fail(self.before)
        return search([entry for (holder, _), entry in self.held.items() if holder == user], text, limit)

    def keys(self, user: str, prefix: str = "") -> list[str]:
        self._fail(self.before)
        return sorted(key for holder, key in self.held if holder == user and key.startswith(prefix))

    def delete(self, user: str, key: str, at_ms: int, *, is_late: bool = False) -> bool:
        self._fail(self.before)
        present = self.held.get((user, key))
        if present is None or (is_late and present.updated_ms > at_ms):
            return False
        del self.held[user, key]
        self._fail(self.after)
        return True

    def close(self) -> None:
        return None

    def _fail(self, error: BackendError | None) -> None:
        if error is not None:
            raise error
