-- What capture writes. Everything here can be derived again from the archive and the journal.
-- Ids of events and actions are part id * 2^24 + ordinal, so that the rows of a part lie together and need no index.

CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    agent TEXT NOT NULL,
    key BLOB NOT NULL,                  -- hash of agent and path: the identity; the path itself may hold a secret
    generation INTEGER NOT NULL,        -- counts how often the file was rewritten
    path TEXT NOT NULL,                 -- below the agent's home, redacted, for people
    role TEXT NOT NULL,                 -- transcript, companion
    is_live INTEGER NOT NULL,           -- 0: an earlier generation, kept because the later one lacks something
    state TEXT NOT NULL,                -- read, empty, failed
    error TEXT NOT NULL DEFAULT '',
    size_bytes INTEGER NOT NULL,        -- as the file system said when it was read
    mtime_ns INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    companions TEXT NOT NULL DEFAULT '',
    held_bytes INTEGER NOT NULL,        -- original bytes in the archive; 0: not archived
    sha256 TEXT NOT NULL DEFAULT '',    -- of those bytes
    cursor INTEGER NOT NULL DEFAULT 0,  -- up to here records were read
    resume BLOB,                        -- what reader and assembler need to go on from the cursor
    known TEXT NOT NULL DEFAULT '{}',   -- records by type
    unknown TEXT NOT NULL DEFAULT '{}',
    UNIQUE (key, generation)
) STRICT;

CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    agent TEXT NOT NULL,
    native_id TEXT NOT NULL,
    user TEXT NOT NULL,
    cwd TEXT NOT NULL,
    root TEXT NOT NULL,
    remote TEXT NOT NULL,
    repo TEXT NOT NULL DEFAULT '',
    branch TEXT NOT NULL,
    versions TEXT NOT NULL,             -- JSON list
    models TEXT NOT NULL,               -- JSON list
    origin TEXT NOT NULL,
    provider TEXT NOT NULL,
    parent TEXT NOT NULL,               -- native id
    relation TEXT NOT NULL,
    parent_call TEXT NOT NULL,
    started_ms INTEGER,
    ended_ms INTEGER,
    title TEXT NOT NULL,
    first_prompt TEXT NOT NULL,         -- typed by a person
    task TEXT NOT NULL,                 -- the same, or what a subagent was told by its parent
    prompts INTEGER NOT NULL,
    replies INTEGER NOT NULL,
    events INTEGER NOT NULL,
    actions INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    denials INTEGER NOT NULL,
    interrupts INTEGER NOT NULL,
    compactions INTEGER NOT NULL,
    model_errors INTEGER NOT NULL,
    tokens_input INTEGER NOT NULL,
    tokens_cache_read INTEGER NOT NULL,
    tokens_cache_write INTEGER NOT NULL,
    tokens_output INTEGER NOT NULL,
    tokens_reasoning INTEGER NOT NULL,
    UNIQUE (agent, native_id)
) STRICT;

CREATE INDEX sessions_by_start ON sessions (started_ms);
CREATE INDEX sessions_by_repo ON sessions (repo, started_ms);

-- What one file says of one session. A session is the merge of its parts.
CREATE TABLE parts (
    id INTEGER PRIMARY KEY,
    file_id INTEGER NOT NULL REFERENCES files (id),
    session_id INTEGER NOT NULL REFERENCES sessions (id),
    precedence TEXT NOT NULL,           -- which of two parts owns a record that both hold: the smaller
    facts BLOB NOT NULL,
    UNIQUE (file_id, session_id)
) STRICT;

CREATE INDEX parts_by_session ON parts (session_id);

CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    at_ms INTEGER,
    offset INTEGER NOT NULL,
    length INTEGER NOT NULL,
    is_copied INTEGER NOT NULL          -- its original belongs to another part
) STRICT;

CREATE TABLE actions (
    id INTEGER PRIMARY KEY,
    call_id TEXT NOT NULL,
    tool TEXT NOT NULL,
    kind TEXT NOT NULL,
    target TEXT NOT NULL,
    status TEXT NOT NULL,
    lean TEXT,
    exit_code INTEGER,
    error TEXT NOT NULL,
    at_ms INTEGER,
    duration_ms INTEGER,
    offset INTEGER NOT NULL,            -- of the call's record
    result_offset INTEGER
) STRICT;

CREATE TABLE spends (
    part_id INTEGER NOT NULL,
    key INTEGER NOT NULL,
    at_ms INTEGER,
    model TEXT NOT NULL,
    input INTEGER NOT NULL,
    cache_read INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    output INTEGER NOT NULL,
    reasoning INTEGER NOT NULL,
    cost_usd REAL,
    PRIMARY KEY (part_id, key)
) STRICT, WITHOUT ROWID;

-- Who owns a record that may have been copied: key = 64 bits of a hash of the record's identity.
CREATE TABLE claims (
    key INTEGER PRIMARY KEY,
    part_id INTEGER NOT NULL
) STRICT;

-- Files that hold copies of records which a part of another file owns.
CREATE TABLE copies (
    file_id INTEGER NOT NULL,
    owner_file_id INTEGER NOT NULL,
    PRIMARY KEY (file_id, owner_file_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX copies_by_owner ON copies (owner_file_id);

CREATE TABLE problems (
    file_id INTEGER NOT NULL REFERENCES files (id),
    offset INTEGER NOT NULL,
    length INTEGER NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (file_id, offset, reason)
) STRICT, WITHOUT ROWID;

-- Archive objects whose rows are gone; removed after the commit, or by the next run.
CREATE TABLE doomed (
    name TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE TABLE repos (
    root TEXT NOT NULL,                 -- as sessions.root, with its remote: what was seen
    remote TEXT NOT NULL,
    repo TEXT NOT NULL,                 -- what it was resolved to
    how TEXT NOT NULL,
    PRIMARY KEY (root, remote)
) STRICT, WITHOUT ROWID;

-- How far the journal of each machine has been applied, and the state of its decisions.
CREATE TABLE applied (
    machine TEXT PRIMARY KEY,
    number INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE aliases (
    subject TEXT NOT NULL,              -- repo, tool, user
    name TEXT NOT NULL,
    target TEXT NOT NULL,
    PRIMARY KEY (subject, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE checkouts (
    root TEXT PRIMARY KEY,
    remote TEXT NOT NULL
) STRICT, WITHOUT ROWID;
