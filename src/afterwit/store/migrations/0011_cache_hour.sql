-- What was written to a cache to be kept for an hour costs more than what is kept for five minutes. Part of cache_write.
ALTER TABLE spends ADD COLUMN cache_write_1h INTEGER NOT NULL DEFAULT 0;

-- 1: a subagent's response of which there is only a copy inside a record of its parent's log.
ALTER TABLE spends ADD COLUMN is_nested INTEGER NOT NULL DEFAULT 0;

-- Checksums cover all columns: they are made anew.
UPDATE files SET checksum = x'' WHERE checksum <> x'';
