"""What is refused: by an agent's sandbox at first, by a locked signing key, or by a person or a policy.

**Refusals**, one item a cause: no network, no ports, no writing below `.git`, and anything else that the same call was
allowed to do later. Knowing it, an agent asks with its first call. To leave its sandbox takes more rights, so a person
has to approve such an item first; nothing in a transcript says for sure that a sandbox was the cause: a network may
have been away. A key that is locked only its owner can unlock. Seen in one repository it holds there, in several for
the agent.

**Denials**: what a person or a policy refused in two stories or more, a command by program and subcommand, an edit by
its file. Refused plans and unanswered questions are a normal part of work and do not count. What was refused in some
stories and ran in as many others was refused for a reason of the moment, and gives nothing; nor does what ran later in
the same session. What was refused and what ran are named alike, files by their path below the repository.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import lru_cache

from afterwit.harvest.commands.invocations import command_at, folder_below, roots_of, work_of
from afterwit.harvest.commands.power import RIGHTS
from afterwit.harvest.harvester import (
    NEVER_ALONE,
    Grouped,
    by_repo,
    commonest_signatures,
    evidence_of,
    group_by,
    in_order,
    outcomes,
    quote,
    rank_counts,
    sentence,
    stories_in,
    story_counts,
    unique,
)
from afterwit.model.digest import Digest, Failure
from afterwit.model.kinds import CHANGES, ActionKind, FailureClass, ResolutionKind
from afterwit.model.knowledge import DENIALS, Category, Channel, Draft, Scope, ScopeKind, Seen, Sighting, Trigger
from afterwit.model.text import regex
from afterwit.redaction.plain_names import is_plain_name, is_plain_path, reads_like_a_sentence

_DENIED = r"(?:operation not permitted|permission denied|read-only file system)"
_INVENTED = regex(r"\.(?:example|invalid|test|localhost)\b")
_DENIABLE = (ActionKind.WEB, ActionKind.MCP, ActionKind.SKILL)  # beside commands and changes
_EXCERPT = 120
_SHOWN = 3
_TWO = 2


class Refusal(StrEnum):
    NETWORK = "network"
    PORT = "port"
    SIGNING = "signing"
    GIT = "git"  # writing below .git
    LEAVE = "leave"  # the same call was allowed later


_OF_THE_MOMENT = frozenset((Refusal.NETWORK, Refusal.GIT, Refusal.LEAVE))
_SANDBOXED = (Refusal.NETWORK, Refusal.PORT, Refusal.GIT, Refusal.LEAVE)  # which agent it is matters
_FORMS = (
    (None, r"\A[^\n]*(?:shellenv|profile|zshrc|bashrc|zshenv|zlogin)\b[\w.]*: (?:line )?\d+:"),  # of a shell's start
    (Refusal.PORT, r"(?:bind|listen|socket)\b.{0,80}\b(?:operation not permitted|EPERM|permission denied)"),
    (
        Refusal.NETWORK,
        r"\bno such host\b|\bcould not resolve host|\bENOTFOUND\b|\bname resolution\b|\bnetwork is unreachable\b",
    ),
    (
        Refusal.SIGNING,
        r"agent refused operation|gpg failed to sign|failed to sign the data|couldn't sign message"
        r"|signing failed|No pinentry|^fatal: failed to write commit object",
    ),
    (Refusal.GIT, rf"\.git/[^\n]{{0,200}}{_DENIED}"),
    (Refusal.LEAVE, _DENIED),
)
_COMPILED = tuple((refusal, regex(form, re.IGNORECASE | re.MULTILINE)) for refusal, form in _FORMS)
_MUST_BE_ALLOWED_LATER = (Refusal.NETWORK, Refusal.SIGNING, Refusal.GIT, Refusal.LEAVE)
_WORDS = {
    Refusal.NETWORK: "{programs} found no network here in {name}, and the same call worked later: if the sandbox has"
    " none, ask at once to run it outside.",
    Refusal.PORT: "What opens a port ({programs}) is refused in the sandbox of {name} here: ask at once to run it"
    " outside. Where asking is not allowed, it says nothing about the code.",
    Refusal.SIGNING: "{programs} signs with a key that may be locked here (the signing agent refuses): ask the user to"
    " unlock it and wait, then run the same again; change nothing else.",
    Refusal.GIT: "The sandbox of {name} cannot write below `.git` here ({programs}): ask at once to run it outside.",
    Refusal.LEAVE: "{programs} is refused at first by the sandbox of {name} here: ask at once to run it outside.",
}


class RefusedCall(Seen, frozen=True, kw_only=True, omit_defaults=True):
    signature: str
    program: str


class Refusals:
    name = "refusals"
    version = 6
    minimum_stories = 2
    seen = RefusedCall
    _causes = frozenset(Refusal) - _OF_THE_MOMENT

    def see(self, digest: Digest) -> Iterable[Grouped[RefusedCall]]:
        calls = (call for failure in digest.failures for call in self._refused(digest, failure))
        return unique(calls, lambda call: (call.group, call.seen.signature))

    def conclude(self, group: str, sightings: Sequence[Sighting[RefusedCall]]) -> Iterable[Draft]:
        kind, _, name = group.partition("\n")
        refusal = Refusal(kind)
        repos = by_repo(sightings)
        agents = {sighting.session.agent for sighting in sightings}
        if len(repos) >= _TWO and len(agents) == 1:
            repos = {Scope(ScopeKind.AGENT, agents.pop()): in_order(sightings)}
        for scope, same in repos.items():
            yield from self._draft(refusal, name, scope, same)

    def _refused(self, digest: Digest, failure: Failure) -> Iterator[Grouped[RefusedCall]]:
        error = digest.steps[failure.at].error
        refusal = next((refusal for refusal, form in _COMPILED if form.search(error)), None)
        is_call = failure.failure is FailureClass.ENVIRONMENT and command_at(digest.steps, failure.at)
        if refusal is None or refusal not in self._causes or not is_call or _INVENTED.search(error):
            return
        if refusal in _MUST_BE_ALLOWED_LATER and failure.resolution is not ResolutionKind.RETRIED:
            return
        program = failure.signature.partition(": ")[0]
        name = "" if refusal is Refusal.SIGNING else digest.agent
        excerpt = error.partition("\n")[0][:_EXCERPT]
        call = RefusedCall(at=failure.at, excerpt=excerpt, signature=failure.signature, program=program)
        yield Grouped(f"{refusal}\n{name}", call)

    def _draft(
        self, refusal: Refusal, name: str, scope: Scope, same: Sequence[Sighting[RefusedCall]]
    ) -> Iterator[Draft]:
        words = _sentence(refusal, name, same)
        if words:
            signatures = commonest_signatures(sighting.seen.signature for sighting in same)
            yield Draft(
                harvester=self.name,
                key=(refusal, name) if name else (refusal,),
                scope=scope,
                category=Category.FACT,
                sentence=sentence(words),
                channel=Channel.OUTCOME,
                triggers=tuple(Trigger(signature=signature) for signature in signatures),
                evidence=tuple(evidence_of(sighting, Channel.OUTCOME) for sighting in same),
                agents=(name,) if refusal in _SANDBOXED else (),
                takes=RIGHTS if refusal in _SANDBOXED else "",
            )


class RefusedForNow(Refusals):
    """That a sandbox has no network and guards some files, agents are told; which command is refused depends on the
    moment. So it is only said when a command has failed for it."""

    name = "refused-for-now"
    minimum_stories = NEVER_ALONE
    _causes = _OF_THE_MOMENT


def _sentence(refusal: Refusal, name: str, same: Sequence[Sighting[RefusedCall]]) -> str:
    programs = rank_counts(
        story_counts((seen.program, session.story) for session, seen in same if not reads_like_a_sentence(seen.program))
    )
    shown = ", ".join(filter(None, (quote(program, 30) for program in programs[:_SHOWN])))
    return _WORDS[refusal].format(programs=shown, name=name) if shown else ""


class DeniedCall(Seen, frozen=True, kw_only=True, omit_defaults=True):
    """Something that was refused; or, without it, everything of that kind that ran."""

    kind: str = ""
    tool: str = ""
    what: str = ""
    ran: tuple[str, ...] = ()

    @property
    def is_telling(self) -> bool:
        return bool(self.what)


class Denials:
    name = DENIALS
    version = 3
    minimum_stories = 2
    seen = DeniedCall

    def see(self, digest: Digest) -> Iterable[Grouped[DeniedCall]]:
        if not digest.repo:
            return
        roots = roots_of(digest)
        worked = [at for at, step in enumerate(digest.steps) if step.has_worked]
        ran = {what: at for at in worked for what in _names(digest, at, roots)}
        denied = (_denial_at(digest, at, roots) for at in digest.denials)
        final = (seen for seen in denied if seen and ran.get(seen.what, -1) < (seen.at or 0))
        yield from (Grouped(digest.repo, seen) for seen in unique(final, lambda seen: seen.what))
        if ran:
            yield Grouped(digest.repo, DeniedCall(ran=tuple(ran)))

    def conclude(self, group: str, sightings: Sequence[Sighting[DeniedCall]]) -> Iterable[Draft]:
        del group
        for scope, in_repo in by_repo(sightings).items():
            by_what = group_by(in_repo, lambda sighting: (sighting.seen.kind, sighting.seen.what))
            for (_, what), same in sorted(by_what.items()):
                stories = stories_in(same)
                ran = [other for other in in_repo if what in other.seen.ran and other.session.story not in stories]
                if what and len(stories) >= _TWO and len(stories) > len(stories_in(ran)):
                    yield _denial_draft(scope, same, in_order(ran))


def _denial_at(digest: Digest, at: int, roots: frozenset[str]) -> DeniedCall | None:
    """What a refusal was about. Of a change to several files it cannot be told which one was not wanted."""
    step, names = digest.steps[at], _names(digest, at, roots)
    if len(names) != 1:
        return None
    return DeniedCall(at=at, kind=step.kind, tool=step.tool, what=names[0], excerpt=step.error[:_EXCERPT])


def _names(digest: Digest, at: int, roots: frozenset[str]) -> list[str]:
    """What a step runs, changes or asks, by the names that tell it from others; nothing where it does not count."""
    step = digest.steps[at]
    if step.kind is ActionKind.SHELL:
        names = [work_of(command_at(digest.steps, at))]
    elif step.kind in CHANGES:
        names = [folder_below(file, digest.repo, roots) or "" for file in step.files or (step.target,)]
    else:
        names = [step.target] if step.kind in _DENIABLE else []
    return [name for name in dict.fromkeys(names) if name and _is_plain(step.kind, step.tool, name)]


@lru_cache(maxsize=1024)
def _is_plain(kind: ActionKind, tool: str, name: str) -> bool:
    """Whether what was refused can be named: no page, no query and no sentence. A session does much to few things."""
    if kind is ActionKind.SHELL:
        return not reads_like_a_sentence(name)
    if kind in CHANGES:
        return is_plain_path(name)
    return is_plain_name(name) and is_plain_name(tool)


def _denial_draft(scope: Scope, same: Sequence[Sighting[DeniedCall]], ran: Sequence[Sighting[DeniedCall]]) -> Draft:
    last = same[-1].seen
    shown = quote(last.what)
    if last.kind == ActionKind.SHELL:
        words = f"{shown} was refused here more than once: ask before running it, or do without it."
        program, *rest = last.what.split()
        trigger = Trigger(program=program, words=tuple(rest))
    elif last.kind in CHANGES:
        words = f"Edits of {shown} were refused here more than once: ask before changing it."
        trigger = Trigger(path=last.what)
    else:
        words = f"{quote(last.tool)} on {shown} was refused here more than once: ask first, or do without it."
        trigger = Trigger(tool=last.tool, words=(last.what,))
    return Draft(
        harvester=Denials.name,
        key=(last.kind, last.what),
        scope=scope,
        category=Category.PITFALL,
        sentence=sentence(words),
        channel=Channel.OUTCOME,
        triggers=(trigger,),
        evidence=outcomes(same, ran),
    )
