-- Instruction files that transcripts show: many sessions see the same text, so it is kept once.
-- Key = 64 bits of a hash of the text. Rows that no note names are removed.

CREATE TABLE shared_texts (
    key INTEGER PRIMARY KEY,
    text TEXT NOT NULL
) STRICT;

ALTER TABLE notes ADD COLUMN shared INTEGER; -- key of the rest of the text, where `text` is its first line only

CREATE INDEX notes_by_shared ON notes (shared) WHERE shared IS NOT NULL;
