"""What an agent's sandbox refuses at first, a signing key that is locked, and what a shell prints before anything runs.

One item a cause: no network, no ports, no writing below `.git`, and anything else that the same call was allowed to do
later. Knowing it, an agent asks with its first call. To leave its sandbox takes more rights, so a person has to approve
such an item first; nothing in a transcript says for sure that a sandbox was the cause: a network may have been away. A
key that is locked only its owner can unlock. A message of the shell's start-up is no failure of the command below it;
that it came with different programs shows it. Seen in one repository it holds there, in several for the agent.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

import msgspec

from afterwit.guard.plain_names import reads_like_a_sentence
from afterwit.harvest.commands.calls import command_at
from afterwit.harvest.commands.power import RIGHTS
from afterwit.harvest.harvester import NEVER_ALONE, Grouped, evidence_of
from afterwit.harvest.sightings import by_repo, commonest_signatures, in_order
from afterwit.harvest.wording import quoted, sentence
from afterwit.model.digest import Digest, Failure
from afterwit.model.kinds import FailureClass, ResolutionKind
from afterwit.model.knowledge import Category, Channel, Draft, Scope, ScopeKind, Seen, Sighting, Trigger


class Refusal(StrEnum):
    NETWORK = "network"
    PORT = "port"
    SIGNING = "signing"
    GIT = "git"  # writing below .git
    LEAVE = "leave"  # the same call was allowed later
    STARTUP = "startup"  # nothing was refused: the shell's own start-up complains


_DENIED = r"(?:operation not permitted|permission denied|read-only file system)"
_OF_THE_MOMENT = frozenset((Refusal.NETWORK, Refusal.GIT, Refusal.LEAVE))
_SANDBOXED = (Refusal.NETWORK, Refusal.PORT, Refusal.GIT, Refusal.LEAVE)  # which agent it is matters
_FORMS = (
    (Refusal.STARTUP, r"\A[^\n]*(?:shellenv|profile|zshrc|bashrc|zshenv|zlogin)\b[\w.]*: (?:line )?\d+:"),
    (Refusal.PORT, r"(?:bind|listen|socket)\b.{0,80}\b(?:operation not permitted|EPERM|permission denied)"),
    (
        Refusal.NETWORK,
        r"\bno such host\b|\bcould not resolve host|\bENOTFOUND\b|\bname resolution\b|\bnetwork is unreachable\b",
    ),
    (
        Refusal.SIGNING,
        r"agent refused operation|gpg failed to sign|failed to sign the data|couldn't sign message"
        r"|signing failed|No pinentry",
    ),
    (Refusal.GIT, rf"\.git/[^\n]{{0,200}}{_DENIED}"),
    (Refusal.LEAVE, _DENIED),
)
_COMPILED = tuple((refusal, re.compile(form, re.IGNORECASE)) for refusal, form in _FORMS)
_MUST_BE_ALLOWED_LATER = (Refusal.NETWORK, Refusal.SIGNING, Refusal.GIT, Refusal.LEAVE)
_INVENTED = re.compile(r"\.(?:example|invalid|test|localhost)\b")
_EXCERPT = 120
_SHOWN = 3
_TWO = 2


class Refused(Seen, frozen=True, kw_only=True, omit_defaults=True):
    """A call that was refused."""

    signature: str
    program: str


class Refusals:
    name = "refusals"
    version = 5
    minimum_stories = 2
    seen = Refused
    _told = frozenset(Refusal) - _OF_THE_MOMENT

    def see(self, digest: Digest) -> Iterable[Grouped[Refused]]:
        given = set()
        for failure in digest.failures:
            for found in _seen_in(digest, failure):
                key = (found.group, found.seen.signature)
                if key not in given and found.group.partition("\n")[0] in self._told:
                    given.add(key)
                    yield found

    def conclude(self, group: str, sightings: Sequence[Sighting[Refused]]) -> Iterable[Draft]:
        for draft in self._concluded(group, sightings):
            yield msgspec.structs.replace(draft, harvester=self.name)

    def _concluded(self, group: str, sightings: Sequence[Sighting[Refused]]) -> Iterator[Draft]:
        kind, _, name = group.partition("\n")
        refusal = Refusal(kind)
        repos = by_repo(sightings)
        agents = {sighting.session.agent for sighting in sightings}
        if len(repos) >= _TWO and len(agents) == 1 and refusal is not Refusal.STARTUP:
            yield from _draft(refusal, name, Scope(ScopeKind.AGENT, agents.pop()), in_order(sightings))
            return
        for scope, same in repos.items():
            yield from _draft(refusal, name, scope, same)


class RefusedForNow(Refusals):
    """That a sandbox has no network and guards some files, agents are told; which command is refused depends on the
    moment. So it is only said when a command has failed for it."""

    name = "refused-for-now"
    minimum_stories = NEVER_ALONE
    _told = _OF_THE_MOMENT


def _seen_in(digest: Digest, failure: Failure) -> Iterator[Grouped[Refused]]:
    error = digest.steps[failure.at].error
    refusal = next((refusal for refusal, form in _COMPILED if form.search(error)), None)
    if refusal is None or failure.failure is not FailureClass.ENVIRONMENT or not command_at(digest.steps, failure.at):
        return
    if refusal in _MUST_BE_ALLOWED_LATER and failure.resolution is not ResolutionKind.RETRIED:
        return
    if _INVENTED.search(error):
        return
    program, _, template = failure.signature.partition(": ")
    name = {Refusal.SIGNING: "", Refusal.STARTUP: template}.get(refusal, digest.agent)
    excerpt = error.partition("\n")[0][:_EXCERPT]
    seen = Refused(at=failure.at, excerpt=excerpt, signature=failure.signature, program=program)
    yield Grouped(f"{refusal}\n{name}", seen)


def _draft(refusal: Refusal, name: str, scope: Scope, same: Sequence[Sighting[Refused]]) -> Iterator[Draft]:
    programs = _programs(same)
    words = _startup(same) if refusal is Refusal.STARTUP else _said(refusal, name, programs) if programs else ""
    channel = Channel.TOOL if refusal is Refusal.STARTUP else Channel.OUTCOME
    if words:
        yield Draft(
            harvester=Refusals.name,
            key=(refusal, name) if name else (refusal,),
            scope=scope,
            category=Category.FACT,
            sentence=sentence(words),
            channel=channel,
            triggers=tuple(Trigger(signature=signature) for signature in commonest_signatures(same)),
            evidence=tuple(evidence_of(one, channel) for one in same),
            agents=(name,) if refusal in _SANDBOXED else (),
            takes=RIGHTS if refusal in _SANDBOXED else "",
        )


def _programs(same: Sequence[Sighting[Refused]]) -> str:
    stories: defaultdict[str, set[str]] = defaultdict(set)
    for one in same:
        if not reads_like_a_sentence(one.seen.program):
            stories[one.seen.program].add(one.session.story)
    commonest = sorted(stories, key=lambda program: (-len(stories[program]), program))
    return ", ".join(shown for program in commonest[:_SHOWN] if (shown := quoted(program, 30)))


def _said(refusal: Refusal, name: str, programs: str) -> str:
    if refusal is Refusal.NETWORK:
        return (
            f"{programs} found no network here in {name}, and the same call worked later: if the sandbox has none, ask"
            " at once to run it outside."
        )
    if refusal is Refusal.PORT:
        return (
            f"What opens a port ({programs}) is refused in the sandbox of {name} here: ask at once to run it outside."
            " Where asking is not allowed, it says nothing about the code."
        )
    if refusal is Refusal.SIGNING:
        return (
            f"{programs} signs with a key that may be locked here (the signing agent refuses): ask the user to unlock"
            " it and wait, then run the same again; change nothing else."
        )
    if refusal is Refusal.GIT:
        return f"The sandbox of {name} cannot write below `.git` here ({programs}): ask at once to run it outside."
    return f"{programs} is refused at first by the sandbox of {name} here: ask at once to run it outside."


def _startup(same: Sequence[Sighting[Refused]]) -> str:
    if len({one.seen.program for one in same}) < _TWO:
        return ""
    return (
        "The first line of an output here may be a complaint of the shell's own start-up files, whatever is run: the"
        " cause of a failure stands below it."
    )
