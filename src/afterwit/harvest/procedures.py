"""Steps that a repository asks for before a commit or a push, and that sessions left out.

What everyone does anyway is no procedure, however many do it. Taken is what was got wrong: a commit or push that a hook
refused with reports of a check which the session had not run since its last change. Told with the command that runs
this check, once two stories were refused.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from afterwit.actions.shell.parse import parsed
from afterwit.harvest.commands.invocations import CommandRun, runs_in
from afterwit.harvest.commands.power import is_tellable
from afterwit.harvest.commands.purposes import CHANGING, Purpose
from afterwit.harvest.harvester import Grouped, commonest, in_order, outcomes, stories_in, unique
from afterwit.harvest.rule_names import is_compiling
from afterwit.harvest.wording import quoted, sentence, shown_repo
from afterwit.model.digest import Digest
from afterwit.model.kinds import CHANGES, ActionKind
from afterwit.model.knowledge import Category, Channel, Draft, Scope, ScopeKind, Seen, Sighting, Trigger

_PUBLISHING = ("commit", "push")
_STORIES = 2


class LeftOut(Seen, frozen=True, kw_only=True, omit_defaults=True):
    """A commit or push that was refused for a check which had been left out; or the commands that run the check."""

    step: str = ""
    commands: tuple[str, ...] = ()

    @property
    def is_telling(self) -> bool:
        return bool(self.step)


class Procedures:
    name = "procedures"
    version = 2
    seen = LeftOut
    minimum_stories = _STORIES

    def see(self, digest: Digest) -> Iterable[Grouped[LeftOut]]:
        if not digest.repo:
            return
        runs = [run for run in runs_in(digest) if not run.form.is_part]
        left_out = (refused for refused in _refused(digest) if not _was_run(digest, runs, refused))
        for at, step, purpose in unique(left_out, lambda refused: refused.purpose):
            excerpt = digest.steps[at].error[:120]
            yield Grouped(f"{digest.repo}\n{purpose}", LeftOut(at=at, step=step, excerpt=excerpt))
        for purpose in (Purpose.LINT, Purpose.TYPES):
            lines = tuple(dict.fromkeys(run.line for run in runs if run.purpose is purpose and run.ran))
            if lines:
                yield Grouped(f"{digest.repo}\n{purpose}", LeftOut(commands=lines))

    def conclude(self, group: str, sightings: Sequence[Sighting[LeftOut]]) -> Iterable[Draft]:
        repo, _, purpose = group.partition("\n")
        refused = in_order(sighting for sighting in sightings if sighting.seen.step)
        command = commonest(Counter(line for _, seen in sightings for line in seen.commands if is_tellable(line)))
        if not refused or not quoted(command):
            return
        step, stories = refused[-1].seen.step, len(stories_in(refused))
        times = "in 1 session" if stories == 1 else f"in {stories} sessions"
        text = (
            f"In {shown_repo(repo)}, a hook refuses `git {step}` where {quoted(command)} fails: run it before; {times}"
        )
        yield Draft(
            harvester=self.name,
            key=(step, purpose),
            scope=Scope(ScopeKind.REPO, repo),
            category=Category.PITFALL,
            sentence=sentence(f"{text} it had been left out."),
            channel=Channel.OUTCOME,
            triggers=(Trigger(program="git", words=(step,)),),
            advice=command,
            evidence=outcomes(refused),
            saves=2.0,
        )


class _Refused(NamedTuple):
    at: int
    step: str
    purpose: Purpose  # of the check that reported


def _refused(digest: Digest) -> Iterator[_Refused]:
    """Commits and pushes that failed with reports of a check, and what check that is."""
    for at, step in enumerate(digest.steps):
        rules = [rule.id for rule in digest.rules if rule.at == at]
        if step.kind is not ActionKind.SHELL or not rules or step.has_worked or not step.has_failed:
            continue
        published = _publishing(step.target)
        if published:
            for purpose in sorted({Purpose.TYPES if is_compiling(rule) else Purpose.LINT for rule in rules}):
                yield _Refused(at, published, purpose)


def _publishing(line: str) -> str:
    """Whether a line commits or pushes; "" where it does neither."""
    words = (command.subcommand.partition(" ")[0] for command in parsed(line).commands if command.program == "git")
    return next((word for word in words if word in _PUBLISHING), "")


def _was_run(digest: Digest, runs: Sequence[CommandRun], refused: _Refused) -> bool:
    """Whether the check was run between the last change and the commit. One that changed files itself counts too."""
    last = max((at for at in range(refused.at) if digest.steps[at].kind in CHANGES), default=-1)
    purposes = {refused.purpose, *(CHANGING if refused.purpose is Purpose.LINT else ())}
    return any(last < run.at <= refused.at and run.purpose in purposes for run in runs)
