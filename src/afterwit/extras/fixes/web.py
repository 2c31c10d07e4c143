"""Guards: which fixes of a repository anything would notice the loss of, and one fix with all that is known.

Read from git when it is asked for, by the functions of `afterwit guards`. Nothing is run from here: a check runs code
of the repository, so it is left to a terminal, and the page shows what it would run. Notes that follow from a check are
decided about like all others.
"""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from afterwit.capture.checkouts import GitCheckout
from afterwit.extras.fixes.check import CheckOptions, PlannedCheck, plan_check
from afterwit.extras.fixes.history import (
    OPEN,
    FixQuery,
    ListedFix,
    ShownFix,
    database_of,
    fix_named,
    fixes_of,
    place_of,
    redactor_here,
    repos_with_checkout,
    show_fix,
)
from afterwit.knowledge.door.list import ItemFilter, listed
from afterwit.model.errors import UsageError
from afterwit.model.guards import GuardState
from afterwit.model.knowledge import GUARDED_FIXES, Item
from afterwit.recall.recall import repo_at
from afterwit.web.answering import Ask, WebAnswer, WebRoute, render, with_fields
from afterwit.web.pages.knowledge import undo_bar
from afterwit.web.pages.sessions import moment_of
from afterwit.web.pages.transcript import ShownLine

PAGE = 50
_MOST_HUNKS = 80
_ID_CHARS = 10
_WITHOUT = "open"  # a choice of two states: nothing guards it


class FileChanges(NamedTuple):
    """What a fix changed in one file."""

    path: str
    is_test: bool
    lines: list[ShownLine]


def _list(ask: Ask) -> WebAnswer:
    repos, repo, state = repos_with_checkout(ask.world), ask.first("repo"), ask.first("state")
    repo = repo or (repos[0] if len(repos) == 1 else "")
    fixes, complaint = [], ""
    if repo:
        try:
            fixes = _fixes(ask, place_of(ask.world, None, repo, repo_at), FixQuery(moment_of(ask, "since")))
        except UsageError as error:
            complaint = str(error)
    fitting = [fix for fix in fixes if fix.state in _states(state)]
    page = max(1, ask.number("page", 1))
    return render(
        ask,
        "guards.html",
        repos=repos,
        repo=repo,
        state=state,
        states=[(_WITHOUT, "without a guard"), *((guard.value, guard.in_words) for guard in GuardState)],
        counts=[(guard, count) for guard, count in Counter(fix.state for fix in fixes).most_common()],
        fixes=fitting[(page - 1) * PAGE : page * PAGE],
        found=len(fitting),
        page=page,
        pages=max(1, -(-len(fitting) // PAGE)),
        complaint=complaint,
        path_of=lambda fix: _path(repo, fix),
        ID_CHARS=_ID_CHARS,
    )


def _fix(ask: Ask) -> WebAnswer:
    place, listed_fix = _fix_named(ask)
    fix = show_fix(place, listed_fix, redactor_here(ask.world))
    return render(
        ask,
        "guard.html",
        repo=place.repo,
        shown=fix,
        fix=listed_fix.fix,
        listed=listed_fix,
        files=list(_files(fix)),
        planned=_plan(place, listed_fix),
        redacted=redactor_here(ask.world).text,
        notes=_notes(ask, place.repo, listed_fix.fix.id),
        back=_path(place.repo, listed_fix),
        ID_CHARS=_ID_CHARS,
        **undo_bar(ask),
    )


def _fix_named(ask: Ask) -> tuple[GitCheckout, ListedFix]:
    if not ask.first("repo"):
        raise UsageError("Say in which repository the fix is: choose one under More, Guards.")
    place = place_of(ask.world, None, ask.first("repo"), repo_at)
    return place, fix_named(_fixes(ask, place, FixQuery()), ask.names["commit"])


def _fixes(ask: Ask, place: GitCheckout, query: FixQuery) -> list[ListedFix]:
    with database_of(ask.world) as db:
        return list(fixes_of(place, redactor_here(ask.world), db, query))


def _states(state: str) -> tuple[GuardState, ...]:
    if not state:
        return tuple(GuardState)
    if state == _WITHOUT:
        return OPEN
    if state not in list(GuardState):
        raise UsageError(f"{state!r} is none of: {_WITHOUT}, {', '.join(GuardState)}.")
    return (GuardState(state),)


def _plan(place: GitCheckout, listed_fix: ListedFix) -> PlannedCheck | None:
    """What a check would run, where there is something to find out."""
    if listed_fix.state is not GuardState.UNCHECKED:
        return None
    return plan_check(place, listed_fix, CheckOptions())


def _notes(ask: Ask, repo: str, commit: str) -> list[Item]:
    """What agents are told because tests guard this fix."""
    made = listed(ask.world, ItemFilter(repos=(repo,), harvesters=(GUARDED_FIXES,))).items
    return [item for item in made if any(piece.session.native_id == commit for piece in item.evidence)]


def _files(fix: ShownFix) -> Iterator[FileChanges]:
    """The lines of a fix by file, code before tests."""
    by_path: dict[tuple[bool, str], list[ShownLine]] = {}
    for hunk in sorted(fix.lines[:_MOST_HUNKS], key=lambda lines: lines.is_test):
        lines = by_path.setdefault((hunk.is_test, hunk.path), [])
        lines.append(ShownLine("place", f"from line {hunk.first}"))
        lines += [ShownLine("removed", f"- {text}") for text in hunk.removed]
        lines += [ShownLine("added", f"+ {text}") for text in hunk.added]
    yield from (FileChanges(path, is_test, lines) for (is_test, path), lines in by_path.items())


def _path(repo: str, listed_fix: ListedFix) -> str:
    return with_fields(f"/more/guards/{listed_fix.fix.id}", {}, repo=repo)


ROUTES = (
    WebRoute("/more/guards", _list),
    WebRoute("/more/guards/{commit}", _fix),
)
