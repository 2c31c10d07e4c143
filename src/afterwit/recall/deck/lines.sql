-- Lines and what makes them fire: those of one repository in its part of the deck, all others in the deck itself.

CREATE TABLE lines (
    id INTEGER PRIMARY KEY,             -- in the order in which they are said
    item TEXT NOT NULL,
    text TEXT NOT NULL,
    scope TEXT NOT NULL,                -- global, repo or agent
    place TEXT NOT NULL,                -- its name
    authority TEXT NOT NULL,
    advice TEXT NOT NULL,
    confidence REAL NOT NULL,
    agents TEXT NOT NULL,               -- that it concerns, each between blanks; empty: all
    silent_in TEXT NOT NULL,            -- repositories whose own files say it, or otherwise, each between blanks
    rank TEXT NOT NULL                  -- its place in that order, among those of the other file too
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
