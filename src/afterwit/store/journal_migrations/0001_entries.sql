CREATE TABLE entries (
    machine TEXT NOT NULL,
    number INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (machine, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE machine (
    id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
