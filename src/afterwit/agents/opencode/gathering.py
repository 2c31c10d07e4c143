"""Where OpenCode keeps its sessions: a database, and before 2026 a tree of small files.

The row of a session counts its tokens and dates its last change; these columns are left out, because the messages say
the same, and a growing session is to grow at its end only.
"""

from afterwit.sources.databases import Database, DatabaseGatherer, DatabaseTable
from afterwit.sources.gathering import Gatherer
from afterwit.sources.trees import Files, Tree, TreeGatherer

_COUNTED = frozenset(
    (
        *("time_updated", "summary_additions", "summary_deletions", "summary_files", "summary_diffs", "cost"),
        *("tokens_input", "tokens_output", "tokens_reasoning", "tokens_cache_read", "tokens_cache_write"),
    )
)
_UPDATED = frozenset(("time_updated",))
_PARTS = DatabaseTable("part", session="message_id", order=("id",), without=_UPDATED)
_DATABASE = Database(
    names=r"opencode(?:-[\w.-]+)?\.db",
    sessions=DatabaseTable("session", session="id", order=("id",), without=_COUNTED),
    tables=(
        DatabaseTable(
            "message",
            session="session_id",
            order=("time_created", "id"),
            changed="time_updated",
            without=_UPDATED,
            inner=(_PARTS,),
        ),
    ),
    updated="time_updated",
    marks=(DatabaseTable("part", session="session_id", changed="time_updated"),),
)
_TREE = Tree(
    "storage",
    (
        Files(
            "session/*/{session}.json",
            (Files("message/{session}/{message}.json", (Files("part/{message}/*.json"),)),),
        ),
    ),
)


def gatherers() -> tuple[Gatherer, ...]:
    return DatabaseGatherer(_DATABASE), TreeGatherer(_TREE)
