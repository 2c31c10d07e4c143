"""`afterwit checks`: wishes that are decided before a call, by whoever lives with them.

A check is added in a form, tried on past sessions, and only then turned on. What each would have stopped is shown as
a row, a sentence and at most three examples with the user's words; `on` shows it before it asks.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from afterwit.cli.commands import DefaultGroup, ExitCode, command, flag
from afterwit.cli.terminal.options import Here, agreed, reporting
from afterwit.cli.terminal.output import is_confirmed, print_json, print_line, print_text, talk
from afterwit.cli.terminal.progress import bar
from afterwit.cli.terminal.table import Column, print_table
from afterwit.engine.curation import checks as decided_checks
from afterwit.engine.curation.checks import ChecksView
from afterwit.knowledge.check_forms import FORMS
from afterwit.knowledge.checks import CheckState
from afterwit.model.check import Check
from afterwit.model.errors import UsageError
from afterwit.model.figures import human_count
from afterwit.recall.check_trial import CheckTrial, StopVerdict

_OF = click.option("--repo", metavar="NAME", help="Of this repository.")
_EVERYWHERE = flag("--everywhere", "is_everywhere", "In all repositories.")
_COLUMNS = (
    Column("id"),
    Column("stops", is_number=True),
    Column("sessions", is_number=True, gives_way=2),
    Column("objected", is_number=True, gives_way=1),
    Column("asked", is_number=True, gives_way=3),
    Column("unminded", is_number=True, gives_way=4),
    Column("check", takes_rest=True),
)


@click.group(cls=DefaultGroup, default="list")
def checks() -> None:
    """What agents are kept from doing again.

    A call that goes against a check is refused once, with one sentence; made again it passes, unless the check is
    strict. `afterwit checks` lists those of the present folder, `afterwit checks NAME` those of another repository.
    """


@command(name="list", examples=("afterwit checks", "afterwit checks orchard", "afterwit checks --all"))
@click.argument("repo", required=False)
@flag("--all", "is_all", "Show the proposals, too, that would have stopped too many calls nobody minded.")
@reporting
def list_(here: Here, repo: str | None, is_all: bool, is_json: bool) -> None:
    """List the checks of a repository: how each stands, who wanted it, what it did so far; proposals last.

    Proposals come from the model that compiles the brief. They are tried on past sessions before they are shown.
    """
    view = decided_checks.look(here.world, Path.cwd(), repo)
    with bar("Trying", "sessions") as shown:
        trials = decided_checks.try_proposals(here.world, view, shown)
    states = [state for state in view.states if is_all or _is_worth_showing(trials.get(state.check.id))]
    if is_json:
        print_json([_state_shape(state, view, trials) for state in states])
        return
    for state in states:
        _print_state(state, view, trials.get(state.check.id))
    if not view.states:
        talk(f"There is no check for {view.repo}.")
        talk(
            'Add one: `afterwit checks add "before git commit: make lint"`. `afterwit checks add --help` has the forms.'
        )
    if hidden := len(view.states) - len(states):
        talk(f"{human_count(hidden, 'proposal')} would have been in the way too often: --all shows what and how often.")


def _is_worth_showing(trial: CheckTrial | None) -> bool:
    return trial is None or trial.is_worth_showing


def _print_state(state: CheckState, view: ChecksView, trial: CheckTrial | None) -> None:
    print_text(state.check.sentence, first="- ", rest="  ")
    facts = [state.in_words, f"{state.check.by} wants this"]
    facts += [f"rests on {human_count(len(state.check.notes), 'note')}"] if state.check.notes else []
    if trial is not None:
        facts += [trial.in_words]
    elif use := view.uses.get(state.check.id):
        facts += [use.in_words]
    elif state.status.is_on:
        facts += ["stopped nothing yet"]
    print_text("; ".join(facts), first=f"  {_short(state.check)}  ", rest="  ")
    if state.check.text:
        print_text(state.check.form, first="  decided as: ", rest="  ")


def _short(check: Check) -> str:
    """As much of an id as a person types."""
    return check.id[:8]


def _state_shape(state: CheckState, view: ChecksView, trials: Mapping[str, CheckTrial]) -> dict[str, Any]:
    use, trial = view.uses.get(state.check.id), trials.get(state.check.id)
    return _check_shape(state) | {
        "did": {**use._asdict(), "obeyed": use.obeyed} if use else None,
        "trial": _trial_shape(trial) if trial else None,
    }


def _check_shape(state: CheckState) -> dict[str, Any]:
    check = state.check
    return {
        "id": check.id,
        "status": str(state.status),
        "is_everywhere": state.is_everywhere or not check.repo,
        "repo": check.repo,
        "kind": str(check.kind),
        "form": check.form,
        "sentence": check.sentence,
        "by": check.by,
        "notes": list(check.notes),
        "at_ms": state.at_ms,
    }


@command(
    examples=(
        'afterwit checks add "never edit src/generated/**"',
        'afterwit checks add "before git commit: make lint" --repo orchard',
        'afterwit checks add "never run git push unless asked" --everywhere',
    ),
    context_settings={"ignore_unknown_options": True},
    help="\n".join(("Add a check in one of the forms. It is off until you turn it on.", "", "\b", *FORMS)),
)
@click.argument("form", nargs=-1, required=True)
@_EVERYWHERE
@_OF
@reporting
def add(here: Here, form: tuple[str, ...], is_everywhere: bool, repo: str | None, is_json: bool) -> None:
    if len(form) > 1 and any(word.startswith("-") for word in form):
        raise UsageError(f"Put the form in quotes, because it holds an option: '{' '.join(form)}'.")
    typed = " ".join(form)
    tell_added(decided_checks.add(here.world, Path.cwd(), repo, typed, is_everywhere=is_everywhere), is_json=is_json)


def tell_added(state: CheckState, *, is_json: bool) -> None:
    """Says which check was made, and what to do next."""
    name = _short(state.check)
    tries, turns_on = f"`afterwit checks try {name}` shows what it would have stopped", f"`afterwit checks on {name}`"
    _tell(state, f"Next: {tries}; {turns_on} turns it on.", is_json=is_json)


def _tell(state: CheckState, then: str = "`afterwit undo` takes it back.", *, is_json: bool) -> None:
    """How a check stands now, and what can be done then."""
    if is_json:
        print_json(_check_shape(state))
        return
    print_text(f"{state.in_words}: {state.check.sentence}", first=f"{_short(state.check)}  ", rest="  ")
    talk(then)


@command(
    name="try",
    examples=("afterwit checks try", "afterwit checks try 3fa9c1d2", 'afterwit checks try --form "never edit *.lock"'),
)
@click.argument("ids", nargs=-1)
@click.option("--form", default="", metavar="FORM", help="Try a check that is added nowhere.")
@_OF
@reporting
def try_(here: Here, ids: tuple[str, ...], form: str, repo: str | None, is_json: bool) -> None:
    """Show what checks would have stopped in the past sessions of a repository, and what the user said then.

    Without an id all checks of the repository are tried. *objected*: the user corrected the call within the next three
    prompts; *asked*: the user had asked for it in words that the check does not know; *unminded*: neither.
    """
    if form and ids:
        raise click.UsageError("--form tries one that has no id yet: leave the ids out.")
    with bar("Trying", "sessions") as shown:
        trials = decided_checks.try_checks(here.world, Path.cwd(), repo, ids, form, shown)
    if is_json:
        print_json([_trial_shape(trial) for trial in trials.values()])
    elif trials:
        _print_trials(trials.values())
    else:
        talk('There is nothing to try. Add a check: `afterwit checks add "before git commit: make lint"`.')


def _print_trials(trials: Iterable[CheckTrial]) -> None:
    tried = sorted(trials, key=lambda trial: -len(trial.stops))
    if len(tried) == 1:
        _print_trial(tried[0])
        return
    print_table(
        _COLUMNS,
        [
            (
                _short(trial.check),
                str(len(trial.stops)),
                trial.sessions_stopped,
                *map(trial.count, StopVerdict),
                trial.check.form,
            )
            for trial in tried
        ],
    )
    for trial in tried:
        print_line("")
        _print_trial(trial)


def _print_trial(trial: CheckTrial) -> None:
    print_text(trial.check.form)
    print_text(f"{trial.in_words}.", first="  ", rest="  ")
    for stop in trial.examples:
        print_text(f"{stop.called} ({stop.verdict.in_words})", first="- ", rest="  ")
        if stop.said:
            print_text(f"{stop.who_said}: “{stop.said}”", first="  ", rest="  ")
        print_line(f"  afterwit sessions show {stop.session} --at {stop.moment}")


def _trial_shape(trial: CheckTrial) -> dict[str, Any]:
    return {
        "id": trial.check.id,
        "form": trial.check.form,
        "sessions": trial.sessions,
        "sessions_stopped": trial.sessions_stopped,
        **{str(verdict): trial.count(verdict) for verdict in StopVerdict},
        "is_worth_showing": trial.is_worth_showing,
        "in_words": trial.in_words,
        "stops": [stop._asdict() for stop in trial.stops],
    }


@command(
    examples=(
        "afterwit checks on 3fa9c1d2",
        "afterwit checks on 3fa9c1d2 --strict",
        "afterwit checks on 3fa9c1d2 --everywhere --yes",
    ),
)
@click.argument("name", metavar="ID")
@flag("--strict", "is_strict", "The same call does not pass when it is made again.")
@_EVERYWHERE
@click.option("--repo", metavar="NAME", help="Try it on the sessions of this repository.")
@agreed
@reporting
def on(
    here: Here, name: str, is_strict: bool, is_everywhere: bool, repo: str | None, is_agreed: bool, is_json: bool
) -> None:
    """Turn a check on, in its repository or everywhere, after showing what it would have stopped."""
    with bar("Trying", "sessions") as shown:
        (trial,) = decided_checks.try_checks(here.world, Path.cwd(), repo, (name,), progress=shown).values()
    if not is_json:
        _print_trial(trial)
    if not is_confirmed("Turn it on?", is_agreed=is_agreed, verb="turn it on"):
        talk("It stays as it was.")
        raise click.exceptions.Exit(ExitCode.FAILED)
    state = decided_checks.turn_on(here.world, name, is_everywhere=is_everywhere, is_strict=is_strict)
    then = "Sessions of connected agents meet it from their next call on. `afterwit undo` takes it back."
    _tell(state, then, is_json=is_json)


@command(examples=("afterwit checks off 3fa9c1d2",))
@click.argument("name", metavar="ID")
@reporting
def off(here: Here, name: str, is_json: bool) -> None:
    """Turn a check off. It stays in the list."""
    _tell(decided_checks.turn_off(here.world, name), is_json=is_json)


@command(examples=("afterwit checks remove 3fa9c1d2",))
@click.argument("name", metavar="ID")
@reporting
def remove(here: Here, name: str, is_json: bool) -> None:
    """Take a check out; it is not proposed again."""
    _tell(decided_checks.remove(here.world, name), is_json=is_json)


for _command in (list_, add, try_, on, off, remove):
    checks.add_command(_command)
