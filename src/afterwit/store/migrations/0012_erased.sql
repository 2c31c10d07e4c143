-- Sessions that people have erased, each by a hash of its agent and id: they are not read again. Applied from the journal.

CREATE TABLE erased (
    key BLOB PRIMARY KEY,
    family BLOB NOT NULL                -- the key of the session that was named, for its subagents too
) STRICT, WITHOUT ROWID;

ALTER TABLE files ADD COLUMN is_sifted INTEGER NOT NULL DEFAULT 0; -- some of its sessions are left out of what is archived
