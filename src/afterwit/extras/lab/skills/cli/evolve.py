"""`afterwit skills evolve`: proposals for versions of skills, their trials, and what came of them."""

import time
from typing import Any

import click
import msgspec

from afterwit.cli.commands import CliGroup, ExitCode
from afterwit.cli.terminal.options import Here, reporting, timed
from afterwit.cli.terminal.output import is_confirmed, print_json, print_line, print_text, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.config.calendar import Calendar
from afterwit.extras.lab.skills.cli.look import round_figures
from afterwit.extras.lab.skills.evolve.decide import (
    accept,
    evolution,
    proposal_named,
    reject,
    rollback,
    trials_now,
)
from afterwit.extras.lab.skills.evolve.propose import propose
from afterwit.extras.lab.skills.evolve.trial import SkillTrial, TrialEffect, TrialVerdict
from afterwit.extras.lab.skills.evolve.verify import SkillProposal
from afterwit.extras.lab.skills.figures import between, of_ten
from afterwit.measure.statistics import Finding
from afterwit.model.errors import UsageError
from afterwit.model.figures import human_count

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
        print_table(_COLUMNS, [*map(_proposal_row, proposals), *(_trial_row(*pair) for pair in trials)])
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
    proposal = pair[0].proposal if pair is not None else proposal_named(here.world, name)
    if is_json:
        print_json(trial_shape(*pair) if pair is not None else proposal_shape(proposal))
        return
    _show_proposal(here.calendar, proposal)
    if pair is not None:
        print_line("")
        _show_course(here.calendar, *pair)


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
        _show_proposal(here.calendar, proposal)
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
        versions = [trial_shape(*pair) for pair in trials]
        print_json({"versions": versions, "rejected": [version._asdict() for version in rejected]})
        return
    for trial, effect in trials:
        source = "nothing" if trial.proposal.old is None else trial.start.old_hash[:8]
        print_line(f"{trial.id}  {trial.proposal.skill}: {trial.start.new_hash[:8]} from {source}")
        print_text(trial.proposal.why or "What it was made from was deleted.", "  ", "  ")
        _show_course(here.calendar, trial, effect)
    for version in rejected:
        print_line(f"{version.id}  {version.skill}: rejected {here.calendar.moment(version.at_ms)}")
    if not trials and not rejected:
        talk("No version was tried or rejected yet. `afterwit skills evolve list` shows proposals.")


_COLUMNS = (
    Column("id"),
    Column("skill"),
    Column("kind", gives_way=1),
    Column("state"),
    Column("what is known", takes_rest=True),
)
_ENDS = {  # in short, and what follows in a sentence
    TrialVerdict.KEPT: ("kept", ": sessions got on better with the new version"),
    TrialVerdict.ROLLED_BACK: ("rolled back", ": sessions got on worse with the new version"),
    TrialVerdict.STOPPED: ("taken back", " by a person"),
    TrialVerdict.CHANGED: ("changed by hand", ": the file was left alone, and the trial is over"),
    TrialVerdict.WITHDRAWN: ("taken back", ": the sessions that it was made from were deleted"),
}
_UNIT = "of ten actions"


def result_words(effect: TrialEffect) -> str:
    """What a trial shows, in a sentence."""
    seen = f"{human_count(effect.sessions, 'session')} in {human_count(effect.blocks, 'block')}"
    if effect.finding == Finding.NO_EVIDENCE.value:
        if effect.more_sessions is None:
            return f"no evidence yet: {seen}, too few to say how many more it takes."
        return f"no evidence yet: about {effect.more_sessions:,} more sessions ({seen} so far)."
    word = "better" if effect.finding == Finding.HELPS.value else "worse"
    size = f"{of_ten(effect.effect)} {_UNIT}, 95% range {between(effect.low, effect.high)}"
    return f"{word} with the new version: {size} ({seen})."


def end_words(trial: SkillTrial) -> str:
    """How a trial ended, in a sentence."""
    ended = "".join(_state(trial))
    return f"The skill {trial.proposal.skill}: {ended}. `afterwit skills evolve show {trial.id[:8]}` says more."


def _state(trial: SkillTrial) -> tuple[str, str]:
    return ("being tried", "") if trial.verdict is None else _ENDS[trial.verdict]


def _proposal_row(made: SkillProposal) -> tuple[str, ...]:
    state = "proposed" if made.is_offered else "not offered"
    return made.id[:8], made.skill, made.kind, state, made.why if made.is_offered else " ".join(made.refusals)


def _trial_row(trial: SkillTrial, effect: TrialEffect) -> tuple[str, ...]:
    return trial.id[:8], trial.proposal.skill, trial.proposal.kind, _state(trial)[0], result_words(effect)


def _show_proposal(calendar: Calendar, proposal: SkillProposal) -> None:
    print_line(f"{proposal.id}  {proposal.skill} ({proposal.kind})")
    print_text(proposal.why, "  ", "  ")
    for change in proposal.changes:
        print_text(f"New: {change}.", "  ", "  ")
    for refusal in proposal.refusals:
        print_text(f"Not offered: {refusal}", "  ", "  ")
    for piece in proposal.evidence:
        print_text(f"{calendar.day(piece.at_ms)} {piece.agent} {piece.session[:8]}: {piece.excerpt}", "  ", "    ")
    print_line("")
    for line in proposal.diff.split("\n"):
        print_line(line)


def _show_course(calendar: Calendar, trial: SkillTrial, effect: TrialEffect) -> None:
    print_text(f"Tried since {calendar.moment(trial.started_ms)}: {result_words(effect)}", "  ", "  ")
    if trial.verdict is None:
        print_text(f"Now the {trial.due} version lies on disk.", "  ", "  ")
    else:
        print_text(f"{calendar.moment(trial.ended_ms)}: {''.join(_state(trial))}. {trial.why}".rstrip(), "  ", "  ")


def proposal_shape(proposal: SkillProposal) -> dict[str, Any]:
    """A proposal as programs get it."""
    fields: dict[str, Any] = msgspec.to_builtins(proposal)
    return {"id": proposal.id, "is_offered": proposal.is_offered, **fields, "diff": proposal.diff}


def trial_shape(trial: SkillTrial, effect: TrialEffect | None) -> dict[str, Any]:
    """A trial as programs get it; effects are shares of actions."""
    proposal = trial.proposal
    return {
        "id": trial.id,
        **{name: getattr(proposal, name) for name in ("skill", "kind", "repo", "agents", "paths", "why")},
        "started_ms": trial.started_ms,
        "ended_ms": trial.ended_ms or None,
        "verdict": trial.verdict,
        "on_disk": trial.due,
        "old_hash": trial.start.old_hash or None,
        "new_hash": trial.start.new_hash,
        "result": None if effect is None else round_figures(msgspec.to_builtins(effect)),
        "blocks": [
            {"arm": block.arm, "chance": block.chance, "started_ms": block.from_ms, "ended_ms": block.until_ms}
            for block in trial.blocks
        ],
    }
