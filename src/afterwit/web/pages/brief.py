"""The brief: the page of a repository as it is told, line by line, with what changed last and what waits for moments.

Every line can be kept, taken out or written anew here; each decision is made by the function of the command and can be
undone from the page that it leads to.
"""

from collections import Counter
from pathlib import Path

from afterwit.engine.curation import brief
from afterwit.engine.curation.checks import add_line
from afterwit.engine.curation.undo import past
from afterwit.knowledge.brief import rests_on
from afterwit.knowledge.check_forms import propose
from afterwit.model.brief import LINE_LIMIT, Heading
from afterwit.model.errors import UsageError
from afterwit.store.rows.session_list import story_counts
from afterwit.store.store import readonly_database
from afterwit.web.answering import Ask, WebAnswer, WebRoute, back_with, redirect, render, with_fields
from afterwit.web.pages.knowledge import undo_bar
from afterwit.web.pages.sessions import choices

_NOWHERE = Path("/")


def _page(ask: Ask) -> WebAnswer:
    """The page of the repository that is named, else of the one with most sessions."""
    repo = ask.first("repo") or usual_repo(ask)
    view = brief.look(ask.world, _NOWHERE, repo) if repo else None
    versions = brief.versions(ask.world, _NOWHERE, repo) if repo else []
    lines = (*(told.line for told in view.start), *view.on_demand) if view else ()
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
        has_form={line.id for line in lines if propose(line.text, repo=repo)},
        **undo_bar(ask),
    )


def usual_repo(ask: Ask) -> str:
    """The repository with most sessions, where none is named."""
    with readonly_database(ask.world.layout) as db:
        counted: Counter[str] = Counter()
        for row in story_counts(db):
            counted[row.repo] += row.stories if row.repo else 0
    return next((repo for repo, _ in counted.most_common(1)), "")


def _decide(ask: Ask) -> WebAnswer:
    """Keeps a line, takes it out, writes it anew, or makes a check of it, whose trial is shown then."""
    repo, name, decision = (ask.form.get(field, "") for field in ("repo", "line", "decision"))
    if decision == "approve":
        brief.keep(ask.world, _NOWHERE, repo, [name])
    elif decision == "reject":
        brief.drop(ask.world, _NOWHERE, repo, [name])
    elif decision == "check":
        return redirect(trial_path(repo, add_line(ask.world, _NOWHERE, repo, name).check.id))
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


def trial_path(repo: str, name: str) -> str:
    """Where the trial of a check is shown."""
    return f"{with_fields('/more/checks', {}, **{'repo': repo, 'try': name})}#tried"


ROUTES = (WebRoute("/brief", _page), WebRoute("/brief", _decide, "POST"))
