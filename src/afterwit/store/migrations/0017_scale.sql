-- So that one more session costs what it touches, whatever the store holds: sightings are found by their age, sessions are
-- named as evidence once, drafts are found by where they hold, and what is asked at every run is counted as rows change.
-- What was seen, and what follows from it, is derived again from the digests by the next run.

DROP TABLE sightings;

CREATE TABLE sightings (
    harvester TEXT NOT NULL,
    matter TEXT NOT NULL,               -- what they belong to and are concluded with
    is_telling INTEGER NOT NULL,        -- 0: it only speaks for or against what others tell
    at_ms INTEGER NOT NULL,             -- when its session began
    session_id INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    body BLOB NOT NULL,                 -- MessagePack, by the harvester's own type
    PRIMARY KEY (harvester, matter, is_telling, at_ms, session_id, ordinal)
) STRICT, WITHOUT ROWID;

CREATE INDEX sightings_by_session ON sightings (session_id);

DROP TABLE harvested;

-- What a session was harvested as. Another version or repository: it is looked at again.
CREATE TABLE harvested (
    session_id INTEGER PRIMARY KEY,
    version TEXT NOT NULL,
    repo TEXT NOT NULL,
    given BLOB NOT NULL,                -- hash of when and where which task was given to it: what stories depend on
    ref BLOB NOT NULL                   -- MessagePack: how evidence names it. Empty: to be made again
) STRICT;

CREATE INDEX harvested_before ON harvested (version, repo);

DROP TABLE drafts;

CREATE TABLE drafts (
    id TEXT NOT NULL,
    harvester TEXT NOT NULL,
    matter TEXT NOT NULL,
    scope TEXT NOT NULL,                -- as in items
    about BLOB NOT NULL,                -- hash of what it is about, wherever it holds
    is_general INTEGER NOT NULL,        -- it is of a kind that may hold everywhere
    body BLOB NOT NULL,                 -- MessagePack of a Draft
    PRIMARY KEY (harvester, matter, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX drafts_by_scope ON drafts (scope);
CREATE INDEX drafts_by_about ON drafts (about, scope);
CREATE INDEX drafts_general ON drafts (about, scope) WHERE is_general;

DELETE FROM touched;
DELETE FROM settled;

-- Scopes in which something has changed since their items were made.
CREATE TABLE unsettled (
    scope TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- Items that take the place of another, or gave way to one: what holds in one scope may depend on them in another.
CREATE TABLE item_links (
    id TEXT PRIMARY KEY,
    own_status TEXT NOT NULL            -- before another took its place
) STRICT, WITHOUT ROWID;

-- The sum of the hashes of all rows of what was harvested, kept as they come and go. No row: not summed up yet.
CREATE TABLE knowledge_sum (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    total BLOB NOT NULL
) STRICT;

CREATE INDEX items_by_status ON items (status, confidence);
CREATE INDEX exposures_by_item ON exposures (item);

-- Sessions by where they ran, counted.
CREATE TABLE session_places (
    agent TEXT NOT NULL,
    repo TEXT NOT NULL,
    root TEXT NOT NULL,
    remote TEXT NOT NULL,
    sessions INTEGER NOT NULL,
    stories INTEGER NOT NULL,           -- that came out of no other session
    events INTEGER NOT NULL,
    actions INTEGER NOT NULL,
    PRIMARY KEY (agent, repo, root, remote)
) STRICT, WITHOUT ROWID;

INSERT INTO session_places
    SELECT agent, repo, root, remote, count(*), sum(parent = ''), sum(events), sum(actions) FROM sessions
    GROUP BY agent, repo, root, remote;

CREATE TRIGGER session_comes AFTER INSERT ON sessions BEGIN
    INSERT INTO session_places
        VALUES (new.agent, new.repo, new.root, new.remote, 1, new.parent = '', new.events, new.actions)
        ON CONFLICT DO UPDATE SET sessions = sessions + 1, stories = stories + excluded.stories,
            events = events + excluded.events, actions = actions + excluded.actions;
END;

CREATE TRIGGER session_goes AFTER DELETE ON sessions BEGIN
    UPDATE session_places SET sessions = sessions - 1, stories = stories - (old.parent = ''),
            events = events - old.events, actions = actions - old.actions
        WHERE agent = old.agent AND repo = old.repo AND root = old.root AND remote = old.remote;
    DELETE FROM session_places WHERE agent = old.agent AND repo = old.repo AND root = old.root
        AND remote = old.remote AND sessions = 0;
    UPDATE harvested SET version = '' WHERE session_id = old.id;
END;

CREATE TRIGGER session_counts_otherwise AFTER UPDATE OF agent, repo, root, remote, parent, events, actions ON sessions
WHEN (old.agent, old.repo, old.root, old.remote, old.parent = '', old.events, old.actions)
    <> (new.agent, new.repo, new.root, new.remote, new.parent = '', new.events, new.actions) BEGIN
    UPDATE session_places SET sessions = sessions - 1, stories = stories - (old.parent = ''),
            events = events - old.events, actions = actions - old.actions
        WHERE agent = old.agent AND repo = old.repo AND root = old.root AND remote = old.remote;
    INSERT INTO session_places
        VALUES (new.agent, new.repo, new.root, new.remote, 1, new.parent = '', new.events, new.actions)
        ON CONFLICT DO UPDATE SET sessions = sessions + 1, stories = stories + excluded.stories,
            events = events + excluded.events, actions = actions + excluded.actions;
    DELETE FROM session_places WHERE agent = old.agent AND repo = old.repo AND root = old.root
        AND remote = old.remote AND sessions = 0;
END;

CREATE TRIGGER session_moves AFTER UPDATE OF repo ON sessions WHEN old.repo <> new.repo BEGIN
    UPDATE harvested SET version = '' WHERE session_id = new.id;
END;

-- Every digested session is looked at, so every one has a row.
INSERT INTO harvested SELECT session_id, '', '', x'', x'' FROM digests;

DROP INDEX sessions_by_repo;
CREATE INDEX sessions_by_repo ON sessions (repo, started_ms, agent, native_id);
CREATE INDEX sessions_by_root ON sessions (root, started_ms);
CREATE INDEX sessions_by_parent ON sessions (agent, parent) WHERE parent <> '';
CREATE INDEX sessions_by_end ON sessions (agent, repo, coalesce(ended_ms, started_ms));
CREATE INDEX sessions_by_agent ON sessions (agent, started_ms);
DROP INDEX sessions_to_digest;
CREATE INDEX sessions_to_digest ON sessions (is_digested) WHERE is_digested <> 1;
CREATE INDEX digests_by_version ON digests (version);

-- What every run asks of all files, answered without a look at their rows, which are wide: whether they have changed, what
-- the archive should hold, which are in an odd state, were made by an older capture, lack a checksum, have a name.
CREATE INDEX files_by_stamp ON files (agent, is_live, key, size_bytes, mtime_ns, inode, companions, state);
CREATE INDEX files_by_object ON files (key, generation, held_bytes, dropped_ms, role, state);
CREATE INDEX files_dropped ON files (dropped_ms) WHERE dropped_ms IS NOT NULL;
CREATE INDEX files_by_state ON files (state);
CREATE INDEX files_by_capture ON files (capture_version) WHERE role = 'transcript' AND held_bytes > 0;
CREATE INDEX files_unsealed ON files (id) WHERE role = 'transcript' AND checksum = x'';
CREATE INDEX files_by_name ON files (replace(path, rtrim(path, replace(path, '/', '')), ''));

-- What lists of sessions ask: the latest of them, and short names.
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

-- Files of which the archive holds something, and the bytes of originals in it, counted.
CREATE TABLE held_files (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    files INTEGER NOT NULL,
    original_bytes INTEGER NOT NULL
) STRICT;

INSERT INTO held_files SELECT 1, count(*) FILTER (WHERE held_bytes > 0 OR (dropped_ms IS NOT NULL AND role = 'transcript')),
    ifnull(sum(held_bytes), 0) FROM files;

CREATE TRIGGER file_comes AFTER INSERT ON files BEGIN
    UPDATE held_files SET original_bytes = original_bytes + new.held_bytes,
        files = files + (new.held_bytes > 0 OR (new.dropped_ms IS NOT NULL AND new.role = 'transcript'));
END;

CREATE TRIGGER file_goes AFTER DELETE ON files BEGIN
    UPDATE held_files SET original_bytes = original_bytes - old.held_bytes,
        files = files - (old.held_bytes > 0 OR (old.dropped_ms IS NOT NULL AND old.role = 'transcript'));
END;

CREATE TRIGGER file_is_held_otherwise AFTER UPDATE OF held_bytes, dropped_ms, role ON files BEGIN
    UPDATE held_files SET original_bytes = original_bytes - old.held_bytes + new.held_bytes,
        files = files - (old.held_bytes > 0 OR (old.dropped_ms IS NOT NULL AND old.role = 'transcript'))
            + (new.held_bytes > 0 OR (new.dropped_ms IS NOT NULL AND new.role = 'transcript'));
END;
