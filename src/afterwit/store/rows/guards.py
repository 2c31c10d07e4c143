"""Rows of verdicts on fixes: whether the tests that came with them fail without them.

They follow from entries of the journal; of several verdicts on a commit the latest counts, in whatever order the
entries of several machines come.
"""

from collections.abc import Mapping
from typing import Any

import apsw
import msgspec

from afterwit.model.guards import CheckedFix, GuardVerdict

_VERDICT = msgspec.json.Decoder(GuardVerdict)


def put_verdict(db: apsw.Connection, at_ms: int, body: Mapping[str, Any]) -> None:
    """A verdict on a fix, unless a later one is there."""
    text = msgspec.json.encode(body, order="deterministic").decode()
    db.execute(
        """INSERT INTO guard_verdicts (commit_id, repo, checked_ms, body) VALUES (?, ?, ?, ?)
           ON CONFLICT (commit_id) DO UPDATE SET repo = excluded.repo, checked_ms = excluded.checked_ms,
           body = excluded.body WHERE excluded.checked_ms >= guard_verdicts.checked_ms""",
        (body["commit"], body["repo"], at_ms, text),
    )


def verdicts(db: apsw.Connection) -> dict[str, GuardVerdict]:
    """All verdicts, by commit."""
    rows = db.execute("SELECT commit_id, body FROM guard_verdicts ORDER BY commit_id")
    return {commit: _VERDICT.decode(body) for commit, body in rows}


def checked_fixes(db: apsw.Connection) -> list[CheckedFix]:
    """All verdicts with the time of the check, by commit."""
    rows = db.execute("SELECT body, checked_ms FROM guard_verdicts ORDER BY commit_id")
    return [CheckedFix(_VERDICT.decode(body), checked_ms) for body, checked_ms in rows]
