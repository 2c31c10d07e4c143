"""Decisions and observations that cannot be derived again: into the journal first, from there into the database.

The journal is the truth, and durable before anything follows from an entry. A run that dies between the two is caught
up by the next command that opens the store, and a rebuilt database gets all entries again. Where the store fails after
an entry was journalled, `told_if_recorded` says so: said as an error alone, people would decide a second time, or
believe that nothing was decided.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import apsw
import msgspec

from afterwit.model.errors import PartlyDoneError, StoreError, StoreFullError
from afterwit.store import journal
from afterwit.store.atomic import step
from afterwit.store.database import transaction
from afterwit.store.decisions import decided as knowledge
from afterwit.store.journal import ERASING, JournalEntry
from afterwit.store.marks import EXAMPLES, put_mark
from afterwit.store.rows import erased, guards, hooks, items, memory, originals, patterns, readings, repos, skills
from afterwit.store.rows.items import DecisionRow
from afterwit.store.rows.patterns import PatternDecisionRow
from afterwit.store.rows.skills import SkillDecisionRow
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
GONE = "gone"  # all that is left in the body of an entry of which nothing may stay


def decide(store: Store, kind: str, body: Mapping[str, Any], now_ms: int) -> None:
    """Journals an entry and applies it."""
    journalled(store, kind, body, now_ms)
    step("an entry is in the journal, not applied")
    catch_up(store)


def journalled(store: Store, kind: str, body: Mapping[str, Any], now_ms: int) -> JournalEntry:
    """Puts an entry into the journal. Everything that is journalled comes through here: behind a journal that lacks
    entries it would get a number that was used before, and be taken for one that is applied."""
    journal.refuse_lost(store.layout, store.db, store.journal)
    return store.journal.append(kind, body, now_ms)


def decide_all(store: Store, entries: Iterable[tuple[str, Mapping[str, Any]]], now_ms: int) -> None:
    """Journals several entries, all of them or none, and applies them."""
    catch_up(store)
    with store.journal.together():
        for kind, body in entries:
            journalled(store, kind, body, now_ms)
    step("entries are in the journal, not applied")
    catch_up(store)


def catch_up(store: Store) -> None:
    """Applies what the journal holds and the database does not know yet."""
    journal.refuse_lost(store.layout, store.db, store.journal)
    journal.mend_heads(store.layout, store.db)
    done = {machine: head.number for machine, head in journal.applied(store.db).items()}
    pending = [entry for entry in store.journal.entries() if entry.number > done.get(entry.machine, 0)]
    if pending:
        with transaction(store.db):
            for entry in pending:
                apply_entry(store, entry)
            last = {entry.machine: entry.number for entry in pending}
            for machine, number in last.items():
                note_applied(store, machine, number)
            journal.keep_heads(store.layout, journal.seen_heads(store.layout, journal.applied(store.db)))


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
        originals.put_pin(store.db, body["agent"], body["session"])
    elif entry.kind == SESSION_UNPINNED:
        originals.delete_pin(store.db, body["agent"], body["session"])
    elif entry.kind in (AGENT_CONNECTED, AGENT_DISCONNECTED):
        return  # what was changed lies in the agents' own files
    elif entry.kind in frozenset(knowledge.KnowledgeEntry):
        item = str(body.get("item", ""))
        text = msgspec.json.encode(body, order="deterministic").decode()
        items.put_decision(store.db, DecisionRow(entry.machine, entry.number, entry.at_ms, entry.kind, item, text))
        if entry.kind in (knowledge.KnowledgeEntry.READ, knowledge.KnowledgeEntry.CONSOLIDATED):
            readings.put_answer(store.db, entry.at_ms, body)
    elif entry.kind in frozenset(knowledge.PatternEntry):
        text = msgspec.json.encode(body, order="deterministic").decode()
        row = PatternDecisionRow(entry.machine, entry.number, entry.at_ms, entry.kind, text)
        patterns.put_pattern_decision(store.db, row)
    elif entry.kind in frozenset(knowledge.SkillEntry):
        text = msgspec.json.encode(body, order="deterministic").decode()
        decided = SkillDecisionRow(entry.machine, entry.number, entry.at_ms, entry.kind, str(body["trial"]), text)
        skills.put_skill_decision(store.db, decided)
    elif entry.kind == READING_ASKED:
        for request in body["requests"]:
            readings.put_request(store.db, entry.at_ms, request)
    elif entry.kind == READING_SPENT:
        readings.put_spent_call(store.db, entry.at_ms, body)
    elif entry.kind == FIX_CHECKED:
        guards.put_verdict(store.db, entry.at_ms, body)
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
def told_if_recorded(store: Store) -> Iterator[None]:
    """Whatever goes wrong with the store inside, after something was journalled, says so."""
    before = store.journal.heads()
    try:
        yield
    except (StoreError, apsw.Error, OSError) as error:
        if _heads(store, before) == before:
            raise
        raise PartlyDoneError(
            f"This is recorded, and the next `afterwit learn` applies it; it could not be applied now. {_said(error)}"
        ) from error


def _heads(store: Store, otherwise: object) -> object:
    try:
        return store.journal.heads()
    except (StoreError, apsw.Error):
        return otherwise


def _said(error: Exception) -> str:
    if isinstance(error, StoreFullError):
        return "No space is left: free some."
    if isinstance(error, OSError):
        return f"{error.strerror or type(error).__name__}: {error.filename or 'no file named'}."
    return str(error)
