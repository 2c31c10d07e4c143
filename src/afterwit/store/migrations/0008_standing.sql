-- What the last whole run was made from, and what it reported: the same again means that there is nothing to do.

CREATE TABLE standing (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    mark TEXT NOT NULL,
    body BLOB NOT NULL                  -- JSON
) STRICT;
