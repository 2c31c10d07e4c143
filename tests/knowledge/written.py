"""Items as tests of documents and pages need them."""

from typing import Any

from afterwit.model.knowledge import (
    EVERYWHERE,
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

DAY_MS = 86_400_000
MAY_MS = 1_777_593_600_000  # 2026-05-01
ORCHARD = Scope(ScopeKind.REPO, "github.com/acme/orchard")


def piece(session: str = "5ea50001", **more: Any) -> Evidence:
    """One piece of evidence."""
    place = SessionRef(agent="codex", native_id=session, story=more.pop("story", session), repo=ORCHARD.name)
    return Evidence(**{"session": place, "channel": Channel.OUTCOME, "at": 3, "at_ms": MAY_MS, **more})


def item(id: str = "0a0a0a0a0a0a", **more: Any) -> Item:  # noqa: A002
    """An item about tests in the orchard."""
    found: dict[str, Any] = {
        "id": id,
        "harvester": "corrections",
        "scope": ORCHARD,
        "category": Category.PITFALL,
        "sentence": "Run the tests with `make trees`, not `make count`: there is no such target.",
        "status": ItemStatus.ACTIVE,
        "authority": Authority.GUIDANCE,
        "channel": Channel.OUTCOME,
        "belief": Belief(3.0, 1.0),
        "triggers": (Trigger(program="make", words=("count",)),),
        "advice": "make trees",
        "evidence": (piece(), piece("5ea50002", at_ms=MAY_MS + DAY_MS)),
        "first_ms": MAY_MS,
        "last_ms": MAY_MS + DAY_MS,
    }
    return Item(**found | more)


__all__ = ["DAY_MS", "EVERYWHERE", "MAY_MS", "ORCHARD", "item", "piece"]
