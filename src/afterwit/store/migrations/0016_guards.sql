-- How fixes were judged: whether the tests that came with them fail without them. All of it follows from the journal.

CREATE TABLE guard_verdicts (
    commit_id TEXT PRIMARY KEY,
    repo TEXT NOT NULL,
    checked_ms INTEGER NOT NULL,
    body TEXT NOT NULL                  -- JSON, as the journal has it
) STRICT, WITHOUT ROWID;
