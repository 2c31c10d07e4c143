-- Requests that ask about notes by id, beside those that ask about sessions.

ALTER TABLE reading_requests ADD COLUMN items TEXT NOT NULL DEFAULT '';  -- their ids, with spaces; '': about a session
