"""What could not be read: of files that were read, and files that could not be opened."""

import msgspec

from afterwit.store.layout import Layout
from afterwit.store.rows.problems import problem_rows
from afterwit.store.store import readonly_database


class ProblemSeen(msgspec.Struct, frozen=True):
    agent: str
    path: str
    offset: int | None
    length: int | None
    reason: str


def problems(layout: Layout, limit: int = 0) -> list[ProblemSeen]:
    """The newest files first; 0 means all."""
    with readonly_database(layout) as db:
        return [ProblemSeen(*row) for row in problem_rows(db, limit)]
