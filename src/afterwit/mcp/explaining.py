"""An item with what stands behind it, in lines for a model: what it says, why it is believed, the newest evidence.

An item that may not be told is named without its words. Of evidence is told where it comes from, and the words only
where a user typed them.
"""

from collections.abc import Iterator

from afterwit.guard.shown import Shown, command, complaint, figure, joined, label, name, ours, path, stamp
from afterwit.knowledge.shown_items import excerpt, may_be_told, sentence
from afterwit.mcp.quoting import day, last_part, one_line
from afterwit.model.knowledge import Evidence, Item, ScopeKind

_MOST_EVIDENCE = 8
_EXCERPT = 240
_WAITS = "Its words are not shown to agents: a person has yet to look at it."


def explained(item: Item) -> Iterator[Shown]:
    """The lines, unmarked."""
    yield joined((ours("Item "), stamp(item.id), ours(": "), sentence(item) or ours(_WAITS)))
    standing = (label(item.category), label(item.status), label(item.authority))
    believed = joined((ours("confidence "), figure(item.confidence, 2)))
    yield joined((joined((*standing, believed, joined((ours("holds "), _where(item)))), ", "), ours(".")))
    if may_be_told(item):
        yield from _details(item)
    newest = sorted(item.evidence, key=_moment, reverse=True)
    if newest:
        yield ours("Evidence, the newest first:")
        yield from (_piece(item, piece) for piece in newest[:_MOST_EVIDENCE])
    if len(newest) > _MOST_EVIDENCE:
        more = figure(len(newest) - _MOST_EVIDENCE)
        yield joined(
            (ours("("), more, ours(" more pieces; `afterwit knowledge why "), stamp(item.id), ours("` shows all)"))
        )


def _details(item: Item) -> Iterator[Shown]:
    if item.reason:
        yield joined((ours("Why: "), complaint(item.reason), ours(".")))
    if item.advice:
        yield joined((ours("Command: "), command(item.advice)))
    if files := joined(map(path, item.files[:_MOST_EVIDENCE]), ", "):
        yield joined((ours("Files: "), files))


def _where(item: Item) -> Shown:
    place = last_part(item.scope.name)
    if item.scope.kind is ScopeKind.GLOBAL or not place:
        return ours("everywhere" if item.scope.kind is ScopeKind.GLOBAL else "in one repository")
    return joined((ours("in `"), place, ours("`")))


def _piece(item: Item, piece: Evidence) -> Shown:
    side = ours("against" if piece.is_against else "for")
    session = piece.session
    place = joined(
        (side, day(_moment(piece)), name(session.agent), last_part(session.repo), label(piece.channel)), ", "
    )
    said = excerpt(item, piece, one_line(piece.excerpt, _EXCERPT))
    return joined(
        (ours("- "), place, ours(", session "), stamp(session.native_id), *((ours(": "), said) if said else ()))
    )


def _moment(piece: Evidence) -> int:
    return piece.at_ms or piece.session.at_ms
