-- The deck: what hooks read first. Written once, never changed; see recall/deck/write.py for what the columns mean.
-- Beside these: the tables of lines.sql.

CREATE TABLE settings (name TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE roots (folder TEXT PRIMARY KEY, repo TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE remotes (remote TEXT PRIMARY KEY, repo TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- The files in `trees/`, by repository.
CREATE TABLE trees (repo TEXT PRIMARY KEY, file TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE blocks (
    repo TEXT NOT NULL,
    agent TEXT NOT NULL,
    listener TEXT NOT NULL,             -- session or subagent
    body TEXT NOT NULL,                 -- [[heading, [[item, text], …]], …]
    PRIMARY KEY (repo, agent, listener)
) STRICT, WITHOUT ROWID;

-- Work in progress, by repository.
CREATE TABLE threads (
    repo TEXT NOT NULL,
    branch TEXT NOT NULL,               -- "" where it has none of its own
    names TEXT NOT NULL,                -- [[stem, …], …]: a prompt that holds all of one names it
    body TEXT NOT NULL,                 -- [[item, text], …]
    PRIMARY KEY (repo, branch, names)
) STRICT, WITHOUT ROWID;

-- The notes that say what people said or want, by repository.
CREATE TABLE personal (repo TEXT NOT NULL, item TEXT NOT NULL, PRIMARY KEY (repo, item)) STRICT, WITHOUT ROWID;

-- The files in `deck/`, by repository. A name ends with the fingerprint of the file.
CREATE TABLE parts (
    repo TEXT PRIMARY KEY,
    file TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    changed_ns INTEGER NOT NULL,
    prompts TEXT NOT NULL               -- the mark of what its sessions and commits were read with
) STRICT, WITHOUT ROWID;

-- What lines and blocks were made from, by repository, and outside of all (""): not for hooks.
CREATE TABLE dealt (
    repo TEXT PRIMARY KEY,
    items TEXT NOT NULL,                -- marks of the notes,
    lines TEXT NOT NULL,                -- of the lines
    blocks TEXT NOT NULL,               -- and of the blocks
    stories INTEGER NOT NULL            -- of its sessions, as far as it matters how many there are
) STRICT, WITHOUT ROWID;

-- The checks that are on.
CREATE TABLE checks (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    repo TEXT NOT NULL,                 -- "" in all of them
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    wanted_by TEXT NOT NULL,
    command TEXT NOT NULL,
    other TEXT NOT NULL,
    path TEXT NOT NULL,
    pattern TEXT NOT NULL,
    is_strict INTEGER NOT NULL
) STRICT;

-- Each check under the rarest of the words that must occur where it may matter.
CREATE TABLE check_keys (
    moment TEXT NOT NULL,               -- call, file (about to be edited), ran, touched (a file), asks (a prompt)
    word TEXT NOT NULL,                 -- "" where there is none
    needs TEXT NOT NULL,                -- all of them, separated by blanks
    number INTEGER NOT NULL,
    PRIMARY KEY (moment, word, needs, number)
) STRICT, WITHOUT ROWID;
