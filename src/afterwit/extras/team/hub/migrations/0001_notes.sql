-- Teams, their members, and what each machine of a member says about notes.
-- Who may see and write a row is decided by the rows of `members`, for the role that is logged in: never by what a client
-- claims. Everything runs with the rights of the caller, and the owner of the tables is held to the policies as well.

CREATE TABLE afterwit_hub.hub (
    id text NOT NULL,
    generation integer NOT NULL DEFAULT 1   -- raised when an older state was restored: machines then begin anew
);

CREATE TABLE afterwit_hub.teams (
    name text COLLATE "C" PRIMARY KEY CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$'),
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE afterwit_hub.members (
    role text COLLATE "C" PRIMARY KEY,      -- of PostgreSQL; it belongs to one team
    team text COLLATE "C" NOT NULL REFERENCES afterwit_hub.teams (name),
    name text COLLATE "C" NOT NULL CHECK (length(name) BETWEEN 1 AND 60),   -- the author of all lines of this role
    is_read_only boolean NOT NULL DEFAULT false,
    added_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz,
    UNIQUE (team, name)
);

CREATE TABLE afterwit_hub.machines (
    team text COLLATE "C" NOT NULL,
    member text COLLATE "C" NOT NULL,
    machine text COLLATE "C" NOT NULL CHECK (length(machine) BETWEEN 1 AND 60),
    author text COLLATE "C" NOT NULL,
    version text NOT NULL CHECK (length(version) <= 60),     -- of Afterwit there
    seen_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team, member, machine)
);

-- All that one machine says about one note. No lines: it says nothing any more, which machines that were away must hear.
CREATE TABLE afterwit_hub.note_lines (
    team text COLLATE "C" NOT NULL,
    repo text COLLATE "C" NOT NULL CHECK (length(repo) BETWEEN 1 AND 500),
    note text COLLATE "C" NOT NULL CHECK (note ~ '^[0-9a-f]{12}$'),
    member text COLLATE "C" NOT NULL,
    machine text COLLATE "C" NOT NULL CHECK (length(machine) BETWEEN 1 AND 60),
    author text COLLATE "C" NOT NULL,
    lines jsonb NOT NULL CHECK (
        jsonb_typeof(lines) = 'array' AND jsonb_array_length(lines) <= 50 AND octet_length(lines::text) <= 65536
    ),
    tick bigint NOT NULL,                   -- in the order of commits within a team: see `stamped`
    changed_at timestamptz NOT NULL,
    PRIMARY KEY (team, repo, note, member, machine)
);

CREATE UNIQUE INDEX note_lines_by_tick ON afterwit_hub.note_lines (team, tick);
CREATE INDEX note_lines_by_repo ON afterwit_hub.note_lines (team, repo, tick);

-- Writers of a team wait for each other until they commit, so that nobody can see a tick while a lower one is on its way.
CREATE FUNCTION afterwit_hub.stamped() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(1635149928, hashtext(NEW.team));
    SELECT coalesce(max(tick), 0) + 1 INTO NEW.tick FROM afterwit_hub.note_lines WHERE team = NEW.team;
    NEW.changed_at := statement_timestamp();
    RETURN NEW;
END
$$;

CREATE TRIGGER note_lines_stamped BEFORE INSERT OR UPDATE ON afterwit_hub.note_lines
    FOR EACH ROW EXECUTE FUNCTION afterwit_hub.stamped();

ALTER TABLE afterwit_hub.version ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE afterwit_hub.hub ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE afterwit_hub.teams ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE afterwit_hub.members ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE afterwit_hub.machines ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE afterwit_hub.note_lines ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY owner ON afterwit_hub.version TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY owner ON afterwit_hub.hub TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY owner ON afterwit_hub.teams TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY owner ON afterwit_hub.members TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY owner ON afterwit_hub.machines TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY owner ON afterwit_hub.note_lines TO CURRENT_USER USING (true) WITH CHECK (true);

CREATE POLICY read ON afterwit_hub.version FOR SELECT USING (true);
CREATE POLICY read ON afterwit_hub.hub FOR SELECT USING (true);
CREATE POLICY own ON afterwit_hub.members FOR SELECT USING (role = current_user::text AND revoked_at IS NULL);

CREATE POLICY read ON afterwit_hub.machines FOR SELECT USING (
    team = (SELECT own.team FROM afterwit_hub.members AS own WHERE own.role = current_user::text AND own.revoked_at IS NULL)
);
CREATE POLICY add ON afterwit_hub.machines FOR INSERT WITH CHECK (
    (team, member, author) = (SELECT own.team, own.role, own.name FROM afterwit_hub.members AS own
        WHERE own.role = current_user::text AND own.revoked_at IS NULL)
);
CREATE POLICY change ON afterwit_hub.machines FOR UPDATE USING (
    (team, member) = (SELECT own.team, own.role FROM afterwit_hub.members AS own
        WHERE own.role = current_user::text AND own.revoked_at IS NULL)
) WITH CHECK (
    (team, member, author) = (SELECT own.team, own.role, own.name FROM afterwit_hub.members AS own
        WHERE own.role = current_user::text AND own.revoked_at IS NULL)
);

CREATE POLICY read ON afterwit_hub.note_lines FOR SELECT USING (
    team = (SELECT own.team FROM afterwit_hub.members AS own WHERE own.role = current_user::text AND own.revoked_at IS NULL)
);
CREATE POLICY add ON afterwit_hub.note_lines FOR INSERT WITH CHECK (
    (team, member, author) = (SELECT own.team, own.role, own.name FROM afterwit_hub.members AS own
        WHERE own.role = current_user::text AND own.revoked_at IS NULL AND NOT own.is_read_only)
);
CREATE POLICY change ON afterwit_hub.note_lines FOR UPDATE USING (
    (team, member) = (SELECT own.team, own.role FROM afterwit_hub.members AS own
        WHERE own.role = current_user::text AND own.revoked_at IS NULL AND NOT own.is_read_only)
) WITH CHECK (
    (team, member, author) = (SELECT own.team, own.role, own.name FROM afterwit_hub.members AS own
        WHERE own.role = current_user::text AND own.revoked_at IS NULL AND NOT own.is_read_only)
);
