-- What lets `verify`, `learn` and `rebuild` notice that something was lost.

-- The entry itself, not only its number: an older or another journal has other hashes. '': applied by a version that did
-- not keep it.
ALTER TABLE applied ADD COLUMN hash TEXT NOT NULL DEFAULT '';
ALTER TABLE applied ADD COLUMN at_ms INTEGER NOT NULL DEFAULT 0;

-- Of all rows that were derived from the file, as they were committed. '': not made yet.
ALTER TABLE files ADD COLUMN checksum BLOB NOT NULL DEFAULT x'';

ALTER TABLE digests ADD COLUMN checksum BLOB NOT NULL DEFAULT x'';

-- Of all that was harvested. '': something of it changed since it was settled.
ALTER TABLE settled ADD COLUMN checksum BLOB NOT NULL DEFAULT x'';

-- The state of the archive that this database speaks of; the archive says the same of itself.
CREATE TABLE archive_mark (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    archive TEXT NOT NULL,              -- tells one archive from another
    number INTEGER NOT NULL,            -- grows with every change
    files INTEGER NOT NULL,             -- objects that it holds
    original_bytes INTEGER NOT NULL     -- of originals, unpacked
) STRICT;
