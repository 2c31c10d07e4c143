"""`search_sessions`: full text over what was said and done in earlier sessions."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

from afterwit.knowledge.door.listeners import listener_here
from afterwit.mcp.given import ALL_REPOS, PLACE, THIS_REPO, day, last_part, literal, notes, one_line, repo_of
from afterwit.mcp.tool import Caller, Tool, choice, number, text
from afterwit.model.kinds import EventKind
from afterwit.redaction.shown import Shown, figure, joined, name, ours, stamp, typed
from afterwit.sessions.filters import Filter
from afterwit.sessions.search import SearchAnswer, SearchHit, best_hits
from afterwit.store.rows.session_list import users_of
from afterwit.store.rows.texts import KINDS
from afterwit.store.store import readonly_database

_HITS = 5
_MOST_HITS = 20
_SNIPPET = 300
_DAY_MS = 86_400_000
_FEWER = ". Fewer words find more, and `wor*` finds words that begin so."


def search_sessions(caller: Caller, arguments: Mapping[str, Any]) -> Shown:
    repo = "" if arguments.get("where") == ALL_REPOS else _repo(caller, arguments)
    wanted = Filter(repos=(literal(repo),) if repo else (), since_ms=_since(caller, arguments))
    limit = arguments.get("limit", _HITS)
    answer = best_hits(
        caller.world, arguments["query"], wanted, arguments.get("part", ""), limit, _SNIPPET, typed_only=True
    )
    here = last_part(repo)
    place = joined((ours("`"), here, ours("`"))) if here else ours(THIS_REPO if repo else ALL_REPOS)
    if not answer.hits:
        return joined((ours("Nothing found in "), place, ours(_FEWER)))
    return notes([_heading(answer, place), *_lines(answer.hits, _heard(caller, answer.hits))])


def _heard(caller: Caller, hits: Sequence[SearchHit]) -> frozenset[str]:
    """The sessions whose user may be quoted here: not those of somebody else."""
    with readonly_database(caller.world.layout) as db:
        to = listener_here(db, caller.world)
        users = users_of(db, {hit.session for hit in hits})
    return frozenset(hit.session for hit in hits if to.hears_user(users.get((hit.agent, hit.session), ""), hit.repo))


def _repo(caller: Caller, arguments: Mapping[str, Any]) -> str:
    with readonly_database(caller.world.layout) as db:
        return repo_of(db, caller, arguments)


def _since(caller: Caller, arguments: Mapping[str, Any]) -> int | None:
    return caller.world.now_ms - arguments["days"] * _DAY_MS if "days" in arguments else None


def _heading(answer: SearchAnswer, place: Shown) -> Shown:
    best = (ours(", the best "), figure(len(answer.hits)), ours(" of them")) if len(answer.hits) < answer.total else ()
    places = ours(" match in " if answer.total == 1 else " matches in ")
    return joined((figure(answer.total), places, place, *best, ours(":")))


def _lines(hits: Sequence[SearchHit], heard: Set[str]) -> Iterator[Shown]:
    """What a user typed, a line each. Outputs, pages, what was pasted into a prompt and what agents said may hold words
    that were planted: of these, and of what somebody else typed, is only told how many matches there are, once for each
    session."""
    quoted = [hit for hit in hits if _is_typed(hit) and hit.session in heard]
    yield from map(_line, quoted)
    others = [hit for hit in hits if hit not in quoted]
    for session, places in Counter(hit.session for hit in others).items():
        hit = next(hit for hit in others if hit.session == session)
        whence = joined((day(hit.at_ms), name(hit.agent), last_part(hit.repo)), ", ")
        many = ours(" match in session " if places == 1 else " matches in session ")
        words = (ours("- and "), figure(places), many, stamp(session), ours(" ("), whence, ours(")"))
        yield joined((*words, ours(" not typed by the user, so not quoted")))


def _is_typed(hit: SearchHit) -> bool:
    """Of a prompt nothing is left to quote where all that was found in it is pasted."""
    return hit.kind == EventKind.PROMPT and hit.snippet != ""


def _line(hit: SearchHit) -> Shown:
    place = joined((day(hit.at_ms), name(hit.agent), last_part(hit.repo), name(hit.kind)), ", ")
    return joined((ours("- "), place, ours(", session "), stamp(hit.session), ours(": "), _said(hit)))


def _said(hit: SearchHit) -> Shown:
    if hit.snippet is None:
        return ours("(the text is not in the archive any more)")
    return typed(one_line(hit.snippet, _SNIPPET + 40))


SEARCH_SESSIONS = Tool(
    name="search_sessions",
    title="Search earlier sessions",
    description=(
        "Full text over prompts, replies, commands, errors and outputs of earlier sessions of all coding agents. Use it"
        ' to find out how something was done or decided before. All words must occur; "a phrase" in its order; wor*'
        " finds words that begin so; -word excludes. Quotes only users."
    ),
    properties={
        "query": text("A few words.", 400),
        "where": choice("Where to look. Default: this repository, if it is known.", (THIS_REPO, ALL_REPOS)),
        "part": choice("Only this part of sessions.", tuple(KINDS)),
        "days": number("Only sessions of the last so many days.", 36_500),
        "limit": number(f"At most so many matches. Default: {_HITS}.", _MOST_HITS),
        **PLACE,
    },
    needed=("query",),
    run=search_sessions,
)

TOOLS = (SEARCH_SESSIONS,)
