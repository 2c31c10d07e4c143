"""Sightings are put in order and told apart by story and repository."""

from afterwit.harvest.harvester import by_repo, in_order, stories_in
from afterwit.model.knowledge import Scope, ScopeKind, Seen, SessionRef, Sighting


def seen(name: str, at_ms: int, repo: str = "orchard", story: str = "") -> Sighting[Seen]:
    return Sighting(SessionRef(agent="codex", native_id=name, story=story or name, repo=repo, at_ms=at_ms), Seen(at=1))


def test_the_earliest_comes_first() -> None:
    late, early = seen("b", 2), seen("a", 1)
    assert in_order([late, early]) == [early, late]


def test_sessions_of_one_story_count_once() -> None:
    assert stories_in([seen("a", 1, story="s"), seen("b", 2, story="s"), seen("c", 3)]) == {"s", "c"}


def test_what_is_in_no_repository_belongs_to_the_agent() -> None:
    inside, outside = seen("a", 2), seen("b", 1, repo="")
    assert list(by_repo([outside, inside]).items()) == [
        (Scope(ScopeKind.REPO, "orchard"), [inside]),
        (Scope(ScopeKind.AGENT, "codex"), [outside]),
    ]
