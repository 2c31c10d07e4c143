-- Looking at sessions: the full-text index, and facts about sessions that later stages fill in.

ALTER TABLE sessions ADD COLUMN is_partial INTEGER NOT NULL DEFAULT 0; -- known from a history of prompts alone
ALTER TABLE sessions ADD COLUMN outcome TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN task_type TEXT NOT NULL DEFAULT '';

-- Rowid = id of the event. Without content: the words are here, the text stays in the archive.
CREATE VIRTUAL TABLE texts USING fts5 (
    text,
    content = '',
    contentless_delete = 1,
    tokenize = 'unicode61 remove_diacritics 2'
);

-- Words are gathered in memory up to this size before they are written, which halves the work of a large import.
INSERT INTO texts (texts, rank) VALUES ('hashsize', 33554432);
