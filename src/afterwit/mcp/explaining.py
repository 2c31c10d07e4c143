"""An item with what stands behind it, in lines for a model: what it says, why it is believed, the newest evidence."""

from collections.abc import Iterator

from afterwit.mcp.quoting import day, last_part, one_line
from afterwit.model.knowledge import Evidence, Item, ScopeKind

_MOST_EVIDENCE = 8
_EXCERPT = 240


def explained(item: Item) -> Iterator[str]:
    """The lines, unmarked."""
    yield f"Item {item.id}: {item.sentence}"
    yield f"{item.category}, {item.status}, {item.authority}, confidence {item.confidence:.2f}, holds {_where(item)}."
    if item.reason:
        yield f"Why: {item.reason}."
    if item.advice:
        yield f"Command: `{item.advice}`"
    if item.files:
        yield f"Files: {', '.join(item.files[:_MOST_EVIDENCE])}"
    newest = sorted(item.evidence, key=_moment, reverse=True)
    if newest:
        yield "Evidence, the newest first:"
        yield from map(_piece, newest[:_MOST_EVIDENCE])
    if len(newest) > _MOST_EVIDENCE:
        yield f"({len(newest) - _MOST_EVIDENCE} more pieces; `afterwit knowledge why {item.id}` shows all)"


def _where(item: Item) -> str:
    return "everywhere" if item.scope.kind is ScopeKind.GLOBAL else f"in `{last_part(item.scope.name)}`"


def _piece(piece: Evidence) -> str:
    side = "against" if piece.is_against else "for"
    session = piece.session
    place = ", ".join(filter(None, (day(_moment(piece)), session.agent, last_part(session.repo), piece.channel)))
    said = f": {one_line(piece.excerpt, _EXCERPT)}" if piece.excerpt else ""
    return f"- {side}, {place}, session {session.native_id}{said}"


def _moment(piece: Evidence) -> int:
    return piece.at_ms or piece.session.at_ms
