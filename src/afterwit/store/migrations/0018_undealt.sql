-- What changed since the deck was dealt last: sessions of a repository, and, as session 0, notes of a scope.
CREATE TABLE undealt (
    scope TEXT NOT NULL,                -- global, repo:NAME, agent:NAME
    session_id INTEGER NOT NULL,
    PRIMARY KEY (scope, session_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER digest_made AFTER INSERT ON digests BEGIN
    INSERT OR IGNORE INTO undealt SELECT 'repo:' || repo, id FROM sessions WHERE id = new.session_id AND repo <> '';
END;

CREATE TRIGGER digest_gone AFTER DELETE ON digests BEGIN
    INSERT OR IGNORE INTO undealt SELECT 'repo:' || repo, id FROM sessions WHERE id = old.session_id AND repo <> '';
END;

CREATE TRIGGER session_moved AFTER UPDATE OF repo, started_ms, parent ON sessions
WHEN old.repo <> new.repo OR old.started_ms IS NOT new.started_ms OR old.parent <> new.parent BEGIN
    INSERT OR IGNORE INTO undealt SELECT 'repo:' || old.repo, old.id WHERE old.repo <> '';
    INSERT OR IGNORE INTO undealt SELECT 'repo:' || new.repo, new.id WHERE new.repo <> '';
END;

CREATE TRIGGER session_gone AFTER DELETE ON sessions WHEN old.repo <> '' BEGIN
    INSERT OR IGNORE INTO undealt VALUES ('repo:' || old.repo, old.id);
END;

CREATE TRIGGER item_made AFTER INSERT ON items BEGIN
    INSERT OR IGNORE INTO undealt VALUES (new.scope, 0);
END;

CREATE TRIGGER item_changed AFTER UPDATE ON items BEGIN
    INSERT OR IGNORE INTO undealt VALUES (old.scope, 0), (new.scope, 0);
END;

CREATE TRIGGER item_gone AFTER DELETE ON items BEGIN
    INSERT OR IGNORE INTO undealt VALUES (old.scope, 0);
END;
