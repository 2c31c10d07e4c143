"""The brief: the page of a repository as it is told, line by line, with what changed last and what waits for moments.

Every line can be kept, taken out or written anew here; each decision is made by the function of the command and can be
undone from the page that it leads to.
"""

from collections import Counter
from pathlib import Path

from afterwit.engine.curation import brief
from afterwit.engine.curation.undo import past
from afterwit.knowledge.brief import rests_on
from afterwit.model.brief import LINE_LIMIT, Heading
from afterwit.model.errors import UsageError
from afterwit.store.rows.session_list import story_counts
from afterwit.store.store import readonly_database
from afterwit.web.answering import Ask, WebAnswer, WebRoute, back_with, render
from afterwit.web.pages.knowledge import undo_bar
from afterwit.web.pages.sessions import choices

_NOWHERE = Path("/")


def _page(ask: Ask) -> WebAnswer:
    """The page of the repository that is named, else of the one with most sessions."""
    repo = ask.first("repo") or _usual(ask)
    view = brief.look(ask.world, _NOWHERE, repo) if repo else None
    versions = brief.versions(ask.world, _NOWHERE, repo) if repo else []
    return render(
        ask,
        "brief.html",
        view=view,
        repo=repo,
        choices=choices(ask),
        headings=list(Heading),
        rests_on=rests_on,
        last=versions[-1] if versions else None,
        most=LINE_LIMIT,
        **undo_bar(ask),
    )


def _usual(ask: Ask) -> str:
    with readonly_database(ask.world.layout) as db:
        counted: Counter[str] = Counter()
        for row in story_counts(db):
            counted[row.repo] += row.stories if row.repo else 0
    return next((repo for repo, _ in counted.most_common(1)), "")


def _decide(ask: Ask) -> WebAnswer:
    """Keeps a line, takes it out, or writes it anew."""
    repo, name, decision = (ask.form.get(field, "") for field in ("repo", "line", "decision"))
    if decision == "approve":
        brief.keep(ask.world, _NOWHERE, repo, [name])
    elif decision == "reject":
        brief.drop(ask.world, _NOWHERE, repo, [name])
    elif decision == "write":
        _write(ask, repo, name)
    else:
        raise UsageError("This decision is not known.")
    return back_with(ask, "/brief", done=past(ask.world, 1)[0].number, repo=repo)


def _write(ask: Ask, repo: str, name: str) -> None:
    """The page with one line in other words, or with one more at the end of a heading."""
    view = brief.look(ask.world, _NOWHERE, repo)
    text, heading = ask.form.get("text", "").strip(), ask.form.get("heading", "")
    if not text:
        raise UsageError("There are no words. Say in one sentence when and what to do.")
    given = {
        where: [text if told.line.id == name else told.line.text for told in view.start if told.line.heading is where]
        for where in Heading
    }
    if not name and heading in frozenset(Heading):
        given[Heading(heading)].append(text)
    brief.edit(ask.world, _NOWHERE, repo, given)


ROUTES = (WebRoute("/brief", _page), WebRoute("/brief", _decide, "POST"))
