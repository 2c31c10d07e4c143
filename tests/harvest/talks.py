"""Digests of invented conversations: what was said, what was run, what was published."""

from collections.abc import Iterable, Sequence
from typing import Any

from afterwit.harvest.harvester import Harvester
from afterwit.model.digest import Digest, Measures, Publication, Said, Verdict
from afterwit.model.kinds import ActionKind, NoteKind, Outcome, Status, Step
from afterwit.model.knowledge import Draft, SessionRef, Sighting

DAY_MS = 86_400_000
MAY_MS = 1_777_593_600_000  # 2026-05-01
ORCHARD = "example.org/fruit/orchard"
_NO_MEASURES = Measures(
    duration_ms=None,
    first_success_ms=None,
    errors=0,
    early_error_rate=None,
    tool_diversity=0,
    tokens=0,
    cost_usd=None,
)


def said(text: str, day: int = 0, *, is_person: bool = True) -> Said:
    return Said(text=text, at_ms=MAY_MS + day * DAY_MS, is_person=is_person)


def talk(*prompts: str, day: int = 0, name: str = "", **more: Any) -> Digest:
    """A session in which somebody typed these prompts."""
    given: dict[str, Any] = {
        "agent": "codex",
        "native_id": name or f"talk {day}",
        "repo": ORCHARD,
        "started_ms": MAY_MS + day * DAY_MS,
        "verdict": Verdict(outcome=Outcome.SUCCESS, confidence=0.9),
        "kinds": {},
        "prompts": tuple(said(text, day) for text in prompts),
        "measures": _NO_MEASURES,
    }
    return Digest(**given | more)


def replied(*texts: str, day: int = 0) -> tuple[Said, ...]:
    """What the agent stated, a minute into the session."""
    return tuple(Said(text=text, at_ms=MAY_MS + day * DAY_MS + 60_000) for text in texts)


def committed(text: str, at: int = 0) -> Publication:
    return Publication(kind=NoteKind.COMMIT, at=at, text=text)


def pulled(text: str, at: int = 0) -> Publication:
    return Publication(kind=NoteKind.PULL, at=at, text=text)


def shell(line: str, at_s: int, status: Status = Status.SUCCEEDED, error: str = "") -> Step:
    return Step(ActionKind.SHELL, "shell", line, status, None, None, at_s, None, error)


def concluded(harvester: Harvester[Any], digests: Iterable[Digest]) -> list[Draft]:
    """All drafts of a harvester over these sessions."""
    groups: dict[str, list[Sighting[Any]]] = {}
    for digest in digests:
        session = SessionRef(
            agent=digest.agent,
            native_id=digest.native_id,
            story=digest.parent or digest.native_id,
            repo=digest.repo,
            user=digest.user,
            at_ms=digest.started_ms or 0,
        )
        for group, seen in harvester.see(digest):
            groups.setdefault(group, []).append(Sighting(session, seen))
    return [draft for group in sorted(groups) for draft in harvester.conclude(group, groups[group])]


def sentences(drafts: Sequence[Draft]) -> list[str]:
    return [draft.sentence for draft in drafts]
