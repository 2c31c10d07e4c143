"""Notes and tellings for tests of metrics, with invented content and days that can be counted on fingers."""

from typing import Any

from tests.harvest.talks import DAY_MS, MAY_MS, ORCHARD

from afterwit.agents.hook_payloads import START
from afterwit.measure.note_changes import NoteHistory
from afterwit.measure.told_notes import SessionKey, ToldNote
from afterwit.model.knowledge import (
    Authority,
    Belief,
    Category,
    Channel,
    Evidence,
    Item,
    ItemStatus,
    Scope,
    ScopeKind,
    SessionRef,
    Trigger,
)

HERE = Scope(ScopeKind.REPO, ORCHARD)
NO_HISTORY = NoteHistory()
SIGNATURE = "press: unknown option --fast"


def day_ms(day: float) -> int:
    return MAY_MS + int(day * DAY_MS)


def seen(session: str, day: float, **more: Any) -> Evidence:
    """What a session says of a note; each session is independent of the others."""
    given: dict[str, Any] = {"channel": Channel.OUTCOME, "at": 1, **more}
    ref = SessionRef(agent="codex", native_id=session, story=session, repo=ORCHARD, at_ms=day_ms(day))
    return Evidence(session=ref, at_ms=day_ms(day), **given)


def note(name: str = "n1", *evidence: Evidence, **more: Any) -> Item:
    """A pitfall of the orchard, in use, that answers a failure of the press."""
    given: dict[str, Any] = {
        "id": name,
        "harvester": "corrections",
        "scope": HERE,
        "category": Category.PITFALL,
        "sentence": "Instead of `press --fast`, which fails, call `press`.",
        "status": ItemStatus.ACTIVE,
        "authority": Authority.GUIDANCE,
        "channel": Channel.OUTCOME,
        "belief": Belief(3.0, 1.3),
        "triggers": (Trigger(signature=SIGNATURE),),
        "evidence": evidence or (seen("a", 0), seen("b", 2)),
    }
    given |= more
    times = [piece.at_ms for piece in given["evidence"]]
    return Item(**{"first_ms": min(times), "last_ms": max(times)} | given)


def told(session: str, item: str = "n1", day: float = 10, moment: str = START, **more: Any) -> ToldNote:
    to = SessionKey("codex", session, more.pop("is_subagent", False))
    return ToldNote(day_ms(day), to, item, moment, **more)
