"""Notes: the list with its filters, one note with all that stands behind it, and what people decide about them.

Every decision is made by the function of the command of the same name, and can be undone from the page that it leads
to. A form works without JavaScript; with it, a note is replaced where it stands.
"""

from pathlib import Path
from typing import Any

from afterwit.engine.curation.curate import edit, judge
from afterwit.engine.curation.review import waiting
from afterwit.engine.curation.undo import ForgetRequest, Past, forget, past, undo
from afterwit.engine.curation.why import confidence_path, line_that_tells, why
from afterwit.knowledge.door.list import ItemFilter, listed, makers, searched, sentences
from afterwit.knowledge.door.list import shown as item_named
from afterwit.knowledge.door.listeners import listener_here
from afterwit.knowledge.whose_words import words_of
from afterwit.model.errors import UsageError
from afterwit.model.knowledge import Category, Channel, Item, ItemStatus
from afterwit.recall.prompt_block import text_of
from afterwit.recall.recall import recalled
from afterwit.recall.tellings import said_at
from afterwit.recall.told import ToldWhen, told_when
from afterwit.store.decisions import DecisionKind, ItemChanges
from afterwit.store.rows.items import exposures
from afterwit.store.rows.session_list import session_of
from afterwit.store.store import readonly_database
from afterwit.web.answering import Ask, WebAnswer, WebRoute, back_with, redirect, render, with_fields
from afterwit.web.pages.sessions import choices

PAGE = 50
_PAST = 60
_MOST_TELLINGS = 30
_DECISIONS = {kind.value: kind for kind in DecisionKind if kind is not DecisionKind.EDIT}


def filter_of(ask: Ask) -> ItemFilter:
    """Which notes are meant. Without a status those in use; "all" means every status."""
    status = ask.first("status", ItemStatus.ACTIVE.value)
    if status != "all" and status not in list(ItemStatus):
        raise UsageError(f"{status!r} is no status of notes.")
    return ItemFilter(
        statuses=() if status == "all" else (status,),
        categories=ask.many("category"),
        repos=ask.many("repo"),
        agents=ask.many("agent"),
        harvesters=ask.many("found_by"),
        is_global=ask.first("everywhere") == "1",
        channels=ask.many("origin"),
    )


def undo_bar(ask: Ask) -> dict[str, Any]:
    """What was decided just now, for the bar that offers to undo it."""
    number = ask.number("done")
    decided = next((entry for entry in past(ask.world, _PAST) if entry.number == number), None) if number else None
    return {"done": decided, "done_back": with_fields(ask.path, ask.query, done=None)}


def _list(ask: Ask) -> WebAnswer:
    wanted, words, page = filter_of(ask), ask.first("q"), max(1, ask.number("page", 1))
    skipped = (page - 1) * PAGE
    if words:
        listing = searched(ask.world, words, wanted, PAGE, skipped=skipped)
    else:
        listing = listed(ask.world, wanted, PAGE, skipped=skipped)
    return render(
        ask,
        "knowledge.html",
        listing=listing,
        told=told_when(ask.world, listing.items),
        never=ToldWhen.NEVER,
        statuses=[(status.value, status.in_words) for status in ItemStatus],
        status=ask.first("status", ItemStatus.ACTIVE.value),
        categories=[category.value for category in Category],
        origins=list(Channel),
        makers=makers(ask.world),
        choices=choices(ask),
        page=page,
        pages=max(1, -(-listing.total // PAGE)),
        **undo_bar(ask),
    )


def _item(ask: Ask) -> WebAnswer:
    answer = why(ask.world, ask.names["item"], has_turns=True)
    item = answer.item
    linked = (*item.supersedes, *item.contradicts, *filter(None, [item.superseded_by]))
    with readonly_database(ask.world.layout) as db:
        given = list(exposures(db, [item.id, *item.merged]))[-_MOST_TELLINGS:]
        sessions = {(row.agent, row.session): session_of(db, row.agent, row.session) for row in given}
        to = listener_here(db, ask.world)
    return render(
        ask,
        "note.html",
        said_by=words_of(item, to),
        is_heard=to.hears(item),
        why=answer,
        item=item,
        told=told_when(ask.world, [item]).get(item.id, ToldWhen.NEVER),
        linked=sentences(ask.world, linked),
        path_of_confidence=confidence_path(item),
        tellings=[(row, sessions[row.agent, row.session]) for row in reversed(given)],
        telling_line=line_that_tells,
        said_at=said_at,
        sides=[answer.side(ask.world.calendar, is_against=is_against) for is_against in (False, True)],
        **undo_bar(ask),
    )


def _decide(ask: Ask) -> WebAnswer:
    kind = _DECISIONS.get(ask.form.get("decision", ""))
    if kind is None:
        raise UsageError("This decision is not known.")
    (judged,) = judge(ask.world, kind, [ask.names["item"]])
    return _after(ask, judged.id)


def _decide_kind(ask: Ask) -> WebAnswer:
    """The same about all notes that are told unseen and were found in one way, as one decision."""
    kind = _DECISIONS.get(ask.form.get("decision", ""))
    alike = waiting(ask.world, ItemFilter(harvesters=(ask.form.get("found_by", ""),))).unseen
    if kind is None or not alike:
        raise UsageError("There is nothing left to decide in this way.")
    judge(ask.world, kind, [item.id for item in alike])
    return back_with(ask, "/", done=_latest(ask).number)


def _edit(ask: Ask) -> WebAnswer:
    judged = edit(ask.world, ask.names["item"], ItemChanges(sentence=ask.form.get("sentence", "")))
    return _after(ask, judged.id)


def _forget_plan(ask: Ask) -> WebAnswer:
    """What would be lost with an origin; the store is looked at and nothing is decided."""
    request = ForgetRequest(origin=ask.first("origin"), session=ask.first("session"), repo=ask.first("repo"))
    _refuse_vague(request)
    planned = forget(ask.world, request, lambda _: False, is_dry_run=True)
    return render(ask, "forget.html", planned=planned, request=request, back=ask.first("back", "/knowledge"))


def _forget(ask: Ask) -> WebAnswer:
    request = ForgetRequest(*(ask.form.get(name, "") for name in ForgetRequest._fields))
    _refuse_vague(request)
    forget(ask.world, request, lambda _: True)
    return redirect(with_fields("/knowledge", {}, done=_latest(ask).number))


def _undo(ask: Ask) -> WebAnswer:
    number = ask.form.get("number", "")
    undo(ask.world, int(number) if number.isascii() and number.isdigit() and len(number) < 10 else None)
    return _after(ask, ask.form.get("item", ""))


def _after(ask: Ask, item: str) -> WebAnswer:
    """The page that the form came from, or the note where it stood, with the way back."""
    latest = _latest(ask)
    if ask.is_fragment:
        present = _present(ask, item)
        return render(ask, "note_card.html", item=present, gone=item, done=latest, back="/")
    return back_with(ask, f"/knowledge/{item}" if item else "/knowledge", done=latest.number)


def _present(ask: Ask, item: str) -> Item | None:
    try:
        return item_named(ask.world, item)
    except UsageError:
        return None


def _latest(ask: Ask) -> Past:
    return past(ask.world, 1)[0]


def _refuse_vague(request: ForgetRequest) -> None:
    if sum(map(bool, request)) != 1:
        raise UsageError("Say what to forget: an origin, a session or a repository.")


def _blocks(ask: Ask) -> WebAnswer:
    """What a session would be told: the block at the start of one in a repository, and the one for a typed task."""
    repo, agent, task = ask.first("repo"), ask.first("agent"), ask.first("task")
    blocks = recalled(ask.world, Path("/"), repo, agent, task, None) if repo else None
    at_prompt = text_of(blocks.prompt) if blocks is not None else ""
    return render(
        ask,
        "blocks.html",
        blocks=blocks,
        at_prompt=at_prompt,
        repo=repo,
        agent=agent,
        task=task,
        choices=choices(ask),
    )


ROUTES = (
    WebRoute("/knowledge", _list),
    WebRoute("/knowledge/told", _blocks),
    WebRoute("/knowledge/forget", _forget_plan),
    WebRoute("/knowledge/forget", _forget, "POST"),
    WebRoute("/knowledge/unseen", _decide_kind, "POST"),
    WebRoute("/knowledge/{item}", _item),
    WebRoute("/knowledge/{item}/decide", _decide, "POST"),
    WebRoute("/knowledge/{item}/edit", _edit, "POST"),
    WebRoute("/undo", _undo, "POST"),
)
