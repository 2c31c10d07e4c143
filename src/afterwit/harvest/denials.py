"""What a person or a policy refused in two stories or more: a command by program and subcommand, an edit by its file.

Refused plans and unanswered questions are a normal part of work and do not count. What was refused in some stories and
ran in as many others was refused for a reason of the moment, and gives nothing. One group is one repository.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from afterwit.harvest.calls import command_at, work_of
from afterwit.harvest.harvester import Grouped, evidence_of
from afterwit.harvest.invocations import folder_below, has_worked, roots_of
from afterwit.harvest.sightings import by_repo, in_order, stories_in
from afterwit.harvest.wording import quoted, sentence
from afterwit.model.digest import Digest
from afterwit.model.kinds import CHANGES, ActionKind
from afterwit.model.knowledge import Category, Channel, Draft, Scope, Seen, Sighting, Trigger

_COUNTED = (*CHANGES, ActionKind.WEB, ActionKind.MCP, ActionKind.SKILL)
_MOST_WORKED = 20
_TWO = 2


class Refused(Seen, frozen=True, kw_only=True, omit_defaults=True):
    """Something that was refused; or, without it, everything of that kind that ran."""

    kind: str = ""
    tool: str = ""
    what: str = ""
    ran: tuple[str, ...] = ()


class Denials:
    name = "denials"
    version = 1
    minimum_stories = 2
    seen = Refused

    def see(self, digest: Digest) -> Iterable[Grouped[Refused]]:
        if not digest.repo:
            return
        given = set()
        for at in digest.denials:
            refused = _refused(digest, at)
            if refused and refused.what not in given:
                given.add(refused.what)
                yield Grouped(digest.repo, refused)
        ran = tuple(dict.fromkeys(_ran(digest)))
        if ran:
            yield Grouped(digest.repo, Refused(ran=ran[:_MOST_WORKED]))

    def conclude(self, group: str, sightings: Sequence[Sighting[Refused]]) -> Iterable[Draft]:
        del group
        for scope, seen in by_repo(sightings).items():
            by_what: defaultdict[tuple[str, str], list[Sighting[Refused]]] = defaultdict(list)
            for one in seen:
                if one.seen.what:
                    by_what[one.seen.kind, one.seen.what].append(one)
            for (_, what), same in sorted(by_what.items()):
                ran = [one for one in seen if what in one.seen.ran and one.session.story not in stories_in(same)]
                if len(stories_in(same)) >= _TWO and len(stories_in(same)) > len(stories_in(ran)):
                    yield _draft(scope, same, in_order(ran))


def _refused(digest: Digest, at: int) -> Refused | None:
    step = digest.steps[at]
    if step.kind is ActionKind.SHELL:
        what = work_of(command_at(digest.steps, at))
    elif step.kind in CHANGES:
        what = folder_below(step.target, digest.repo, roots_of(digest)) or ""
    else:
        what = step.target if step.kind in _COUNTED else ""
    return Refused(at=at, kind=step.kind, tool=step.tool, what=what, excerpt=step.error[:120]) if what else None


def _ran(digest: Digest) -> Iterator[str]:
    for at, step in enumerate(digest.steps):
        if has_worked(step):
            yield from (what for what in (work_of(command_at(digest.steps, at)),) if what)
            yield from step.files


def _draft(scope: Scope, same: Sequence[Sighting[Refused]], ran: Sequence[Sighting[Refused]]) -> Draft:
    last = same[-1].seen
    shown = quoted(last.what)
    if last.kind == ActionKind.SHELL:
        words = f"{shown} was refused here more than once: ask before running it, or do without it."
        program, *rest = last.what.split()
        trigger = Trigger(program=program, words=tuple(rest))
    elif last.kind in CHANGES:
        words = f"Edits of {shown} were refused here more than once: ask before changing it."
        trigger = Trigger(path=last.what)
    else:
        words = f"{quoted(last.tool)} on {shown} was refused here more than once: ask first, or do without it."
        trigger = Trigger(tool=last.tool, words=(last.what,))
    return Draft(
        harvester=Denials.name,
        key=(last.kind, last.what),
        scope=scope,
        category=Category.PITFALL,
        sentence=sentence(words),
        channel=Channel.OUTCOME,
        triggers=(trigger,),
        evidence=(
            *(evidence_of(one, Channel.OUTCOME) for one in same),
            *(evidence_of(one, Channel.OUTCOME, is_against=True) for one in ran),
        ),
    )
