-- What every run asks of all files, answered without a look at their rows, which are wide: what the archive holds, which
-- files are in an odd state, which rows an older capture made, which lack a checksum, which are histories of prompts.

CREATE INDEX files_by_held ON files (held_bytes, dropped_ms, role);
CREATE INDEX files_by_state ON files (state);
CREATE INDEX files_by_capture ON files (capture_version) WHERE role = 'transcript' AND held_bytes > 0;
CREATE INDEX files_unsealed ON files (id) WHERE role = 'transcript' AND checksum = x'';
CREATE INDEX files_by_ending ON files (substr(path, -13));  -- as long as the name of a history
