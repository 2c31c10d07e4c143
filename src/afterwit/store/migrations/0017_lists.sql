-- What lists of sessions ask, answered by indexes: the latest of them, and short names.

DROP INDEX sessions_by_start;
CREATE INDEX sessions_by_start ON sessions (started_ms, native_id, agent);

-- People name a session by the beginning of the last part of its id, as far as no other has the same.
ALTER TABLE sessions ADD COLUMN tail TEXT NOT NULL GENERATED ALWAYS AS (
    substr(
        native_id,
        length(rtrim(native_id, replace(native_id, '/', ''))) + 1
        + 6 * (substr(native_id, length(rtrim(native_id, replace(native_id, '/', ''))) + 1, 6) = 'agent-')
    )
) VIRTUAL;

CREATE INDEX sessions_by_tail ON sessions (tail);

-- Sessions that came out of no other are counted by agent and repository whenever somebody asks what to tell.
CREATE INDEX sessions_by_story ON sessions (agent, repo) WHERE parent = '';

-- What the archive should hold is asked by every run: without the long rows of files.
CREATE INDEX files_by_object ON files (key, generation, held_bytes, dropped_ms, role, state);
CREATE INDEX files_dropped ON files (dropped_ms) WHERE dropped_ms IS NOT NULL;
