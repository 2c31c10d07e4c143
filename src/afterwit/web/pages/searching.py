"""Search over everything: notes, then sessions with the moments that match; as one types, or with a plain form."""

from afterwit.knowledge.door.list import ItemFilter, searched
from afterwit.model.errors import UsageError
from afterwit.sessions.search import search
from afterwit.store.rows.texts import KINDS
from afterwit.web.answering import Ask, WebAnswer, WebRoute, shown
from afterwit.web.pages.sessions import choices, filter_of

_SESSIONS = 12
_MATCHES = 2
_NOTES = 6
_SNIPPET = 240


def _search(ask: Ask) -> WebAnswer:
    query = ask.first("q")
    kind = ask.first("kind")
    if kind and kind not in KINDS:
        raise UsageError(f"{kind!r} is none of: {', '.join(KINDS)}.")
    answer, notes, complaint = None, None, ""
    if query:
        try:
            answer = search(ask.world, query, filter_of(ask), kind, _SESSIONS, _SNIPPET, most_matches=_MATCHES)
            notes = searched(ask.world, query, ItemFilter(repos=ask.many("repo")), _NOTES)
        except UsageError as error:
            complaint = str(error)
    return shown(
        ask,
        "search_part.html" if ask.is_fragment else "search.html",
        query=query,
        kind=kind,
        kinds=KINDS,
        answer=answer,
        notes=notes,
        complaint=complaint,
        choices={} if ask.is_fragment else choices(ask),
    )


ROUTES = (WebRoute("/search", _search),)
