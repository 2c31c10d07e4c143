-- Digests, what they are made of, and originals that were given up for space.

-- What a digest needs and no other row holds. `place` is the ordinal of an action or an event, by the kind.
CREATE TABLE notes (
    part_id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    place INTEGER NOT NULL,
    at_ms INTEGER,
    text TEXT NOT NULL,
    PRIMARY KEY (part_id, kind, place)
) STRICT, WITHOUT ROWID;

-- One per session, packed. Made after capture, so a session can be without one for a while.
CREATE TABLE digests (
    session_id INTEGER PRIMARY KEY REFERENCES sessions (id),
    version INTEGER NOT NULL,
    body BLOB NOT NULL
) STRICT;

ALTER TABLE sessions ADD COLUMN is_digested INTEGER NOT NULL DEFAULT 0; -- 0: changed since its digest was made

ALTER TABLE files ADD COLUMN capture_version INTEGER NOT NULL DEFAULT 0; -- of the code that made its rows
ALTER TABLE files ADD COLUMN dropped_bytes INTEGER NOT NULL DEFAULT 0;   -- original bytes given up; 0: none
ALTER TABLE files ADD COLUMN dropped_ms INTEGER;

CREATE INDEX sessions_to_digest ON sessions (id) WHERE is_digested = 0;

-- Sessions whose originals are never given up. A decision, so it holds whether the session has a row just now or not.
CREATE TABLE pins (
    agent TEXT NOT NULL,
    native_id TEXT NOT NULL,
    PRIMARY KEY (agent, native_id)
) STRICT, WITHOUT ROWID;

-- Files whose original is being replaced by what remains of it; settled by the next run if this one is killed.
CREATE TABLE leaving (
    file_id INTEGER PRIMARY KEY
) STRICT;
