-- The odds of every draw: what is withheld by chance can be weighed only where the chance is known.

ALTER TABLE draws ADD COLUMN arm TEXT NOT NULL DEFAULT '';      -- that the session is in; "": not recorded
ALTER TABLE draws ADD COLUMN odds TEXT NOT NULL DEFAULT '{}';   -- JSON object: arm to its chance
ALTER TABLE draws ADD COLUMN item_odds REAL;                    -- chance of an item to be told, in an arm that is
ALTER TABLE draws ADD COLUMN took_ms INTEGER;                   -- CPU time of the hook, as far as the answer

-- The experiment that somebody started last, with arms of equal chances.
ALTER TABLE experiment ADD COLUMN arms TEXT NOT NULL DEFAULT '[]';   -- JSON list; while it is under way
ALTER TABLE experiment ADD COLUMN compared TEXT NOT NULL DEFAULT '[]'; -- JSON list: the arms of the last one
ALTER TABLE experiment ADD COLUMN started_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE experiment ADD COLUMN stopped_ms INTEGER NOT NULL DEFAULT 0; -- 0: under way, or never started
