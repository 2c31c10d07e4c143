"""Checks: those of a repository, what each would have stopped in past sessions, and what people decide about them.

A check is turned on where its trial is shown, and not before. Every decision is made by the function of the command and
can be undone from the page that it leads to.
"""

from pathlib import Path

from afterwit.engine.curation import checks
from afterwit.engine.curation.checks import ChecksView
from afterwit.engine.curation.undo import past
from afterwit.knowledge.check_forms import FORMS
from afterwit.model.errors import UsageError
from afterwit.recall.check_trial import CheckTrial
from afterwit.web.answering import Ask, WebAnswer, WebRoute, back_with, redirect, render, with_fields
from afterwit.web.pages.brief import trial_path, usual_repo
from afterwit.web.pages.knowledge import undo_bar
from afterwit.web.pages.sessions import choices

PATH = "/more/checks"
_NOWHERE = Path("/")


def _page(ask: Ask, typed: str = "", complaint: str = "") -> WebAnswer:
    """The checks of a repository, with the trial of one. `typed` is a form that was refused, and why."""
    repo = ask.form.get("repo", "") or ask.first("repo") or usual_repo(ask)
    view = checks.look(ask.world, _NOWHERE, repo) if repo else None
    trials = _tried_proposals(ask, view) if view is not None else {}
    wanted = ask.first("try")
    tried = next(iter(checks.try_checks(ask.world, _NOWHERE, repo, [wanted]).values()), None) if wanted else None
    is_all = ask.first("all") == "1"
    states = [
        state
        for state in (view.states if view is not None else ())
        if is_all or state.check.id not in trials or trials[state.check.id].is_worth_showing
    ]
    return render(
        ask,
        "checks.html",
        400 if complaint else 200,
        view=view,
        repo=repo,
        states=states,
        hidden=len(view.states) - len(states) if view is not None else 0,
        trials=trials,
        tried=tried,
        here=with_fields(PATH, {}, repo=repo),
        forms=FORMS,
        typed=typed,
        complaint=complaint,
        choices=choices(ask),
        **undo_bar(ask),
    )


def _tried_proposals(ask: Ask, view: ChecksView) -> dict[str, CheckTrial]:
    """What the proposals would have stopped; tried once in a run of the page, because that reads sessions."""
    kept: dict[str, tuple[ChecksView, dict[str, CheckTrial]]] = ask.kept.setdefault("proposals", {})
    before = kept.get(view.repo)
    if before is None or before[0].states != view.states:
        kept[view.repo] = (view, checks.try_proposals(ask.world, view))
    return kept[view.repo][1]


def _add(ask: Ask) -> WebAnswer:
    """Adds a check, and leads to its trial."""
    repo, typed = ask.form.get("repo", ""), ask.form.get("form", "")
    try:
        made = checks.add(ask.world, _NOWHERE, repo, typed, is_everywhere=ask.form.get("everywhere") == "1")
    except UsageError as error:
        return _page(ask, typed, str(error))
    return redirect(trial_path(repo, made.check.id))


def _decide(ask: Ask) -> WebAnswer:
    """Turns a check on or off, or takes it out."""
    name, decision = ask.form.get("check", ""), ask.form.get("decision", "")
    if decision in ("approve", "strict"):
        everywhere = ask.form.get("everywhere") == "1"
        checks.turn_on(ask.world, name, is_everywhere=everywhere, is_strict=decision == "strict")
    elif decision == "off":
        checks.turn_off(ask.world, name)
    elif decision == "reject":
        checks.remove(ask.world, name)
    else:
        raise UsageError("This decision is not known.")
    return back_with(ask, PATH, done=past(ask.world, 1)[0].number)


ROUTES = (
    WebRoute(PATH, _page),
    WebRoute(f"{PATH}/add", _add, "POST"),
    WebRoute(PATH, _decide, "POST"),
)
