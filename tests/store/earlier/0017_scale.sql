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
    body BLOB NOT NULL,                 -- MessagePack of a Draft
    PRIMARY KEY (harvester, matter, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX drafts_by_scope ON drafts (scope);
CREATE INDEX drafts_by_about ON drafts (about, scope);

DELETE FROM touched;
DELETE FROM settled;

-- Scopes in which something has changed since their items were made.
CREATE TABLE unsettled (
    scope TEXT PRIMARY KEY
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
    INSERT INTO repo_revisions VALUES (old.repo, 1) ON CONFLICT DO UPDATE SET number = number + 1;
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

-- Of each repository, a number that grows whenever any of its sessions, or its digest, is another.
CREATE TABLE repo_revisions (
    repo TEXT PRIMARY KEY,
    number INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO repo_revisions SELECT DISTINCT repo, 1 FROM sessions;

CREATE TRIGGER session_moves AFTER UPDATE OF repo ON sessions WHEN old.repo <> new.repo BEGIN
    INSERT INTO repo_revisions VALUES (old.repo, 1) ON CONFLICT DO UPDATE SET number = number + 1;
    INSERT INTO repo_revisions VALUES (new.repo, 1) ON CONFLICT DO UPDATE SET number = number + 1;
    UPDATE harvested SET version = '' WHERE session_id = new.id;
END;

CREATE TRIGGER session_is_digested AFTER UPDATE OF is_digested ON sessions WHEN new.is_digested = 1 BEGIN
    INSERT INTO repo_revisions VALUES (new.repo, 1) ON CONFLICT DO UPDATE SET number = number + 1;
END;

-- Every digested session is looked at, so every one has a row.
INSERT INTO harvested SELECT session_id, '', '', x'', x'' FROM digests;

CREATE INDEX sessions_by_root ON sessions (root, started_ms);
CREATE INDEX sessions_by_parent ON sessions (agent, parent) WHERE parent <> '';
CREATE INDEX sessions_by_end ON sessions (agent, repo, coalesce(ended_ms, started_ms));
CREATE INDEX sessions_by_agent ON sessions (agent, started_ms);
DROP INDEX sessions_to_digest;
CREATE INDEX sessions_to_digest ON sessions (is_digested) WHERE is_digested <> 1;
CREATE INDEX digests_by_version ON digests (version);
