"""How work goes out of a repository: the commands that sessions ran in the same order, up to what delivers it.

A procedure ends with a request that changes something (a webhook, a deployment) or a task of the project that says so
by its name; before it stand whole checks and builds that worked, and the push. What single sessions did besides is left
out: a step counts that three of four stories have, and the order if three of four keep it. Two steps are none.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from statistics import median

from afterwit.actions.shell.parse import parsed
from afterwit.actions.steps import command_of
from afterwit.harvest.commands.invocations import form_of, runs_in
from afterwit.harvest.commands.power import is_tellable
from afterwit.harvest.commands.proven_commands import is_own_task
from afterwit.harvest.harvester import Grouped, by_repo, outcomes, quote, sentence
from afterwit.harvest.requests import HOSTED, aim_of, changes_something
from afterwit.model.digest import Digest
from afterwit.model.knowledge import Category, Channel, Draft, Scope, Seen, Sighting, Trigger
from afterwit.model.text import regex

_PUSH = "git push"
_DELIVERS = regex(r"[\w .:-]* (?:[\w-]+:)?(?:deploy|publish|release|rollout|ship)(?:[:-][\w-]+)?")
_SHARE = 0.75
_FEWEST_STEPS, _MOST_STEPS = 3, 6


class ProcedureSeen(Seen, frozen=True, kw_only=True):
    steps: tuple[str, ...]  # in order, as they are told


class Procedures:
    name = "procedures"
    version = 1
    minimum_stories = 3
    seen = ProcedureSeen

    def see(self, digest: Digest) -> Iterable[Grouped[ProcedureSeen]]:
        done: dict[str, None] = {}
        for at, label, delivers in _steps_in(digest):
            done.pop(label, None)  # what was done again counts where it was done last
            done[label] = None
            if delivers:
                if len(done) >= _FEWEST_STEPS:
                    yield Grouped(label, ProcedureSeen(at=at, excerpt=label, steps=tuple(done)))
                done.clear()

    def conclude(self, group: str, sightings: Sequence[Sighting[ProcedureSeen]]) -> Iterable[Draft]:
        for scope, same in by_repo(sightings).items():
            yield from _draft(group, scope, same)


def _steps_in(digest: Digest) -> Iterator[tuple[int, str, bool]]:
    """What worked, as it is told, and whether it delivers."""
    runs = (run for run in runs_in(digest) if run.passed and not run.form.is_part and is_tellable(run.line))
    checks = {run.at: run.line for run in runs}
    for at, step in enumerate(digest.steps):
        line = command_of(digest.steps, at) if step.may_have_worked else ""
        forms = [form.text for command in parsed(line).commands if (form := form_of(command))] if line else []
        task = next((form for form in forms if is_own_task(form) and _DELIVERS.fullmatch(form)), "")
        aim = aim_of(line) if line and changes_something(line) else None
        if at in checks:
            yield at, checks[at], False
        elif task:
            yield at, task, True
        elif aim is not None and aim.call == _PUSH:
            yield at, _PUSH, False
        elif aim is not None and aim.call.partition(" ")[0] not in HOSTED and not aim.owned:
            yield at, f"{aim.call} …/{aim.name}", True


def _draft(group: str, scope: Scope, same: Sequence[Sighting[ProcedureSeen]]) -> Iterator[Draft]:
    stories = list({row.session.story: row.seen.steps for row in same}.values())
    counts = Counter(label for steps in stories for label in steps)
    usual = [label for label, count in counts.items() if count >= _SHARE * len(stories)]
    places = {label: median(steps.index(label) for steps in stories if label in steps) for label in usual}
    order = sorted(usual, key=lambda label: (places[label], label))[-_MOST_STEPS:]
    agreeing = sum(
        [label for label in order if label in steps] == [label for label in steps if label in order]
        for steps in stories
    )
    if len(order) < _FEWEST_STEPS or agreeing < _SHARE * len(stories):
        return
    yield Draft(
        harvester=Procedures.name,
        key=(group,),
        scope=scope,
        category=Category.PATTERN,
        sentence=sentence(f"Work goes out here in this order: {', then '.join(map(quote, order))}."),
        channel=Channel.OUTCOME,
        triggers=(Trigger(program="git", words=("push",)),) if _PUSH in order else (),
        evidence=outcomes(same),
        saves=3.0,
    )
