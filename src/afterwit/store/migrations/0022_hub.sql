-- What this machine knows of hubs: the lines there, what of its own has been sent, and what has changed here since. All of
-- it can be fetched and made again.

-- What each machine says about a note; own lines wait here until they are sent.
CREATE TABLE hub_lines (
    hub TEXT NOT NULL,                  -- which, in which team, as whom
    repo TEXT NOT NULL,
    note TEXT NOT NULL,
    member TEXT NOT NULL,
    machine TEXT NOT NULL,
    clock_ms INTEGER NOT NULL,          -- the latest of its lines; 0: it has none
    body BLOB NOT NULL,                 -- lines of JSON
    is_sent INTEGER NOT NULL,           -- 0: own lines that the hub does not have yet
    is_taken INTEGER NOT NULL,          -- 0: what follows from it has not been taken in yet
    PRIMARY KEY (hub, repo, note, member, machine)
) STRICT, WITHOUT ROWID;

CREATE INDEX hub_lines_by_clock ON hub_lines (hub, repo, clock_ms);
CREATE INDEX hub_lines_unsent ON hub_lines (hub, repo) WHERE is_sent = 0;
CREATE INDEX hub_lines_untaken ON hub_lines (hub, repo) WHERE is_taken = 0;

CREATE TABLE hub_cursors (
    hub TEXT NOT NULL,
    repo TEXT NOT NULL,
    tick INTEGER NOT NULL,              -- up to which the hub was read
    number INTEGER NOT NULL,            -- up to which changes here were looked at
    digest_number INTEGER NOT NULL,     -- the same for digests; 0: all are to be looked at
    looked_ms INTEGER NOT NULL,
    rules TEXT NOT NULL,                -- mark of the settings by which lines were made and taken in
    PRIMARY KEY (hub, repo)
) STRICT, WITHOUT ROWID;

CREATE TABLE hub_digests (
    hub TEXT NOT NULL,
    repo TEXT NOT NULL,
    session_id INTEGER NOT NULL,
    name TEXT NOT NULL,                 -- of the session, there
    mark BLOB NOT NULL,                 -- hash of what was sent
    PRIMARY KEY (hub, repo, session_id)
) STRICT, WITHOUT ROWID;

-- Items and digests that changed, each with the number of its last change. Kept where there is a hub, else nobody asks.
CREATE TABLE hub_changes (
    kind TEXT NOT NULL,                 -- item, digest
    name TEXT NOT NULL,                 -- an item's id, the row of a session
    number INTEGER NOT NULL,
    PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX hub_changes_by_number ON hub_changes (number);

CREATE TRIGGER item_comes AFTER INSERT ON items WHEN EXISTS (SELECT 1 FROM hub_cursors) BEGIN
    INSERT OR REPLACE INTO hub_changes SELECT 'item', new.id, ifnull(max(number), 0) + 1 FROM hub_changes;
END;

CREATE TRIGGER item_changes AFTER UPDATE ON items WHEN EXISTS (SELECT 1 FROM hub_cursors) BEGIN
    INSERT OR REPLACE INTO hub_changes SELECT 'item', new.id, ifnull(max(number), 0) + 1 FROM hub_changes;
END;

CREATE TRIGGER item_goes AFTER DELETE ON items WHEN EXISTS (SELECT 1 FROM hub_cursors) BEGIN
    INSERT OR REPLACE INTO hub_changes SELECT 'item', old.id, ifnull(max(number), 0) + 1 FROM hub_changes;
END;

CREATE TRIGGER item_is_decided AFTER INSERT ON item_decisions
WHEN new.item <> '' AND EXISTS (SELECT 1 FROM hub_cursors) BEGIN
    INSERT OR REPLACE INTO hub_changes SELECT 'item', new.item, ifnull(max(number), 0) + 1 FROM hub_changes;
END;

CREATE TRIGGER digest_comes AFTER INSERT ON digests WHEN EXISTS (SELECT 1 FROM hub_cursors) BEGIN
    INSERT OR REPLACE INTO hub_changes SELECT 'digest', new.session_id, ifnull(max(number), 0) + 1 FROM hub_changes;
END;

CREATE TRIGGER digest_goes AFTER DELETE ON digests WHEN EXISTS (SELECT 1 FROM hub_cursors) BEGIN
    INSERT OR REPLACE INTO hub_changes SELECT 'digest', old.session_id, ifnull(max(number), 0) + 1 FROM hub_changes;
END;

CREATE TRIGGER digest_moves AFTER UPDATE OF repo ON sessions
WHEN old.repo <> new.repo AND EXISTS (SELECT 1 FROM hub_cursors) BEGIN
    INSERT OR REPLACE INTO hub_changes SELECT 'digest', new.id, ifnull(max(number), 0) + 1 FROM hub_changes;
END;

-- What was decided about one item is asked for by itself.
CREATE INDEX item_decisions_by_item ON item_decisions (item);
CREATE INDEX item_decisions_by_kind ON item_decisions (kind);
