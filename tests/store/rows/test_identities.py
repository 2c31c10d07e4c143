import apsw
from tests.store.planted_rows import AGENT, plant

from afterwit.store.rows import repos


def test_tools_and_users_are_counted(db: apsw.Connection) -> None:
    plant(db, "one", "a.jsonl")
    plant(db, "two", "b.jsonl")
    db.execute("UPDATE sessions SET user = 'jo' WHERE native_id = 'two'")
    assert repos.tool_summaries(db) == [(AGENT, "Bash", "shell", 2, 2)]
    assert repos.user_summaries(db) == [("", AGENT, 1), ("jo", AGENT, 1)]
