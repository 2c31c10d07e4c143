"""Evidence and drafts for tests of knowledge, with invented content."""

from typing import Any

from afterwit.model.knowledge import Category, Channel, Draft, Evidence, Scope, ScopeKind, SessionRef

DAY_MS = 86_400_000
NOW_MS = 2_000 * DAY_MS
ORCHARD = Scope(ScopeKind.REPO, "example.org/fruit/orchard")
HARBOUR = Scope(ScopeKind.REPO, "example.org/sea/harbour")


def piece(
    story: str, *, days_ago: float = 0, channel: Channel = Channel.OUTCOME, at: int | None = 1, **more: Any
) -> Evidence:
    """One piece of evidence, in the story of that name."""
    at_ms = NOW_MS - int(days_ago * DAY_MS)
    version = more.pop("version", "")
    session = SessionRef(agent="claude-code", native_id=story, story=story, at_ms=at_ms, version=version)
    return Evidence(session=session, channel=channel, at=at, at_ms=at_ms, **more)


def pieces(number: int, **more: Any) -> tuple[Evidence, ...]:
    """As many independent pieces."""
    return tuple(piece(f"story {at}", **more) for at in range(number))


def draft(sentence: str = "Use `uv run pytest` for the tests.", **more: Any) -> Draft:
    """A draft of a verified outcome, unless told otherwise."""
    given: dict[str, Any] = {
        "harvester": "corrections",
        "key": (sentence,),
        "scope": ORCHARD,
        "category": Category.PITFALL,
        "channel": Channel.OUTCOME,
        "evidence": pieces(1),
    }
    return Draft(sentence=sentence, **(given | more))
