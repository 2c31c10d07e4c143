-- Searching by an index. Policies go before operators that are not known to leak nothing, and the one of full text is not:
-- under them no index of words is ever used. So one function looks as the owner, into rows of the caller's team alone, and
-- gives names of rows; whoever asks reads the rows themselves, under the policies as ever. Each team has an index of its own
-- (made with the team): in a common one the time that a search takes would tell of words in other teams.

ALTER TABLE afterwit_hub.digests DROP COLUMN words;
ALTER TABLE afterwit_hub.digests ADD COLUMN words tsvector GENERATED ALWAYS AS (
    setweight(to_tsvector('simple'::regconfig, coalesce(body ->> 'task', '')), 'A')
    || setweight(to_tsvector('simple'::regconfig, jsonb_path_query_array(body, '$.failures[*].signature')), 'B')
    || setweight(to_tsvector('simple'::regconfig, jsonb_path_query_array(body, '$.rules[*]')), 'C')
    || setweight(to_tsvector('simple'::regconfig, jsonb_path_query_array(body, '$.files[*]')), 'D')
) STORED;

-- The role that logged in counts: within this function the current one is the owner. The team stands in the query as a
-- constant, so that the index of the team fits.
CREATE FUNCTION afterwit_hub.found(asked tsquery, most bigint)
    RETURNS TABLE (kind text, repo text, id text, member text, machine text, rank real)
    LANGUAGE plpgsql STABLE ROWS 20 SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    own text;
BEGIN
    SELECT members.team INTO own FROM afterwit_hub.members
        WHERE members.role = session_user::text AND members.revoked_at IS NULL;
    IF own IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY EXECUTE format(
        $query$
        SELECT kind, repo, id, member, machine, rank FROM (
            SELECT 'note' AS kind, repo::text, note::text AS id, member::text, machine::text, ts_rank(words, $1) AS rank
                FROM afterwit_hub.note_lines WHERE team = %1$L AND words @@ $1
            UNION ALL
            SELECT 'session', repo::text, session::text, member::text, machine::text, ts_rank(words, $1)
                FROM afterwit_hub.digests WHERE team = %1$L AND words @@ $1
        ) AS hits ORDER BY rank DESC, kind, id, member, machine LIMIT $2
        $query$, own
    ) USING asked, most;
END
$$;

REVOKE ALL ON FUNCTION afterwit_hub.found(tsquery, bigint) FROM PUBLIC;
