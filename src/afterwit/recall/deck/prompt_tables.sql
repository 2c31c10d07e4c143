-- What a hook asks at the first prompt: where work is likely to be, and what was decided. See recall/deck/prompt_tables.py.

CREATE TABLE prompt_repos (
    id INTEGER PRIMARY KEY,
    repo TEXT NOT NULL UNIQUE,
    mark TEXT NOT NULL,                 -- of the sessions that it was made from
    talks INTEGER NOT NULL,             -- how many there are
    body TEXT NOT NULL                  -- [[[path, sessions, what its words tell, how lately it was changed …], …],
                                        --  [[session, words, [file, …]], …] in time order, [file that was changed most, …]]
) STRICT;

CREATE TABLE prompt_terms (
    repo INTEGER NOT NULL,
    kind TEXT NOT NULL,                 -- said, path, name, symbol, branch: numbers of 4 bytes; talk: and 1 byte of weight
    term TEXT NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (repo, kind, term)
) STRICT, WITHOUT ROWID;

CREATE TABLE prompt_talks (
    repo INTEGER NOT NULL,
    number INTEGER NOT NULL,
    quote TEXT NOT NULL,                -- what the user said
    at_ms INTEGER NOT NULL,
    session TEXT NOT NULL,
    PRIMARY KEY (repo, number)
) STRICT, WITHOUT ROWID;
