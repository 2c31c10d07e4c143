-- Digests of sessions, of members who want to share them; sums of what members did, which are counts and nothing else; and
-- the words by which notes and tasks are found. An index of words would be of no use: PostgreSQL looks at it only after
-- the policies have chosen the rows.

ALTER TABLE afterwit_hub.note_lines ADD COLUMN words tsvector GENERATED ALWAYS AS (
    to_tsvector('simple'::regconfig, coalesce(jsonb_path_query_first(lines, '$[*].words.fact') #>> '{}', ''))
) STORED;

CREATE TABLE afterwit_hub.digests (
    team text COLLATE "C" NOT NULL,
    repo text COLLATE "C" NOT NULL CHECK (length(repo) BETWEEN 1 AND 500),
    session text COLLATE "C" NOT NULL CHECK (session ~ '^[0-9a-f]{16}$'),    -- a hash of its id
    member text COLLATE "C" NOT NULL,
    machine text COLLATE "C" NOT NULL CHECK (length(machine) BETWEEN 1 AND 60),
    author text COLLATE "C" NOT NULL,
    body jsonb NOT NULL CHECK (jsonb_typeof(body) = 'object' AND octet_length(body::text) <= 65536),
    words tsvector GENERATED ALWAYS AS (to_tsvector('simple'::regconfig, coalesce(body ->> 'task', ''))) STORED,
    PRIMARY KEY (team, member, machine, session)
);

CREATE TABLE afterwit_hub.sums (
    team text COLLATE "C" NOT NULL,
    repo text COLLATE "C" NOT NULL CHECK (length(repo) BETWEEN 1 AND 500),
    member text COLLATE "C" NOT NULL,
    machine text COLLATE "C" NOT NULL CHECK (length(machine) BETWEEN 1 AND 60),
    author text COLLATE "C" NOT NULL,
    sessions bigint NOT NULL CHECK (sessions >= 0),
    successes bigint NOT NULL CHECK (successes >= 0),
    prompts bigint NOT NULL CHECK (prompts >= 0),
    actions bigint NOT NULL CHECK (actions >= 0),
    failures bigint NOT NULL CHECK (failures >= 0),
    tokens bigint NOT NULL CHECK (tokens >= 0),
    PRIMARY KEY (team, repo, member, machine)
);

ALTER TABLE afterwit_hub.digests ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE afterwit_hub.sums ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY owner ON afterwit_hub.digests TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY owner ON afterwit_hub.sums TO CURRENT_USER USING (true) WITH CHECK (true);

CREATE POLICY read ON afterwit_hub.digests FOR SELECT USING (
    team = (SELECT own.team FROM afterwit_hub.members AS own WHERE own.role = current_user::text AND own.revoked_at IS NULL)
);
CREATE POLICY add ON afterwit_hub.digests FOR INSERT WITH CHECK (
    (team, member, author) = (SELECT own.team, own.role, own.name FROM afterwit_hub.members AS own
        WHERE own.role = current_user::text AND own.revoked_at IS NULL AND NOT own.is_read_only)
);
CREATE POLICY change ON afterwit_hub.digests FOR UPDATE USING (
    (team, member) = (SELECT own.team, own.role FROM afterwit_hub.members AS own
        WHERE own.role = current_user::text AND own.revoked_at IS NULL AND NOT own.is_read_only)
) WITH CHECK (
    (team, member, author) = (SELECT own.team, own.role, own.name FROM afterwit_hub.members AS own
        WHERE own.role = current_user::text AND own.revoked_at IS NULL AND NOT own.is_read_only)
);
CREATE POLICY take_back ON afterwit_hub.digests FOR DELETE USING (
    (team, member) = (SELECT own.team, own.role FROM afterwit_hub.members AS own
        WHERE own.role = current_user::text AND own.revoked_at IS NULL)
);

CREATE POLICY read ON afterwit_hub.sums FOR SELECT USING (
    team = (SELECT own.team FROM afterwit_hub.members AS own WHERE own.role = current_user::text AND own.revoked_at IS NULL)
);
CREATE POLICY add ON afterwit_hub.sums FOR INSERT WITH CHECK (
    (team, member, author) = (SELECT own.team, own.role, own.name FROM afterwit_hub.members AS own
        WHERE own.role = current_user::text AND own.revoked_at IS NULL AND NOT own.is_read_only)
);
CREATE POLICY change ON afterwit_hub.sums FOR UPDATE USING (
    (team, member) = (SELECT own.team, own.role FROM afterwit_hub.members AS own
        WHERE own.role = current_user::text AND own.revoked_at IS NULL AND NOT own.is_read_only)
) WITH CHECK (
    (team, member, author) = (SELECT own.team, own.role, own.name FROM afterwit_hub.members AS own
        WHERE own.role = current_user::text AND own.revoked_at IS NULL AND NOT own.is_read_only)
);
