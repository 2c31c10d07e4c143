-- Knowledge: what harvesters saw in each session, what they drafted from it, and the items that came of it.

-- What a session was harvested as. Another version or repository: it is looked at again.
CREATE TABLE harvested (
    session_id INTEGER PRIMARY KEY,
    version TEXT NOT NULL,
    repo TEXT NOT NULL
) STRICT;

CREATE TABLE sightings (
    harvester TEXT NOT NULL,
    matter TEXT NOT NULL,               -- what they belong to and are concluded with
    session_id INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    body BLOB NOT NULL,                 -- MessagePack, by the harvester's own type
    PRIMARY KEY (harvester, matter, session_id, ordinal)
) STRICT, WITHOUT ROWID;

CREATE INDEX sightings_by_session ON sightings (session_id);

-- Matters of which something new was seen: to be concluded again.
CREATE TABLE touched (
    harvester TEXT NOT NULL,
    matter TEXT NOT NULL,
    PRIMARY KEY (harvester, matter)
) STRICT, WITHOUT ROWID;

CREATE TABLE drafts (
    id TEXT NOT NULL,
    harvester TEXT NOT NULL,
    matter TEXT NOT NULL,
    body BLOB NOT NULL,                 -- MessagePack of a Draft
    PRIMARY KEY (harvester, matter, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE items (
    id TEXT PRIMARY KEY,
    scope TEXT NOT NULL,                -- global, repo:NAME, agent:NAME
    category TEXT NOT NULL,
    harvester TEXT NOT NULL,
    status TEXT NOT NULL,
    confidence REAL NOT NULL,
    last_ms INTEGER NOT NULL,
    body BLOB NOT NULL                  -- MessagePack of an Item
) STRICT;

CREATE INDEX items_by_scope ON items (scope, status);

-- Rowid = that of the item.
CREATE VIRTUAL TABLE item_words USING fts5 (
    words,
    content = '',
    contentless_delete = 1,
    tokenize = 'porter unicode61 remove_diacritics 2'
);

-- What the gate kept out, and why.
CREATE TABLE rejections (
    id TEXT NOT NULL,
    reason TEXT NOT NULL,
    harvester TEXT NOT NULL,
    scope TEXT NOT NULL,
    sentence TEXT NOT NULL,
    PRIMARY KEY (id, reason)
) STRICT, WITHOUT ROWID;

-- Pairs of items that may say the same thing; a person decides.
CREATE TABLE doubles (
    one TEXT NOT NULL,
    other TEXT NOT NULL,
    PRIMARY KEY (one, other)
) STRICT, WITHOUT ROWID;

-- What people decided about items, of all machines: applied from the journal, which holds the truth.
CREATE TABLE item_decisions (
    machine TEXT NOT NULL,
    number INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    item TEXT NOT NULL,                 -- "": it concerns many
    body TEXT NOT NULL,                 -- a JSON object
    PRIMARY KEY (machine, number)
) STRICT, WITHOUT ROWID;

-- What agents were shown, or would have been shown but for the hold-out: applied from the journal.
CREATE TABLE exposures (
    agent TEXT NOT NULL,
    session TEXT NOT NULL,              -- native id
    item TEXT NOT NULL,
    moment TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    is_shown INTEGER NOT NULL,
    PRIMARY KEY (agent, session, item, moment)
) STRICT, WITHOUT ROWID;

-- On which state the items stand: they are settled again when it changes.
CREATE TABLE settled (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    mark TEXT NOT NULL
) STRICT;
