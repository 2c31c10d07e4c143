"""Patterns: what recurs and nobody has decided about, the catalog, and one pattern with its evidence and history.

Approve, reject, edit, merge and split are those of `afterwit patterns`, and are undone like there: the last one first.
Handing a pattern to agents is `web.publishing`.
"""

from typing import Any

from afterwit.extras.lab.patterns.catalog import Catalog, CatalogDecision, CatalogEntry, EntryStatus
from afterwit.extras.lab.patterns.catalog_file import in_words
from afterwit.extras.lab.patterns.curate import CatalogChange, EntryChanges, SplitBy, edit, judge, merge, split, undo
from afterwit.extras.lab.patterns.publish import PublishedState, published_of
from afterwit.extras.lab.patterns.show import catalog_of, listed, undecided
from afterwit.extras.lab.patterns.show import shown as pattern_named
from afterwit.model.errors import UsageError
from afterwit.model.knowledge import EVERYWHERE
from afterwit.web.answering import Ask, WebAnswer, WebRoute, back_with, shown

PAGE = 25
_DECISIONS = {"approve": CatalogDecision.APPROVE, "reject": CatalogDecision.REJECT}
_ENDED = (EntryStatus.MERGED, EntryStatus.SPLIT)
SAID = {
    "undone": "Undone.",
    "same": "It is so already. Nothing was changed.",
    "published": "Published.",
    "back": "Taken back.",
}


def change_bar(ask: Ask, catalog: Catalog) -> dict[str, Any]:
    """What was decided about patterns just now, with its number where it is the last and can be undone."""
    number, last = ask.number("decided"), catalog.standing[-1] if catalog.standing else None
    is_last = last is not None and number == last.number
    said = str(last.body.get("what", "")) if last is not None and is_last else SAID.get(ask.first("said"), "")
    return {"decided": last.number if last is not None and is_last else 0, "said": said}


def _list(ask: Ask) -> WebAnswer:
    catalog = catalog_of(ask.world)
    waiting, entries = undecided(ask.world), listed(ask.world)
    page = max(1, ask.number("page", 1))
    return shown(
        ask,
        "patterns.html",
        waiting=waiting[(page - 1) * PAGE : page * PAGE],
        found=len(waiting),
        page=page,
        pages=max(1, -(-len(waiting) // PAGE)),
        entries=entries,
        published=published_of(ask.world, catalog) if entries else {},
        **change_bar(ask, catalog),
    )


def _pattern(ask: Ask) -> WebAnswer:
    pattern, catalog = pattern_named(ask.world, ask.names["pattern"]), catalog_of(ask.world)
    entry = pattern.entry
    places = published_of(ask.world, catalog, (entry.id,)).get(entry.id, [])
    return shown(
        ask,
        "pattern.html",
        pattern=pattern,
        entry=entry,
        applies=in_words(entry.scope or str(EVERYWHERE)),
        current=pattern.current,
        is_decided=bool(entry.version),
        is_ended=entry.status in _ENDED,
        is_approved=bool(entry.version) and entry.status is EntryStatus.APPROVED,
        evidence=pattern.current.evidence if pattern.current is not None else entry.evidence,
        places=places,
        is_withdrawn=any(place.state is PublishedState.WITHDRAWN for place in places),
        is_outdated=any(place.state is PublishedState.OUTDATED for place in places),
        others=_others(catalog, entry),
        splits=[by for by in SplitBy if len({getattr(piece, by) for piece in entry.evidence} - {""}) > 1],
        **change_bar(ask, catalog),
    )


def _others(catalog: Catalog, entry: CatalogEntry) -> list[CatalogEntry]:
    """What a pattern can be made one with."""
    approved = (other for other in catalog.entries.values() if other.status is EntryStatus.APPROVED)
    return sorted((other for other in approved if other.id != entry.id), key=lambda other: other.title)


def _decide(ask: Ask) -> WebAnswer:
    decision = _DECISIONS.get(ask.form.get("decision", ""))
    if decision is None:
        raise UsageError("This decision is not known.")
    return _after(ask, judge(ask.world, decision, [ask.names["pattern"]]))


def _edit(ask: Ask) -> WebAnswer:
    """What the form holds; a field that is not in it stays."""
    when = ask.form.get("triggers")
    changes = EntryChanges(
        title=ask.form.get("title"),
        text=ask.form.get("text"),
        scope=ask.form.get("scope"),
        triggers=None if when is None else tuple(when.splitlines()),
    )
    return _after(ask, edit(ask.world, ask.names["pattern"], changes))


def _merge(ask: Ask) -> WebAnswer:
    return _after(ask, merge(ask.world, [ask.names["pattern"], ask.form.get("other", "")]))


def _split(ask: Ask) -> WebAnswer:
    by = ask.form.get("by", "")
    if by not in list(SplitBy):
        raise UsageError(f"A pattern is split by one of: {', '.join(SplitBy)}.")
    return _after(ask, split(ask.world, ask.names["pattern"], SplitBy(by)))


def _undo(ask: Ask) -> WebAnswer:
    number = ask.form.get("number", "")
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        raise UsageError("Say which decision to undo.")
    undo(ask.world, only=int(number))
    return back_with(ask, "/more/patterns", decided=None, said="undone")


def _after(ask: Ask, change: CatalogChange) -> WebAnswer:
    default = f"/more/patterns/{ask.names['pattern']}"
    if not change.has_changed:
        return back_with(ask, default, decided=None, said="same")
    return back_with(ask, default, decided=catalog_of(ask.world).standing[-1].number, said=None)


ROUTES = (
    WebRoute("/more/patterns", _list),
    WebRoute("/more/patterns/undo", _undo, "POST"),
    WebRoute("/more/patterns/{pattern}", _pattern),
    WebRoute("/more/patterns/{pattern}/decide", _decide, "POST"),
    WebRoute("/more/patterns/{pattern}/edit", _edit, "POST"),
    WebRoute("/more/patterns/{pattern}/merge", _merge, "POST"),
    WebRoute("/more/patterns/{pattern}/split", _split, "POST"),
)
