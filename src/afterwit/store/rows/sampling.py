"""What is asked of sessions in order to choose among them: which files of the agents they lie in."""

import apsw


def files_by_session(db: apsw.Connection) -> dict[int, list[bytes]]:
    """The keys of the transcripts, as they are now, that each session has a part in; the one with its beginning
    first."""
    query = """SELECT parts.session_id, files.key FROM parts JOIN files ON files.id = parts.file_id
               WHERE files.is_live ORDER BY parts.session_id, parts.precedence"""
    found: dict[int, list[bytes]] = {}
    for session, key in db.execute(query):
        found.setdefault(session, []).append(key)
    return found
