-- What was decided about versions of skills, and which of them lay on disk when. All of it follows from the journal.

CREATE TABLE skill_decisions (
    machine TEXT NOT NULL,
    number INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    trial TEXT NOT NULL,
    body TEXT NOT NULL,                 -- JSON, as the journal has it
    PRIMARY KEY (machine, number)
) STRICT, WITHOUT ROWID;
