"""How proposals and trials of skills are shown: in words, as a table, as a diff, as JSON."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from afterwit.cli.terminal.amounts import human_count
from afterwit.cli.terminal.output import print_line, print_text
from afterwit.cli.terminal.table import Column, print_table
from afterwit.config.calendar import Calendar
from afterwit.extras.lab.skills.cli.words import rounded
from afterwit.extras.lab.skills.evolve.compare import TrialEffect
from afterwit.extras.lab.skills.evolve.proposal import SkillProposal
from afterwit.extras.lab.skills.evolve.trial import RejectedVersion, SkillTrial, TrialVerdict
from afterwit.extras.lab.skills.words import between, of_ten
from afterwit.measure.statistics import Finding

_COLUMNS = (
    Column("id"),
    Column("skill"),
    Column("kind", gives_way=1),
    Column("state"),
    Column("what is known", takes_rest=True),
)
_ENDS = {
    TrialVerdict.KEPT: "kept: sessions got on better with the new version",
    TrialVerdict.ROLLED_BACK: "rolled back: sessions got on worse with the new version",
    TrialVerdict.STOPPED: "taken back by a person",
    TrialVerdict.CHANGED: "ended: the file was changed by hand, and was left alone",
    TrialVerdict.WITHDRAWN: "taken back: the sessions that it was made from were deleted",
}
_SHORT = {
    TrialVerdict.KEPT: "kept",
    TrialVerdict.ROLLED_BACK: "rolled back",
    TrialVerdict.STOPPED: "taken back",
    TrialVerdict.CHANGED: "changed by hand",
    TrialVerdict.WITHDRAWN: "taken back",
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
    ended = _ENDS[trial.verdict] if trial.verdict is not None else "is being tried"
    return f"The skill {trial.proposal.skill}: {ended}. `afterwit skills evolve show {trial.id[:8]}` says more."


def state_of(made: SkillProposal | SkillTrial, effect: TrialEffect | None = None) -> tuple[str, ...]:
    """A row of the list."""
    if isinstance(made, SkillProposal):
        state = "proposed" if made.is_offered else "not offered"
        return made.id[:8], made.skill, made.kind, state, made.why if made.is_offered else " ".join(made.refusals)
    state = "being tried" if made.verdict is None else _SHORT[made.verdict]
    words = result_words(effect) if effect is not None else ""
    return made.id[:8], made.proposal.skill, made.proposal.kind, state, words


def show_states(rows: Sequence[tuple[str, ...]]) -> None:
    print_table(_COLUMNS, rows)


def show_proposal(calendar: Calendar, proposal: SkillProposal) -> None:
    print_line(f"{proposal.id}  {proposal.skill} ({proposal.kind})")
    print_text(proposal.why, "  ", "  ")
    for change in proposal.changes:
        print_text(f"New: {change}.", "  ", "  ")
    for refusal in proposal.refusals:
        print_text(f"Not offered: {refusal}", "  ", "  ")
    _show_evidence(calendar, proposal)
    print_line("")
    for line in proposal.diff.split("\n"):
        print_line(line)


def _show_evidence(calendar: Calendar, proposal: SkillProposal) -> None:
    for piece in proposal.evidence:
        print_text(f"{calendar.day(piece.at_ms)} {piece.agent} {piece.session[:8]}: {piece.excerpt}", "  ", "    ")


def show_trial(calendar: Calendar, trial: SkillTrial, effect: TrialEffect) -> None:
    show_proposal(calendar, trial.proposal)
    print_line("")
    _show_course(calendar, trial, effect)


def _show_course(calendar: Calendar, trial: SkillTrial, effect: TrialEffect) -> None:
    print_text(f"Tried since {calendar.moment(trial.started_ms)}: {result_words(effect)}", "  ", "  ")
    if trial.verdict is None:
        print_text(f"Now the {trial.due} version lies on disk.", "  ", "  ")
    else:
        print_text(f"{calendar.moment(trial.ended_ms)}: {_ENDS[trial.verdict]}. {trial.why}".rstrip(), "  ", "  ")


def show_log(
    calendar: Calendar, trials: Sequence[tuple[SkillTrial, TrialEffect]], rejected: Iterable[RejectedVersion]
) -> None:
    """The lineage, the oldest first."""
    for trial, effect in trials:
        source = "nothing" if trial.proposal.old is None else trial.start.old_hash[:8]
        print_line(f"{trial.id}  {trial.proposal.skill}: {trial.start.new_hash[:8]} from {source}")
        print_text(trial.proposal.why or "What it was made from was deleted.", "  ", "  ")
        _show_course(calendar, trial, effect)
    for version in rejected:
        print_line(f"{version.id}  {version.skill}: rejected {calendar.moment(version.at_ms)}")


def proposal_shape(proposal: SkillProposal) -> dict[str, Any]:
    """A proposal as programs get it."""
    fields: dict[str, Any] = msgspec.to_builtins(proposal)
    return {"id": proposal.id, "is_offered": proposal.is_offered, **fields, "diff": proposal.diff}


def trial_shape(trial: SkillTrial, effect: TrialEffect | None) -> dict[str, Any]:
    """A trial as programs get it; effects are shares of actions."""
    result = None if effect is None else msgspec.to_builtins(effect)
    if result is not None:
        result |= {name: rounded(result[name]) for name in ("effect", "low", "high")}
    return {
        "id": trial.id,
        "skill": trial.proposal.skill,
        "kind": trial.proposal.kind.value,
        "repo": trial.proposal.repo,
        "agents": list(trial.proposal.agents),
        "paths": list(trial.proposal.paths),
        "why": trial.proposal.why,
        "started_ms": trial.started_ms,
        "ended_ms": trial.ended_ms or None,
        "verdict": trial.verdict.value if trial.verdict is not None else None,
        "on_disk": trial.due.value if trial.due is not None else None,
        "old_hash": trial.start.old_hash or None,
        "new_hash": trial.start.new_hash,
        "result": result,
        "blocks": [
            {"arm": block.arm.value, "chance": block.chance, "started_ms": block.from_ms, "ended_ms": block.until_ms}
            for block in trial.blocks
        ],
    }
