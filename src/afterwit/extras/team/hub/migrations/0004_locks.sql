-- No lock that an outsider can hold, and no name of a team where everybody looks. Advisory locks are open to every role, and
-- so are names and conditions of indexes: so writers of a team wait for each other by a lock on the team's own row, which
-- nobody else reaches, and indexes name a team by a number. Nor may a member lock a table that others write to, as everybody
-- may who can delete from it or update all of it: digests are taken back by a function, and rights name their columns.

ALTER TABLE afterwit_hub.teams ADD COLUMN number integer GENERATED ALWAYS AS IDENTITY UNIQUE;
ALTER TABLE afterwit_hub.note_lines ADD COLUMN team_number integer;
ALTER TABLE afterwit_hub.digests ADD COLUMN team_number integer;

ALTER TABLE afterwit_hub.note_lines DISABLE TRIGGER note_lines_stamped;    -- what is there keeps its ticks
UPDATE afterwit_hub.note_lines AS said SET team_number = teams.number FROM afterwit_hub.teams WHERE teams.name = said.team;
UPDATE afterwit_hub.digests AS said SET team_number = teams.number FROM afterwit_hub.teams WHERE teams.name = said.team;
ALTER TABLE afterwit_hub.note_lines ENABLE TRIGGER note_lines_stamped;

DO $$ DECLARE old text; BEGIN
    FOR old IN SELECT indexname FROM pg_catalog.pg_indexes
        WHERE schemaname = 'afterwit_hub' AND indexname ~ '^(note_lines|digests)_words_'
    LOOP EXECUTE format('DROP INDEX afterwit_hub.%I', old); END LOOP;
END $$;

-- The number of a team, for its members and the owner: others learn nothing, not even by having to wait. As the owner,
-- because members cannot read teams; who asked is the role that logged in, or the one that it has taken.
CREATE FUNCTION afterwit_hub.numbered() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
DECLARE asking text := coalesce(nullif(current_setting('role'), 'none'), session_user::text);
BEGIN
    IF NOT pg_has_role(asking, current_user, 'MEMBER') AND NOT EXISTS (
        SELECT 1 FROM afterwit_hub.members WHERE role = asking AND team = NEW.team AND revoked_at IS NULL
    ) THEN
        RAISE insufficient_privilege USING MESSAGE = 'new row violates row-level security policy for this team';
    END IF;
    SELECT number INTO NEW.team_number FROM afterwit_hub.teams WHERE name = NEW.team;
    IF TG_TABLE_NAME = 'digests' THEN RETURN NEW; END IF;
    -- Writers of a team wait for each other until they commit, so that nobody can see a tick while a lower one is on its way.
    PERFORM 1 FROM afterwit_hub.teams WHERE name = NEW.team FOR NO KEY UPDATE;
    SELECT coalesce(max(tick), 0) + 1 INTO NEW.tick FROM afterwit_hub.note_lines WHERE team = NEW.team;
    NEW.changed_at := statement_timestamp();
    RETURN NEW;
END
$$;
REVOKE ALL ON FUNCTION afterwit_hub.numbered() FROM PUBLIC;

DROP TRIGGER note_lines_stamped ON afterwit_hub.note_lines;
DROP FUNCTION afterwit_hub.stamped();
CREATE TRIGGER note_lines_numbered BEFORE INSERT OR UPDATE ON afterwit_hub.note_lines
    FOR EACH ROW EXECUTE FUNCTION afterwit_hub.numbered();
CREATE TRIGGER digests_numbered BEFORE INSERT OR UPDATE ON afterwit_hub.digests
    FOR EACH ROW EXECUTE FUNCTION afterwit_hub.numbered();

CREATE OR REPLACE FUNCTION afterwit_hub.found(asked tsquery, most bigint)
    RETURNS TABLE (kind text, repo text, id text, member text, machine text, rank real)
    LANGUAGE plpgsql STABLE ROWS 20 SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE own integer; BEGIN
    SELECT teams.number INTO own FROM afterwit_hub.members JOIN afterwit_hub.teams ON teams.name = members.team
        WHERE members.role = session_user::text AND members.revoked_at IS NULL;
    IF own IS NULL THEN RETURN; END IF;
    RETURN QUERY EXECUTE format(
        $query$
        SELECT kind, repo, id, member, machine, rank FROM (
            SELECT 'note' AS kind, repo::text, note::text AS id, member::text, machine::text, ts_rank(words, $1) AS rank
                FROM afterwit_hub.note_lines WHERE team_number = %1$s AND words @@ $1
            UNION ALL
            SELECT 'session', repo::text, session::text, member::text, machine::text, ts_rank(words, $1)
                FROM afterwit_hub.digests WHERE team_number = %1$s AND words @@ $1
        ) AS hits ORDER BY rank DESC, kind, id, member, machine LIMIT $2
        $query$, own
    ) USING asked, most;
END
$$;

-- Digests of the caller's own, which a member takes back. The policy for deleting goes, and with it the right to.
DROP POLICY take_back ON afterwit_hub.digests;
CREATE FUNCTION afterwit_hub.take_back(from_machine text, of_repo text, sessions text[]) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    WITH gone AS (
        DELETE FROM afterwit_hub.digests USING afterwit_hub.members
        WHERE members.role = coalesce(nullif(current_setting('role'), 'none'), session_user::text)
            AND members.revoked_at IS NULL AND (digests.team, digests.member) = (members.team, members.role)
            AND digests.machine = from_machine AND digests.repo = of_repo AND digests.session = ANY (sessions)
        RETURNING 1
    ) SELECT count(*) FROM gone
$$;
REVOKE ALL ON FUNCTION afterwit_hub.take_back(text, text, text[]) FROM PUBLIC;
