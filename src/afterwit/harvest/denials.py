"""What a person or a policy refused in two stories or more: a command by program and subcommand, an edit by its file.

Refused plans and unanswered questions are a normal part of work and do not count. What was refused in some stories and
ran in as many others was refused for a reason of the moment, and gives nothing; nor does what ran later in the same
session. What was refused and what ran are named alike, files by their path below the repository. One group is one
repository.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from afterwit.guard.plain_names import is_plain_name, is_plain_path, reads_like_a_sentence
from afterwit.harvest.commands.calls import command_at, work_of
from afterwit.harvest.commands.invocations import folder_below, has_worked, roots_of
from afterwit.harvest.harvester import Grouped, evidence_of
from afterwit.harvest.sightings import by_repo, in_order, stories_in
from afterwit.harvest.wording import quoted, sentence
from afterwit.model.digest import Digest, DigestStep
from afterwit.model.kinds import CHANGES, ActionKind
from afterwit.model.knowledge import Category, Channel, Draft, Scope, Seen, Sighting, Trigger

_COUNTED = (*CHANGES, ActionKind.WEB, ActionKind.MCP, ActionKind.SKILL)
_TWO = 2


class Refused(Seen, frozen=True, kw_only=True, omit_defaults=True):
    """Something that was refused; or, without it, everything of that kind that ran."""

    kind: str = ""
    tool: str = ""
    what: str = ""
    ran: tuple[str, ...] = ()


class Denials:
    name = "denials"
    version = 3
    minimum_stories = 2
    seen = Refused

    def see(self, digest: Digest) -> Iterable[Grouped[Refused]]:
        if not digest.repo:
            return
        roots = roots_of(digest)
        worked = [at for at, step in enumerate(digest.steps) if has_worked(step)]
        ran = {what: at for at in worked for what in _names(digest, at, roots)}
        given = set()
        for at in digest.denials:
            refused = _refused(digest, at, roots)
            if refused and refused.what not in given and ran.get(refused.what, -1) < at:
                given.add(refused.what)
                yield Grouped(digest.repo, refused)
        if ran:
            yield Grouped(digest.repo, Refused(ran=tuple(ran)))

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


def _refused(digest: Digest, at: int, roots: frozenset[str]) -> Refused | None:
    """What a refusal was about. Of a change to several files it cannot be told which one was not wanted."""
    step, names = digest.steps[at], _names(digest, at, roots)
    if len(names) != 1:
        return None
    return Refused(at=at, kind=step.kind, tool=step.tool, what=names[0], excerpt=step.error[:120])


def _names(digest: Digest, at: int, roots: frozenset[str]) -> list[str]:
    """What a step runs, changes or asks, by the names that tell it from others; nothing where it does not count."""
    step = digest.steps[at]
    if step.kind is ActionKind.SHELL:
        found = [work_of(command_at(digest.steps, at))]
    elif step.kind in CHANGES:
        found = [folder_below(file, digest.repo, roots) or "" for file in step.files or (step.target,)]
    else:
        found = [step.target] if step.kind in _COUNTED else []
    return [name for name in dict.fromkeys(found) if name and _is_plain(step, name)]


def _is_plain(step: DigestStep, name: str) -> bool:
    """Whether what was refused can be named: no page, no query and no sentence."""
    if step.kind is ActionKind.SHELL:
        return not reads_like_a_sentence(name)
    if step.kind in CHANGES:
        return is_plain_path(name)
    return is_plain_name(name) and is_plain_name(step.tool)


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
