"""Patterns: what recurs and nobody has decided about, the catalog, and one pattern with its evidence and history.

Approve, reject, edit, merge and split are those of `afterwit patterns`, and are undone like there: the last one first.
Before a pattern is handed to agents or taken back, every file and every line that would change is shown. What is then
agreed to is what was shown: where something has changed in between, nothing is done and the new plan is shown.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from afterwit.connect.foreign_files import differences
from afterwit.extras.lab.patterns.catalog import Catalog, CatalogDecision, EntryStatus, name_scope
from afterwit.extras.lab.patterns.curate import (
    CatalogChange,
    EntryChanges,
    SplitBy,
    catalog_of,
    edit,
    judge,
    list_entries,
    list_undecided,
    merge,
    split,
    undo,
)
from afterwit.extras.lab.patterns.curate import show_pattern as pattern_named
from afterwit.extras.lab.patterns.publish import (
    PublishedState,
    PublishRequest,
    PublishStep,
    find_published,
    publish,
    unpublish,
)
from afterwit.model.errors import UsageError
from afterwit.model.knowledge import EVERYWHERE
from afterwit.store.rows.extras import PublishedForm
from afterwit.web.answering import Ask, WebAnswer, WebRoute, back_with, redirect, render, with_fields
from afterwit.web.pages.transcript import ShownLine, diff_lines

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
    waiting, entries = list_undecided(ask.world), list_entries(ask.world)
    page = max(1, ask.number("page", 1))
    return render(
        ask,
        "patterns.html",
        waiting=waiting[(page - 1) * PAGE : page * PAGE],
        found=len(waiting),
        page=page,
        pages=max(1, -(-len(waiting) // PAGE)),
        entries=entries,
        published=find_published(ask.world, catalog) if entries else {},
        **change_bar(ask, catalog),
    )


def _pattern(ask: Ask) -> WebAnswer:
    pattern, catalog = pattern_named(ask.world, ask.names["pattern"]), catalog_of(ask.world)
    entry = pattern.entry
    places = find_published(ask.world, catalog, (entry.id,)).get(entry.id, [])
    approved = [other for other in catalog.entries.values() if other.status is EntryStatus.APPROVED]
    return render(
        ask,
        "pattern.html",
        pattern=pattern,
        entry=entry,
        applies=name_scope(entry.scope or str(EVERYWHERE)),
        current=pattern.current,
        is_decided=bool(entry.version),
        is_ended=entry.status in _ENDED,
        is_approved=bool(entry.version) and entry.status is EntryStatus.APPROVED,
        evidence=pattern.current.evidence if pattern.current is not None else entry.evidence,
        places=places,
        is_withdrawn=any(place.state is PublishedState.WITHDRAWN for place in places),
        is_outdated=any(place.state is PublishedState.OUTDATED for place in places),
        others=sorted((other for other in approved if other.id != entry.id), key=lambda other: other.title),
        splits=[by for by in SplitBy if len({getattr(piece, by) for piece in entry.evidence} - {""}) > 1],
        **change_bar(ask, catalog),
    )


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


class ShownStep(NamedTuple):
    """What would happen at one place."""

    what: str
    lines: list[ShownLine]


def _publish_plan(ask: Ask) -> WebAnswer:
    """What would change, without any change."""
    wanted = {name: ask.first(name) for name in ("as", "file")}
    outcome = _run_plan(ask, wanted, "")
    return _show_plan(ask, outcome or (), wanted)


def _carry_out_plan(ask: Ask) -> WebAnswer:
    wanted = {name: ask.form.get(name, "").strip() for name in ("as", "file")}
    seen: list[PublishStep] = []
    outcome = _run_plan(ask, wanted, ask.form.get("plan", "") or "-", seen)
    if outcome is None:
        return _show_plan(ask, seen, wanted, is_other=True)
    said = ("back" if _is_removal(ask) else "published") if any(step.is_needed for step in outcome) else "same"
    return redirect(with_fields(f"/more/patterns/{ask.names['pattern']}", {}, said=said))


def _run_plan(
    ask: Ask, wanted: dict[str, str], agreed: str, seen: list[PublishStep] | None = None
) -> list[PublishStep] | None:
    """Does what was agreed to, by the mark of its plan; without one, only says what there is to do."""

    def agree(steps: Sequence[PublishStep]) -> bool:
        if seen is not None:
            seen.extend(steps)
        return _mark(steps) == agreed

    form, names, is_dry_run = wanted["as"], (ask.names["pattern"],), not agreed
    if form not in ("", *PublishedForm):
        raise UsageError(f"{form!r} is none of: {', '.join(PublishedForm)}.")
    forms = (PublishedForm(form),) if form else ()
    if _is_removal(ask):
        return unpublish(ask.world, names, agree, forms, is_dry_run=is_dry_run)
    files = (_file(ask, wanted["file"]),) if form == PublishedForm.BLOCK else ()
    return publish(ask.world, PublishRequest(names, forms, files=files), agree, is_dry_run=is_dry_run)


def _file(ask: Ask, typed: str) -> Path:
    """A page has no folder that a path could start from."""
    path = ask.world.user_home / typed[2:] if typed.startswith("~/") else Path(typed)
    if not path.is_absolute():
        raise UsageError("Say which file gets the block, with its whole path: /home/me/src/orchard/AGENTS.md.")
    return path


def _show_plan(ask: Ask, steps: Sequence[PublishStep], wanted: dict[str, str], *, is_other: bool = False) -> WebAnswer:
    needed = [step for step in steps if step.is_needed]
    pattern = pattern_named(ask.world, ask.names["pattern"])
    return render(
        ask,
        "publish.html",
        entry=pattern.entry,
        path=with_fields(ask.path, {}),
        is_removal=_is_removal(ask),
        is_other=is_other,
        steps=[ShownStep(step.what, diff_lines(_lines(step))) for step in needed],
        mark=_mark(steps),
        wanted=wanted,
    )


def _is_removal(ask: Ask) -> bool:
    return ask.path.endswith("/unpublish")


def _lines(step: PublishStep) -> list[str]:
    change = step.change
    return list(differences(change.file.path, change.file.content, change.wanted)) if change is not None else []


def _mark(steps: Sequence[PublishStep]) -> str:
    """Changes whenever the plan does."""
    plan = "\n".join(f"{step.what}\n{chr(10).join(_lines(step))}" for step in steps if step.is_needed)
    return hashlib.sha256(plan.encode("utf-8", "replace")).hexdigest()


ROUTES = (
    WebRoute("/more/patterns", _list),
    WebRoute("/more/patterns/undo", _undo, "POST"),
    WebRoute("/more/patterns/{pattern}", _pattern),
    WebRoute("/more/patterns/{pattern}/decide", _decide, "POST"),
    WebRoute("/more/patterns/{pattern}/edit", _edit, "POST"),
    WebRoute("/more/patterns/{pattern}/merge", _merge, "POST"),
    WebRoute("/more/patterns/{pattern}/split", _split, "POST"),
    WebRoute("/more/patterns/{pattern}/publish", _publish_plan),
    WebRoute("/more/patterns/{pattern}/publish", _carry_out_plan, "POST"),
    WebRoute("/more/patterns/{pattern}/unpublish", _publish_plan),
    WebRoute("/more/patterns/{pattern}/unpublish", _carry_out_plan, "POST"),
)
