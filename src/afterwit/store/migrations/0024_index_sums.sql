-- What each block of the full-text indexes was when it was written: no table says what should stand in them.
CREATE TABLE index_sums (
    name TEXT NOT NULL, id INTEGER NOT NULL, sum INTEGER NOT NULL, PRIMARY KEY (name, id) -- of the index, of the block
) STRICT, WITHOUT ROWID;

-- A database of the time in which the migration before was still being written lacks it.
CREATE INDEX IF NOT EXISTS sessions_by_user ON sessions (user, repo);
