"""Decisions and observations that cannot be derived again: into the journal first, from there into the database.

The journal is durable before anything follows from an entry. A run that dies between the two is caught up by the next
command that opens the store; where the store fails after an entry was journalled, `report_if_recorded` says so, or
people would decide a second time.

After sessions were erased, entries say the same without anything that came from them (`bodies_after_erasure`): what was
decided about items stays without a word, what an agent recorded, was shown or read there goes whole, and of requests to
a model stays what they took, so that caps hold.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import apsw

from afterwit.model.errors import PartlyDoneError, StoreError, StoreFullError
from afterwit.store import decisions as knowledge
from afterwit.store import journal
from afterwit.store.atomic import step
from afterwit.store.database import transaction
from afterwit.store.decisions import JournalEntry, KnowledgeEntry, PatternEntry, SkillEntry
from afterwit.store.journal import ERASING
from afterwit.store.marks import EXAMPLES, put_mark
from afterwit.store.rows import erased, extras, files, hooks, items, memory, readings, repos
from afterwit.store.store import Store

CHECKOUTS_SEEN = "checkouts-seen"  # {"remotes": {root: remote}}
ALIAS_SET = "alias-set"  # {"subject": repo|tool|user, "name": …, "target": …}
ALIAS_REMOVED = "alias-removed"  # {"subject": …, "name": …}
SESSION_PINNED = "session-pinned"  # {"agent": …, "session": native id}
SESSION_UNPINNED = "session-unpinned"  # the same
AGENT_CONNECTED = "agent-connected"  # see `connections`
AGENT_DISCONNECTED = "agent-disconnected"
EXPERIMENT_SET = "experiment-set"  # {"session_share": …, "item_share": …}
EXPERIMENT_STARTED = "experiment-started"  # {"arms": […], "templates": [id, …] where an arm is told of them}
EXPERIMENT_STOPPED = "experiment-stopped"  # {}
READING_ASKED = "reading-asked"  # {"requests": […]}: what a model was to read; see `store.rows.readings`
READING_SPENT = "reading-spent"  # {"request", "asked_ms", "usage", "fault", …}: what a call took that failed
FIX_CHECKED = "fix-checked"  # a verdict on a fix: see `model.guards.GuardVerdict`
SESSIONS_ERASED = ERASING  # {"families": [[key, …], …]}, see `store.rows.erased`, and the entries that lost their text
SESSIONS_WANTED = "sessions-wanted"  # {"sessions": [key, …]}: may be read again, although they were erased
DRAWN = "drawn"  # {"draws": […]}: what sessions were shown, or would have been; see `spooled`
_ERASABLE = (
    *(CHECKOUTS_SEEN, DRAWN, READING_ASKED, READING_SPENT),
    *knowledge.PatternEntry,
    *knowledge.SkillEntry,
)  # with all about knowledge
_ANSWERS = (KnowledgeEntry.READ, KnowledgeEntry.COMPILED)  # of models
GONE = "gone"  # all that is left in the body of an entry of which nothing may stay


def decide(store: Store, kind: str, body: Mapping[str, Any], now_ms: int) -> None:
    """Journals an entry and applies it."""
    journal_entry(store, kind, body, now_ms)
    step("an entry is in the journal, not applied")
    catch_up(store)


def journal_entry(store: Store, kind: str, body: Mapping[str, Any], now_ms: int) -> JournalEntry:
    """Puts an entry into the journal. Everything that is journalled comes through here: behind a journal that lacks
    entries it would get a number that was used before, and be taken for one that is applied."""
    journal.refuse_lost(store.layout, store.db, store.journal)
    return store.journal.append(kind, body, now_ms)


def decide_all(store: Store, entries: Iterable[tuple[str, Mapping[str, Any]]], now_ms: int) -> None:
    """Journals several entries, all of them or none, and applies them."""
    catch_up(store)
    with store.journal.together():
        for kind, body in entries:
            journal_entry(store, kind, body, now_ms)
    step("entries are in the journal, not applied")
    catch_up(store)


def catch_up(store: Store) -> None:
    """Applies what the journal holds and the database does not know yet."""
    journal.refuse_lost(store.layout, store.db, store.journal)
    journal.mend_heads(store.layout, store.db)
    done = {machine: head.number for machine, head in journal.heads_applied(store.db).items()}
    pending = [entry for entry in store.journal.entries() if entry.number > done.get(entry.machine, 0)]
    if pending:
        with transaction(store.db):
            for entry in pending:
                apply_entry(store, entry)
            last = {entry.machine: entry.number for entry in pending}
            for machine, number in last.items():
                note_applied(store, machine, number)
            journal.keep_heads(store.layout, journal.last_heads(store.layout, journal.heads_applied(store.db)))


def note_applied(store: Store, machine: str, number: int) -> None:
    """How far the chain of a machine is applied by now."""
    head = store.journal.head_at(machine, number)
    if head is not None:
        journal.note_applied(store.db, machine, head)


def apply_entry(store: Store, entry: JournalEntry) -> None:
    """Puts what one entry says into the database. One that lost all it said was erased with its session."""
    body = entry.body
    if body.get(GONE):
        return
    if entry.kind == SESSIONS_ERASED:
        _apply_erasure(store, entry)
    elif entry.kind == SESSIONS_WANTED:
        erased.delete_erased(store.db, map(bytes.fromhex, body["sessions"]))
    elif entry.kind == CHECKOUTS_SEEN:
        repos.put_checkouts(store.db, body["remotes"])
    elif entry.kind == ALIAS_SET:
        repos.put_alias(store.db, body["subject"], body["name"], body["target"])
    elif entry.kind == ALIAS_REMOVED:
        repos.delete_alias(store.db, body["subject"], body["name"])
    elif entry.kind == SESSION_PINNED:
        files.put_pin(store.db, body["agent"], body["session"])
    elif entry.kind == SESSION_UNPINNED:
        files.delete_pin(store.db, body["agent"], body["session"])
    elif entry.kind in (AGENT_CONNECTED, AGENT_DISCONNECTED):
        return  # what was changed lies in the agents' own files
    elif entry.kind in frozenset(knowledge.KnowledgeEntry):
        items.put_decision(store.db, entry)
        if entry.kind in (*_ANSWERS, knowledge.KnowledgeEntry.CONSOLIDATED):
            readings.put_answer(store.db, entry.at_ms, body)
    elif entry.kind in frozenset(knowledge.PatternEntry):
        extras.put_pattern_decision(store.db, entry)
    elif entry.kind in frozenset(knowledge.SkillEntry):
        extras.put_skill_decision(store.db, entry)
    elif entry.kind == READING_ASKED:
        for request in body["requests"]:
            readings.put_request(store.db, entry.at_ms, request)
    elif entry.kind == READING_SPENT:
        readings.put_spent_call(store.db, entry.at_ms, body)
    elif entry.kind == FIX_CHECKED:
        extras.put_verdict(store.db, entry.at_ms, body)
    elif entry.kind == EXPERIMENT_SET:
        share, item_share = float(body["session_share"]), float(body["item_share"])
        before = hooks.shares(store.db)
        chosen = before._replace(session_share=share, item_share=item_share, since_ms=entry.at_ms)
        hooks.put_shares(store.db, chosen)
    elif entry.kind == EXPERIMENT_STARTED:
        arms = tuple(map(str, body["arms"]))
        begun = hooks.shares(store.db)._replace(arms=arms, compared=arms, started_ms=entry.at_ms, stopped_ms=0)
        hooks.put_shares(store.db, begun)
        put_mark(store.db, EXAMPLES, " ".join(map(str, body.get("templates", ()))))
    elif entry.kind == EXPERIMENT_STOPPED:
        hooks.put_shares(store.db, hooks.shares(store.db)._replace(arms=(), stopped_ms=entry.at_ms))
    elif entry.kind == DRAWN:
        for draw in body["draws"]:
            hooks.put_draw(store.db, draw)
    elif entry.kind in (memory.STORED, memory.DELETED):
        memory.apply(store.db, entry.kind, body, entry.at_ms)
    else:
        raise StoreError(f"The journal holds an entry of unknown kind {entry.kind!r}. Upgrade afterwit.")


def _apply_erasure(store: Store, erasure: JournalEntry) -> None:
    """What was erased may not come back, and what earlier entries said of it is gone from them: all of their kind are
    applied again. That the rest of it goes is left to `engine.archive.erase`."""
    for family in erasure.body["families"]:
        erased.put_erased(store.db, [bytes.fromhex(key) for key in family])
    erased.note_unfinished(store.db)
    erased.clear_decided(store.db)
    for entry in store.journal.entries():
        if (entry.machine, entry.number) == (erasure.machine, erasure.number):
            break
        if entry.kind in _ERASABLE or entry.kind in frozenset(knowledge.KnowledgeEntry):
            apply_entry(store, entry)


@contextmanager
def report_if_recorded(store: Store) -> Iterator[None]:
    """Whatever goes wrong with the store inside, after something was journalled, says so."""
    before = store.journal.heads()
    try:
        yield
    except (StoreError, apsw.Error, OSError) as error:
        if _heads(store, before) == before:
            raise
        raise PartlyDoneError(
            "This is recorded, and the next `afterwit learn` applies it; it could not be applied now."
            f" {_explain(error)}"
        ) from error


def _heads(store: Store, otherwise: object) -> object:
    try:
        return store.journal.heads()
    except (StoreError, apsw.Error):
        return otherwise


def _explain(error: Exception) -> str:
    if isinstance(error, StoreFullError):
        return "No space is left: free some."
    if isinstance(error, OSError):
        return f"{error.strerror or type(error).__name__}: {error.filename or 'no file named'}."
    return str(error)


Body = Mapping[str, Any]
_WORDLESS = ("item", "decision", "verdict")
_TOLD = ("text", "would")
_OF_PATTERN = ("id", "version", "status", "kind", "side", "made_from", "became")  # what holds no words
_NAMELESS = {"agent": "", "native_id": "", "repo": "", "lines_hash": ""}  # what a request keeps, beside what it took


class Erasure(NamedTuple):
    """What is erased, and what of it shows elsewhere."""

    sessions: frozenset[tuple[str, str]]  # agent and native id
    repos: frozenset[str] = frozenset()  # in which these sessions ran
    roots: frozenset[str] = frozenset()  # folders that no other session ran in
    items: frozenset[str] = frozenset()  # that nothing else supports
    clean_items: frozenset[str] = frozenset()  # of which nothing came from the sessions
    entries: frozenset[tuple[str, int]] = frozenset()  # that these sessions wrote, by machine and number


def bodies_after_erasure(entries: Iterable[JournalEntry], erasure: Erasure) -> dict[tuple[str, int], Body]:
    """The bodies of the entries that say something else afterwards."""
    bodies: dict[tuple[str, int], Body] = {}
    for entry in entries:
        after = _without(entry, erasure) if not entry.body.get(GONE) else entry.body
        if after != entry.body:
            bodies[entry.machine, entry.number] = after
    return bodies


def _without(entry: JournalEntry, erasure: Erasure) -> Body:
    body = entry.body
    if (entry.machine, entry.number) in erasure.entries:
        return {GONE: True}
    if entry.kind == DRAWN:
        draws = [draw for draw in body["draws"] if (draw["agent"], draw["session"]) not in erasure.sessions]
        return {**body, "draws": [_untold(draw, erasure) for draw in draws]}
    if entry.kind == CHECKOUTS_SEEN:
        return {**body, "remotes": {root: of for root, of in body["remotes"].items() if root not in erasure.roots}}
    if entry.kind in (KnowledgeEntry.DECIDED, KnowledgeEntry.JUDGED) and body.get("item") in erasure.items:
        return {name: value for name, value in body.items() if name in _WORDLESS}
    if entry.kind == KnowledgeEntry.IMPORTED:
        kept = (_keep_supported(draft, erasure) for draft in body["drafts"])
        return {**body, "drafts": [draft for draft in kept if draft["evidence"]]}
    if entry.kind in (KnowledgeEntry.ADDED, KnowledgeEntry.KEPT):
        draft = _keep_supported(
            body["draft"], erasure
        )  # of a published pattern: what a person typed has no other evidence
        return {**body, "draft": draft} if draft["evidence"] else {GONE: True}
    if entry.kind == KnowledgeEntry.LESSON:
        return body if _keep_supported(body["draft"], erasure)["evidence"] else {GONE: True}
    if entry.kind in (KnowledgeEntry.REPORTED, KnowledgeEntry.READ) and _is_of(body["session"], erasure):
        return {GONE: True}
    if entry.kind == PatternEntry.DECIDED:
        return {**body, "entries": [_of_pattern(pattern, erasure) for pattern in body["entries"]]}
    if entry.kind == SkillEntry.TRIED:
        return {**body, "proposal": _of_skill(body["proposal"], erasure)}
    if entry.kind == READING_ASKED:
        return {"requests": [_erase_request(ask, erasure) for ask in body["requests"]]}
    if entry.kind == KnowledgeEntry.CONSOLIDATED and erasure.items.issuperset(body["items"]):
        return {GONE: True}
    if entry.kind == KnowledgeEntry.COMPILED and not erasure.items.isdisjoint(body["items"]):
        return {
            **{name: value for name, value in body.items() if name not in ("rejected", "proposals")},
            "lines": [line for line in body.get("lines", ()) if erasure.items.isdisjoint(line.get("notes", ()))],
        }
    if entry.kind == KnowledgeEntry.BRIEF_EDITED:
        left = {
            name: [line for line in body.get(name, ()) if erasure.items.isdisjoint(line.get("notes", ()))]
            for name in ("put", "removed")
        }
        return {**body, **left} if any(left[name] != list(body.get(name, ())) for name in left) else body
    if entry.kind == KnowledgeEntry.CHECK_DECIDED and not erasure.items.isdisjoint(body["check"].get("notes", ())):
        return {GONE: True}
    if entry.kind == READING_SPENT and (_is_of(body, erasure) or not body["native_id"]):
        return {**body, "agent": "", "native_id": "", "fault": ""}  # one about notes may repeat words of any session
    return body


def _of_pattern(pattern: Body, erasure: Erasure) -> Body:
    pieces = pattern.get("evidence", ())
    stays = [piece for piece in pieces if (piece["agent"], piece["session"]) not in erasure.sessions]
    if len(stays) == len(pieces):
        return pattern
    if stays:
        return {**pattern, "evidence": stays}
    return {name: value for name, value in pattern.items() if name in _OF_PATTERN}


def _of_skill(proposal: Body, erasure: Erasure) -> Body:
    pieces = proposal.get("evidence", ())
    stays = [piece for piece in pieces if (piece["agent"], piece["session"]) not in erasure.sessions]
    if stays or not pieces:
        return {**proposal, "evidence": stays}
    return {**proposal, "evidence": [], "new": "", "why": "", "changes": []}


def _erase_request(ask: Body, erasure: Erasure) -> Body:
    if _is_of(ask, erasure):
        return {**ask, **_NAMELESS}
    items = str(ask.get("items", "")).split()
    return {**ask, **_NAMELESS, "items": ""} if items and erasure.items.issuperset(items) else ask


def _untold(draw: Body, erasure: Erasure) -> Body:
    """Without its words, where some of them may have come from the sessions."""
    is_elsewhere = bool(draw.get("repo")) and draw["repo"] not in erasure.repos
    if is_elsewhere and erasure.clean_items.issuperset(draw["items"]):
        return draw
    return {name: value for name, value in draw.items() if name not in _TOLD}


def _keep_supported(draft: Body, erasure: Erasure) -> Body:
    """A draft with the evidence that stays; none, where nothing of it speaks for the draft."""
    stays = [piece for piece in draft.get("evidence", ()) if not _is_of(piece["session"], erasure)]
    return {**draft, "evidence": stays if any(not piece.get("is_against") for piece in stays) else []}


def _is_of(session: Body, erasure: Erasure) -> bool:
    return (session.get("agent"), session.get("native_id")) in erasure.sessions
