"""People decide about checks: add, turn on and off, remove; and they try one on the past first.

Each decision is journalled, survives a rebuild and can be undone, as all about knowledge. `look` gives the checks of a
repository with how they stand; `try_checks` what each would have stopped in past sessions, and what came of it there.
"""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import apsw
import msgspec

from afterwit.config.world import World
from afterwit.engine.curation import brief
from afterwit.engine.curation.brief import find_line, find_place
from afterwit.engine.curation.curate import DecisionDesk, decision_desk
from afterwit.knowledge.check_forms import FORMS, check_from, propose, validate
from afterwit.knowledge.checks import CHECK_ENTRIES, CheckState, CheckStatus, check_states
from afterwit.model.check import Check
from afterwit.model.errors import UsageError
from afterwit.model.learn_run import Progress
from afterwit.recall.check_trial import CheckTrial, tried_on_past
from afterwit.sessions.originals import source_of
from afterwit.store.decisions import CheckDecided, CheckDecision, KnowledgeEntry, in_force
from afterwit.store.rows.hooks import CheckUse, uses_of_checks
from afterwit.store.rows.items import recorded_about
from afterwit.store.store import readonly_database, require


class ChecksView(NamedTuple):
    """The checks of a repository, and of everywhere; what is on comes first, what was removed is left out."""

    repo: str
    states: tuple[CheckState, ...]
    uses: dict[str, CheckUse]  # by check: what it did so far


def look(world: World, folder: Path, name: str | None = None) -> ChecksView:
    """The checks that concern a repository."""
    require(world.layout)
    with readonly_database(world.layout) as db:
        repo = find_place(db, world, folder, name)
        states = [state for state in _states(db).values() if state.holds_in(repo)]
        shown = [state for state in states if state.status is not CheckStatus.REMOVED]
        shown.sort(key=lambda state: (not state.status.is_on, state.status is CheckStatus.PROPOSED, state.check.id))
        return ChecksView(repo, tuple(shown), uses_of_checks(db))


def _states(db: apsw.Connection) -> dict[str, CheckState]:
    return check_states(in_force(recorded_about(db, (), CHECK_ENTRIES)))


def add(
    world: World, folder: Path, name: str | None, typed: str, *, is_everywhere: bool = False, check: Check | None = None
) -> CheckState:
    """Adds a check that is still off, in a form that a person typed, or one that was made of a line of the brief."""
    with decision_desk(world) as desk:
        repo = "" if is_everywhere else find_place(desk.store.db, world, folder, name)
        made = check_from(typed, repo=repo) if check is None else msgspec.structs.replace(check, repo=repo)
        validate(made)
        there = _states(desk.store.db).get(made.id)
        if there is not None and there.status not in (CheckStatus.PROPOSED, CheckStatus.REMOVED):
            return there
        return _note(desk, CheckDecided(decision=CheckDecision.ADDED, check=made))


def add_line(world: World, folder: Path, name: str | None, wanted: str) -> CheckState:
    """Adds the check that a line of the brief plainly asks for, by the line's id or how that begins."""
    view = brief.look(world, folder, name)
    line = find_line(view, wanted)
    made = propose(line.text, repo=view.repo, notes=line.notes)
    if made is None:
        raise UsageError(
            f"The line {line.text!r} has no form of a check. Say it in one: `afterwit checks add FORM`."
            f" The forms are: {'; '.join(FORMS)}."
        )
    return add(world, folder, view.repo, "", check=made)


def turn_on(world: World, wanted: str, *, is_everywhere: bool = False, is_strict: bool = False) -> CheckState:
    """Turns a check on, by its id or how that begins: in its repository, or everywhere."""
    with decision_desk(world) as desk:
        check = _find(_states(desk.store.db), wanted).check
        everywhere = is_everywhere or not check.repo
        on = CheckDecided(decision=CheckDecision.ON, check=check, is_everywhere=everywhere, is_strict=is_strict)
        return _note(desk, on)


def turn_off(world: World, wanted: str) -> CheckState:
    return _decide(world, wanted, CheckDecision.OFF)


def remove(world: World, wanted: str) -> CheckState:
    """Takes a check out; it is not proposed again."""
    return _decide(world, wanted, CheckDecision.REMOVED)


def _decide(world: World, wanted: str, decision: CheckDecision) -> CheckState:
    with decision_desk(world) as desk:
        check = _find(_states(desk.store.db), wanted).check
        return _note(desk, CheckDecided(decision=decision, check=check))


def _note(desk: DecisionDesk, made: CheckDecided) -> CheckState:
    desk.note((KnowledgeEntry.CHECK_DECIDED, msgspec.to_builtins(made)))
    desk.settle()
    return _states(desk.store.db)[made.check.id]


def _find(states: dict[str, CheckState], wanted: str) -> CheckState:
    """The check with this id, or whose id begins so."""
    near = [state for name, state in states.items() if wanted and name.startswith(wanted)]
    if len(near) != 1:
        raise UsageError(
            f"{'Several checks begin' if near else 'No check begins'} with {wanted!r}. `afterwit checks` shows them."
        )
    return near[0]


def try_checks(
    world: World,
    folder: Path,
    name: str | None,
    wanted: Sequence[str] = (),
    typed: str = "",
    progress: Progress | None = None,
) -> dict[str, CheckTrial]:
    """By check, what it would have stopped in the past sessions of a repository: those named by their ids, or all that
    concern it, or one that a person typed and that is added nowhere. A check that is named is tried where it belongs,
    unless a repository is named, too."""
    with source_of(world) as source:
        db = source.store.db
        by_repo: defaultdict[str, list[Check]] = defaultdict(list)
        if wanted:
            for check in (_find(_states(db), given).check for given in wanted):
                by_repo[find_place(db, world, folder, name or check.repo)].append(check)
        else:
            repo = find_place(db, world, folder, name)
            present = (state for state in _states(db).values() if state.holds_in(repo))
            by_repo[repo] = (
                [check_from(typed, repo=repo)]
                if typed
                else [state.check for state in present if state.status is not CheckStatus.REMOVED]
            )
        tried = (tried_on_past(source, repo, checks, progress) for repo, checks in by_repo.items() if checks)
        return {name: trial for trials in tried for name, trial in trials.items()}


def try_proposals(world: World, view: ChecksView, progress: Progress | None = None) -> dict[str, CheckTrial]:
    """The same of what is proposed and not decided yet; where nothing is, no session is read."""
    wanted = [state.check.id for state in view.states if state.status is CheckStatus.PROPOSED]
    return try_checks(world, Path(), view.repo, wanted, progress=progress) if wanted else {}
