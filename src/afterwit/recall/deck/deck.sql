-- The deck: what hooks read. Written once, never changed; see recall/deck/values.py for what the columns mean.

CREATE TABLE settings (name TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE roots (folder TEXT PRIMARY KEY, repo TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE remotes (remote TEXT PRIMARY KEY, repo TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- The files in `trees/`, by repository.
CREATE TABLE trees (repo TEXT PRIMARY KEY, file TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE blocks (
    repo TEXT NOT NULL,
    agent TEXT NOT NULL,
    body TEXT NOT NULL,                 -- [[heading, [[item, text], …]], …]
    PRIMARY KEY (repo, agent)
) STRICT, WITHOUT ROWID;

CREATE TABLE lines (
    id INTEGER PRIMARY KEY,
    item TEXT NOT NULL,
    text TEXT NOT NULL,
    scope TEXT NOT NULL,                -- global, repo or agent
    place TEXT NOT NULL,                -- its name
    authority TEXT NOT NULL,
    advice TEXT NOT NULL,
    confidence REAL NOT NULL,
    agents TEXT NOT NULL,               -- that it concerns, each between blanks; empty: all
    talks TEXT NOT NULL,                -- a JSON list: sessions whose quotes it stands for
    silent_in TEXT NOT NULL             -- repositories whose own files say it, or otherwise, each between blanks
) STRICT;

CREATE TABLE triggers (
    id INTEGER PRIMARY KEY,
    line INTEGER NOT NULL,
    program TEXT NOT NULL,
    words TEXT NOT NULL,                -- a JSON list
    signature TEXT NOT NULL,
    tool TEXT NOT NULL,
    path TEXT NOT NULL,
    rule TEXT NOT NULL,
    activity TEXT NOT NULL,
    lines TEXT NOT NULL                 -- a JSON list
) STRICT;

-- Each trigger under one word, the rarest of those that must occur where it fires.
CREATE TABLE keys (
    moment TEXT NOT NULL,               -- failure, command, first (call), activity, topic, path, or near: a path of what waits
    word TEXT NOT NULL,                 -- "" where there is none
    needs TEXT NOT NULL,                -- all of them, separated by blanks
    trigger INTEGER NOT NULL,
    PRIMARY KEY (moment, word, needs, trigger)
) STRICT, WITHOUT ROWID;

-- The lines of a repository's notes by the terms that a prompt finds them by: numbers of 4 bytes, each with 1 byte of weight.
CREATE TABLE note_terms (
    repo TEXT NOT NULL,
    term TEXT NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (repo, term)
) STRICT, WITHOUT ROWID;

CREATE TABLE indexes (
    repo TEXT NOT NULL,
    name TEXT NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (repo, name)
) STRICT, WITHOUT ROWID;
