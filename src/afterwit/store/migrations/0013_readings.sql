-- What models were asked to read, what they answered and what that took. All of it follows from the journal.

CREATE TABLE reading_requests (
    id TEXT PRIMARY KEY,
    agent TEXT NOT NULL,
    native_id TEXT NOT NULL,
    repo TEXT NOT NULL,
    part INTEGER NOT NULL,              -- counted from 1
    parts INTEGER NOT NULL,
    first_line INTEGER NOT NULL,        -- of the session that were sent, counted from 0; the end is not among them
    end_line INTEGER NOT NULL,
    lines_hash TEXT NOT NULL,           -- of these lines, so that an answer is not checked against others
    ended_ms INTEGER NOT NULL,          -- when the session had ended so far
    model TEXT NOT NULL,
    prompt TEXT NOT NULL,               -- its version
    asked_ms INTEGER NOT NULL,          -- the last time
    answered_ms INTEGER,                -- NULL: not yet
    notes INTEGER NOT NULL              -- that the checks let pass
) STRICT, WITHOUT ROWID;

CREATE TABLE reading_spends (           -- one for each time that a request was asked
    request TEXT NOT NULL,
    asked_ms INTEGER NOT NULL,
    tokens_in INTEGER NOT NULL,         -- reserved, and when the answer is there, what it took
    tokens_out INTEGER NOT NULL,
    cost_usd REAL,                      -- NULL: no price is known
    PRIMARY KEY (request, asked_ms)
) STRICT, WITHOUT ROWID;

CREATE TABLE reading_rejections (
    request TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    sentence TEXT NOT NULL,
    reason TEXT NOT NULL,
    detail TEXT NOT NULL,
    PRIMARY KEY (request, ordinal)
) STRICT, WITHOUT ROWID;
