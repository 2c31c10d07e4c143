"""The list of sessions with the filters of `afterwit sessions list`, what can be done with a session, and the search
over everything.
"""

from afterwit.agents.registry import agents_with
from afterwit.config.calendar import EXAMPLES, period
from afterwit.knowledge.door.list import ItemFilter, searched
from afterwit.model.errors import UsageError
from afterwit.model.kinds import Outcome, TaskType
from afterwit.repos.remotes import short_names
from afterwit.sessions.export import session_document
from afterwit.sessions.filters import Filter, find_session, known_repos
from afterwit.sessions.list import Order, list_sessions
from afterwit.sessions.originals import TranscriptSource, source_of
from afterwit.sessions.pin import pin
from afterwit.sessions.search import search
from afterwit.store.rows.session_list import SessionRow, session_of
from afterwit.store.rows.texts import KINDS
from afterwit.store.store import readonly_database
from afterwit.web.answering import Ask, WebAnswer, WebRoute, download, redirect, render, session_path

PAGE = 50


def filter_of(ask: Ask) -> Filter:
    """The filter that the fields of a page mean."""
    return Filter(
        agents=ask.many("agent"),
        repos=ask.many("repo"),
        since_ms=moment_of(ask, "since"),
        until_ms=moment_of(ask, "until"),
        branch=ask.first("branch"),
        text=ask.first("text"),
        outcomes=_choices_in(ask, "outcome", Outcome),
        task_types=_choices_in(ask, "task_type", TaskType),
        is_top=ask.first("top") == "1",
    )


def moment_of(ask: Ask, field: str) -> int | None:
    """The time that a field names: its beginning for `since`, else its end; None where it is empty."""
    typed = ask.first(field)
    if not typed:
        return None
    meant = period(typed, ask.world.calendar)
    if meant is None:
        raise UsageError(f"{typed!r} is no time that is understood. Examples: {EXAMPLES}.")
    return meant.begin_ms if field == "since" else meant.end_ms


def choices(ask: Ask) -> dict[str, list[str]]:
    """What can be chosen in the fields."""
    with readonly_database(ask.world.layout) as db:
        repos = known_repos(db)
    return {
        "agent": sorted(agent.name for agent in agents_with(ask.world.declared)),
        "repo": repos,
        "outcome": [outcome.value for outcome in Outcome],
        "task_type": [kind.value for kind in TaskType],
    }


def session_asked(ask: Ask, source: TranscriptSource) -> SessionRow:
    """The session that the path names."""
    row = session_of(source.store.db, ask.names["agent"], ask.names["session"])
    return row if row is not None else find_session(source.store.db, ask.names["session"])


def _list(ask: Ask) -> WebAnswer:
    order = ask.first("sort", Order.START.value)
    if order not in list(Order):
        raise UsageError(f"Sessions cannot be sorted by {order!r}.")
    page = max(1, ask.number("page", 1))
    listing = list_sessions(
        ask.world,
        filter_of(ask),
        Order(order),
        PAGE,
        is_reversed=ask.first("reverse") == "1",
        skipped=(page - 1) * PAGE,
    )
    return render(
        ask,
        "sessions_rows.html" if ask.is_fragment else "sessions.html",
        listing=listing,
        page=page,
        pages=max(1, -(-listing.found // PAGE)),
        repos=short_names({session.row.repo for session in listing.sessions}),
        choices={} if ask.is_fragment else choices(ask),
        orders=[order.value for order in Order],
        order=order,
    )


def _export(ask: Ask) -> WebAnswer:
    """The session as one JSON document, redacted."""
    with source_of(ask.world) as source:
        row = session_asked(ask, source)
        document = "".join(session_document(source, ask.world.settings, row, with_subagents=True))
    return download(document.encode(), f"{row.agent}-{row.native_id}.json", "application/json")


def _pin(ask: Ask) -> WebAnswer:
    pin(ask.world, [ask.names["session"]], is_wanted=ask.form.get("pinned") == "1")
    return redirect(session_path(ask.names["agent"], ask.names["session"]))


def _choices_in(ask: Ask, field: str, values: type[Outcome] | type[TaskType]) -> tuple[str, ...]:
    chosen = ask.many(field)
    for value in chosen:
        if value not in list(values):
            raise UsageError(f"{value!r} is none of: {', '.join(values)}.")
    return chosen


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
    return render(
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


ROUTES = (
    WebRoute("/sessions", _list),
    WebRoute("/export/{agent}/{session:path}", _export),
    WebRoute("/pin/{agent}/{session:path}", _pin, "POST"),
    WebRoute("/search", _search),
)
