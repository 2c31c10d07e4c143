-- What pages and lists ask of large stores.

-- The words of the full-text index, to be looked up by their beginnings. It holds nothing of its own.
CREATE VIRTUAL TABLE text_words USING fts5vocab (texts, instance);

-- Which items there are, the most believed first, without a look at their bodies.
CREATE INDEX items_by_confidence ON items (confidence DESC, id, scope, category, harvester, status);
CREATE INDEX items_by_seen ON items (status, last_ms);
CREATE INDEX items_by_harvester ON items (harvester, status, scope);

-- Items that may contradict others: bodies name only the fields that say something. The bytes are the name of the field.
CREATE INDEX items_naming_opposites ON items (id) WHERE instr(body, x'636f6e7472616469637473');

-- Sessions by what lists of them are sorted by; the latest are found already.
CREATE INDEX sessions_by_tokens ON sessions (
    tokens_input + tokens_cache_read + tokens_cache_write + tokens_output, started_ms, native_id, agent
);
CREATE INDEX sessions_by_failures ON sessions (failures, started_ms, native_id, agent);
CREATE INDEX sessions_by_actions ON sessions (actions, started_ms, native_id, agent);
CREATE INDEX sessions_by_duration ON sessions (
    ifnull(ended_ms, 0) - coalesce(started_ms, ended_ms, 0), started_ms, native_id, agent
);

-- Who worked where, from one user and repository to the next.
CREATE INDEX sessions_by_user ON sessions (user, repo);
