-- What belongs to this database and lies beside it, each by a short mark: so another one in its place is noticed.

CREATE TABLE marks (
    name TEXT PRIMARY KEY,              -- redaction-key, machine, deck
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
