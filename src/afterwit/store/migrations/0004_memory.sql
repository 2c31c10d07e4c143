-- What users asked to be remembered, of the local backend: applied from the journal, which holds the truth.

-- A write takes a new id, so that the newest entries have the highest.
CREATE TABLE memory_entries (
    id INTEGER PRIMARY KEY,
    user TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    metadata TEXT NOT NULL, -- a JSON object
    created_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL,
    UNIQUE (user, key)
) STRICT;

-- The latest moment that was applied. Writes never go behind it, whatever the system's clock does: entries of the
-- journal are applied by time, so that a rebuild would otherwise put them in another order.
CREATE TABLE memory_clock (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    at_ms INTEGER NOT NULL
) STRICT;

-- Rowid = id of the entry. Each word is stemmed and marked with its user, so that the users' words lie apart.
CREATE VIRTUAL TABLE memory_words USING fts5 (
    words,
    content = '',
    contentless_delete = 1,
    detail = none,
    tokenize = 'ascii'
);
