"""Today: what is new, what waits, what would be lost, whether it helps, what it cost, and one next step."""

from typing import NamedTuple, cast

from afterwit.agents.registry import DAY_MS
from afterwit.engine.curation.review import WaitingNotes, waiting
from afterwit.engine.doctor.findings import RECENT_DAYS, Level
from afterwit.engine.doctor.status import ProofOfLife, paying, status
from afterwit.knowledge.door.list import new_items
from afterwit.model.figures import human_count
from afterwit.model.knowledge import Item
from afterwit.reader.ledger import spent_by
from afterwit.recall.tellings import said_at
from afterwit.sessions.filters import Filter
from afterwit.sessions.list import Order, list_sessions
from afterwit.store.store import readonly_database
from afterwit.web.answering import Ask, WebAnswer, WebRoute, render
from afterwit.web.pages.knowledge import undo_bar

_MOST = 8
_STATUS_MS = 20_000


class NextStep(NamedTuple):
    """The one thing to do now, and where."""

    words: str
    link: str = ""
    label: str = ""


def _today(ask: Ask) -> WebAnswer:
    since_ms = ask.world.now_ms - RECENT_DAYS * DAY_MS
    now = _status(ask)
    queue = waiting(ask.world)
    kinds: dict[str, list[Item]] = {}
    for item in queue.unseen:
        kinds.setdefault(item.harvester, []).append(item)
    notes = new_items(ask.world, since_ms)
    sessions = list_sessions(ask.world, Filter(since_ms=since_ms, is_top=True), Order.START, _MOST)
    with readonly_database(ask.world.layout) as db:
        spent = spent_by(db, ask.world.now_ms)
    return render(
        ask,
        "today.html",
        days=RECENT_DAYS,
        now=now,
        queue=queue,
        kinds=kinds,
        most=_MOST,
        notes=notes,
        sessions=sessions,
        paying=paying(now),
        spent=spent,
        next=_next(now, queue),
        said_at=said_at,
        **undo_bar(ask),
    )


def _status(ask: Ask) -> ProofOfLife:
    """How things stand; looked at again after a while, because it looks at files of all agents."""
    at_ms, seen = ask.kept.get("status", (0, None))
    if seen is None or ask.world.now_ms - at_ms > _STATUS_MS:
        seen = status(ask.world, ask.place.machine, has_sizes=False)
        ask.kept["status"] = (ask.world.now_ms, seen)
    return cast(ProofOfLife, seen)


def _next(now: ProofOfLife, queue: WaitingNotes) -> NextStep:
    """Alarms first, then what would be lost, then decisions, then what is not set up."""
    alarms = [finding for finding in now.findings if finding.level is Level.ALARM]
    if alarms:
        return NextStep(alarms[0].what, "/more/doctor", "Look closer")
    if now.vanishing.uncaptured:
        return NextStep("Logs that are not read yet will be deleted by their agents: run `afterwit learn`.")
    if now.learned.last_run_ms is None:
        return NextStep("Run `afterwit learn`: it reads what your agents have logged.")
    if queue.unseen:
        notes = human_count(len(queue.unseen), "note is", "notes are")
        return NextStep(f"{notes} in use that nobody has looked at.", "#unseen", "Look")
    if queue.notes:
        return NextStep("Decide about what waits below: it takes a few seconds each.", "#waiting", "Decide")
    if now.spoke is None:
        return NextStep("Let your agents hear it: `afterwit connect agents --all` shows every change first, and asks.")
    return NextStep("Nothing needs you. Search finds whatever your agents ever said or did.", "/search", "Search")


ROUTES = (WebRoute("/", _today),)
