-- The part of the deck for one repository: what is said and asked there. Written once, never changed.
-- Beside these: the tables of lines.sql. See recall/deck/prompt_tables.py for what a first prompt asks.

-- "repo": its name;
-- "places": [[[path, number, sessions, what its words tell, how lately it was changed …], …],
-- [[session, words, [file, …], number], …] in time order, [file that was changed most, …]].
CREATE TABLE indexes (name TEXT PRIMARY KEY, body ANY NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE prompt_terms (
    kind TEXT NOT NULL,                 -- said, path, name, branch: numbers of 4 bytes
    term TEXT NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (kind, term)
) STRICT, WITHOUT ROWID;

-- The rest is for whoever makes the next part out of this one, not for hooks.
CREATE TABLE prompt_files (number INTEGER PRIMARY KEY, path TEXT NOT NULL, words TEXT NOT NULL) STRICT;

CREATE TABLE prompt_works (
    number INTEGER PRIMARY KEY,
    key TEXT NOT NULL,                  -- of the session, or of the commit and its branch
    facts BLOB NOT NULL,                -- what it changed, and when
    terms BLOB NOT NULL                 -- under which it is filed
) STRICT;
