-- What pages and lists ask of large stores.

-- The words of the full-text index, to be looked up by their beginnings. It holds nothing of its own.
CREATE VIRTUAL TABLE text_words USING fts5vocab (texts, instance);

-- Which items there are, the most believed first, without a look at their bodies.
CREATE INDEX items_by_confidence ON items (confidence DESC, id, scope, category, harvester, status);
