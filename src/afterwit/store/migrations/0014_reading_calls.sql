-- How a request was asked, and the calls that brought no answer. All of it follows from the journal.

ALTER TABLE reading_requests ADD COLUMN asked_by TEXT NOT NULL DEFAULT '';   -- '': by files; 'call': by a call

CREATE TABLE reading_failures (
    request TEXT NOT NULL,
    failed_ms INTEGER NOT NULL,
    fault TEXT NOT NULL,                -- in words for people
    PRIMARY KEY (request, failed_ms)
) STRICT, WITHOUT ROWID;
