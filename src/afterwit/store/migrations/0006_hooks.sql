-- What hooks left in the spool.

-- What sessions were shown, or would have been but for the hold-out: applied from the journal, which holds the truth.
CREATE TABLE draws (
    key BLOB PRIMARY KEY,               -- of the record in the spool
    agent TEXT NOT NULL,
    session TEXT NOT NULL,              -- native id
    context TEXT NOT NULL,              -- of a subagent
    repo TEXT NOT NULL,
    moment TEXT NOT NULL,
    act TEXT NOT NULL,                  -- refuse, rewrite, or "": something was said
    at_ms INTEGER NOT NULL,
    is_held INTEGER NOT NULL,           -- the whole session gets nothing
    items TEXT NOT NULL,                -- JSON object: item to 1 (shown) or 0 (held out)
    text TEXT NOT NULL,                 -- that was shown
    would TEXT NOT NULL                 -- that would have been shown, where that is another
) STRICT, WITHOUT ROWID;

CREATE INDEX draws_by_session ON draws (agent, session);

-- Calls of tools as hooks saw them, while the session ran. The transcript says more, where there is one.
CREATE TABLE live_calls (
    key BLOB PRIMARY KEY,
    agent TEXT NOT NULL,
    session TEXT NOT NULL,
    context TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    call_id TEXT NOT NULL,
    tool TEXT NOT NULL,
    target TEXT NOT NULL,
    status TEXT NOT NULL,
    summary TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX live_calls_by_session ON live_calls (agent, session, at_ms);

-- What went wrong in hooks, which say nothing of it to the agent.
CREATE TABLE hook_faults (
    key BLOB PRIMARY KEY,
    agent TEXT NOT NULL,
    event TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    error TEXT NOT NULL,
    place TEXT NOT NULL,
    said TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX hook_faults_by_time ON hook_faults (at_ms);

-- The shares of the hold-out that people chose: applied from the journal.
CREATE TABLE experiment (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    session_share REAL NOT NULL,
    item_share REAL NOT NULL,
    since_ms INTEGER NOT NULL
) STRICT;
