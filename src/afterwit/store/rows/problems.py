"""The table of read errors."""

from collections.abc import Iterator
from typing import Any

import apsw


def problem_rows(db: apsw.Connection, limit: int) -> Iterator[tuple[Any, ...]]:
    """(agent, path, offset, length, reason); without an offset, where the whole file is concerned."""
    query = """SELECT agent, path, offset, length, reason FROM (
                   SELECT agent, path, offset, length, reason, mtime_ns FROM problems JOIN files ON files.id = file_id
                   UNION ALL SELECT agent, path, NULL, NULL, error, mtime_ns FROM files
                       WHERE state IN ('failed', 'damaged'))
               ORDER BY mtime_ns DESC, agent, path, offset LIMIT ?"""
    yield from db.execute(query, (limit or -1,))
