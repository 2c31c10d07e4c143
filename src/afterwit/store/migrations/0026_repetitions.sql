-- Where a user said again what a line or a note says that had been told: derived from digests, exposures and the journal.

CREATE TABLE repetitions (
    session_id INTEGER NOT NULL,
    item TEXT NOT NULL,                 -- the line or the note
    place INTEGER NOT NULL,             -- of the prompt among those of the session, or of the line that a model named
    is_read INTEGER NOT NULL,           -- 1: a model found it, 0: the words agree
    at_ms INTEGER NOT NULL,
    quote TEXT NOT NULL,
    PRIMARY KEY (session_id, item, place, is_read)
) STRICT, WITHOUT ROWID;

CREATE INDEX repetitions_by_item ON repetitions (item, session_id);

-- On what the rows of each session stand that had heard something: they are made again when it changes.
CREATE TABLE repetitions_sought (
    session_id INTEGER PRIMARY KEY,
    basis BLOB NOT NULL
) STRICT;
