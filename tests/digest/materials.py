"""Small invented sessions to digest."""

from afterwit.digest.digester import Identity, Material, SessionPart, gather
from afterwit.model.captured import ActionRow, Extract, PartFacts
from afterwit.model.kinds import ActionKind, EventKind, Lean, NoteKind, Status

ROOT = "/srv/orchard"
START_MS = 1_000_000


def identity(**fields: object) -> Identity:
    given: dict[str, object] = {
        "agent": "codex",
        "native_id": "one",
        "cwd": ROOT,
        "root": ROOT,
        "branch": "main",
        "relation": "",
        "parent": "",
        "versions": ("1.0",),
        "models": ("model-a",),
        "started_ms": START_MS,
        "ended_ms": START_MS + 600_000,
        "title": "",
        "task": "Prune the plums",
        "is_partial": False,
        "tokens": 900,
        "cost_usd": 0.25,
    }
    return Identity(**{**given, **fields})  # type: ignore[arg-type]


def action(
    ordinal: int,
    target: str,
    status: Status = Status.SUCCEEDED,
    *,
    kind: ActionKind = ActionKind.SHELL,
    error: str = "",
    lean: Lean | None = None,
    at_ms: int | None = None,
) -> ActionRow:
    moment = START_MS + 1_000 * (ordinal + 1) if at_ms is None else at_ms
    code = {Status.SUCCEEDED: 0, Status.FAILED: 1}.get(status) if kind is ActionKind.SHELL else None
    return ActionRow(
        0, ordinal, f"call-{ordinal}", kind.value, kind, target, status, lean, code, error, moment, 500, 0, None
    )


def note(kind: NoteKind, place: int, text: str, at_ms: int | None = START_MS) -> Extract:
    return Extract(0, kind, place, at_ms, text)


def facts(last_kind: EventKind = EventKind.REPLY, **fields: int) -> PartFacts:
    return PartFacts(native_id="one", last_kind=last_kind, ended_ms=START_MS + 600_000, **fields)  # type: ignore[arg-type]


def material(
    actions: list[ActionRow], notes: list[Extract] | None = None, last: EventKind = EventKind.REPLY, **fields: object
) -> Material:
    return gather(identity(**fields), [SessionPart(facts(last), actions, notes or [])])
