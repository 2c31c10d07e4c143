"""`afterwit skills evolve`: proposals for versions of skills, their trials, and what came of them."""

import time
from typing import Any

import click

from afterwit.cli.commands import CliGroup, ExitCode
from afterwit.cli.terminal.options import Here, reporting, timed
from afterwit.cli.terminal.output import is_confirmed, print_json, print_line, talk
from afterwit.extras.lab.skills.cli.evolve_words import (
    proposal_shape,
    show_log,
    show_proposal,
    show_states,
    show_trial,
    state_of,
    trial_shape,
)
from afterwit.extras.lab.skills.evolve.decide import (
    accept,
    evolution,
    proposal_named,
    reject,
    rollback,
    trials_now,
)
from afterwit.extras.lab.skills.evolve.propose import propose
from afterwit.model.errors import UsageError

_EXITS = {ExitCode.WRONG_USE: "There is no such proposal or trial, or it is not offered."}
_NOTHING = (
    "Nothing to propose: no skill got worse, and no procedure was gone through by hand in three independent sessions."
    " `afterwit skills evolve list --all` shows what is not offered, and why."
)


def _clock() -> int:
    return time.time_ns() // 1_000_000


@click.group(cls=CliGroup)
def evolve() -> None:
    """Let skills get better: proposals, trials, and the way back."""


@evolve.command("list", examples=("afterwit skills evolve list", "afterwit skills evolve list --all --json"))
@click.option("--all", "is_all", is_flag=True, help="Also what is not offered, with the reason.")
@reporting
@timed
def list_versions(here: Here, is_all: bool, is_json: bool) -> None:
    """List proposals that wait for you, and trials with what they show.

    A new version is proposed for a skill that got worse or harms, a first one for checks that sessions keep running by
    hand. Offered is only what was verified: every command in it is known to have succeeded, every path is there, and
    nothing in it contradicts you or your instruction files.
    """
    proposals = [proposal for proposal in propose(here.world) if is_all or proposal.is_offered]
    trials = trials_now(here.world)
    if is_json:
        print_json({"proposals": [*map(proposal_shape, proposals)], "trials": [trial_shape(*pair) for pair in trials]})
    elif proposals or trials:
        show_states([*map(state_of, proposals), *(state_of(*pair) for pair in trials)])
    else:
        talk(_NOTHING)


@evolve.command(examples=("afterwit skills evolve show 3fa9c1",), exits=_EXITS)
@click.argument("name", metavar="ID")
@reporting
@timed
def show(here: Here, name: str, is_json: bool) -> None:
    """Show a proposal or a trial: what would change, as a diff, and what stands behind it.

    ID is that of a proposal or a trial, or the beginning of one.
    """
    pair = next((pair for pair in trials_now(here.world) if pair[0].id.startswith(name)), None)
    if pair is not None:
        if is_json:
            print_json(trial_shape(*pair))
        else:
            show_trial(here.calendar, *pair)
        return
    proposal = proposal_named(here.world, name)
    if is_json:
        print_json(proposal_shape(proposal))
    else:
        show_proposal(here.calendar, proposal)


@evolve.command("accept", examples=("afterwit skills evolve accept 3fa9c1",), exits=_EXITS)
@click.argument("name", metavar="ID")
@click.option("--yes", "is_agreed", is_flag=True, help="Do not ask.")
@reporting
def accept_trial(here: Here, name: str, is_agreed: bool, is_json: bool) -> None:
    """Let a proposal be tried. Old and new version then lie on disk by turns.

    Every six hours chance says which of the two, at the next `learn`. The new one stays if sessions prove to get on
    better with it, and the old one comes back, byte for byte, if they prove to get on worse. Until then there is no
    evidence, and nothing is kept. A file that you change ends the trial and stays as you left it.
    """
    proposal = proposal_named(here.world, name)
    if not is_json:
        show_proposal(here.calendar, proposal)
    if proposal.is_offered and not is_confirmed("Let it be tried?", is_agreed=is_agreed, verb="try it"):
        return
    trial = accept(here.world, proposal.id, _clock)
    if is_json:
        print_json(trial_shape(trial, None))
        return
    print_line(f"{trial.proposal.skill} is being tried: {trial.blocks[-1].arm} version for the next hours.")
    for path in trial.proposal.paths:
        print_line(f"  {path}")
    print_line(f"`afterwit skills evolve rollback {trial.id}` ends it and brings the old version back.")


@evolve.command("reject", examples=("afterwit skills evolve reject 3fa9c1",), exits=_EXITS)
@click.argument("name", metavar="ID")
@reporting
def reject_proposal(here: Here, name: str, is_json: bool) -> None:
    """Keep a proposal from being made again. Another text for the same skill is another proposal."""
    proposal = reject(here.world, name, _clock)
    if is_json:
        print_json(proposal_shape(proposal))
    else:
        talk(f"{proposal.id} is not proposed again. Nothing was written.")


@evolve.command(
    "rollback",
    examples=("afterwit skills evolve rollback 3fa9c1", "afterwit skills evolve rollback orchard-commit-checks"),
    exits=_EXITS,
)
@click.argument("name", metavar="ID|SKILL")
@reporting
def roll_back(here: Here, name: str, is_json: bool) -> None:
    """Bring the old version back, byte for byte: of a trial under way, or after the new one was kept.

    A file that was changed by hand meanwhile is not overwritten.
    """
    trial = rollback(here.world, name, _clock)
    if is_json:
        print_json(trial_shape(trial, trial.effect))
        return
    was = "There is no file again, as before." if trial.proposal.old is None else "The old version is back."
    print_line(f"{trial.proposal.skill}: {was}")


@evolve.command(
    "log", examples=("afterwit skills evolve log", "afterwit skills evolve log orchard-commit-checks --json")
)
@click.argument("skill", metavar="[SKILL]", required=False)
@reporting
@timed
def log_versions(here: Here, skill: str | None, is_json: bool) -> None:
    """Show the lineage of skills: which version came from which, why, and what was measured."""
    made = evolution(here.world)
    if skill and skill not in made.skills:
        raise UsageError(f"No version of {skill!r} was ever tried. `afterwit skills evolve log` shows all.")
    trials = [pair for pair in trials_now(here.world) if skill in (None, pair[0].proposal.skill)]
    rejected = [version for version in made.rejected if skill in (None, version.skill)]
    if is_json:
        shapes: dict[str, Any] = {
            "versions": [trial_shape(*pair) for pair in trials],
            "rejected": [version._asdict() for version in rejected],
        }
        print_json(shapes)
    elif trials or rejected:
        show_log(here.calendar, trials, rejected)
    else:
        talk("No version was tried or rejected yet. `afterwit skills evolve list` shows proposals.")
