"""Root causes in the agent's words, where a later success of the same session bears them out.

A cause is worth keeping when it speaks of how something *is*: a tool, a library, a platform. One that speaks of the
code under repair is gone with the repair. So a cause is taken if it is told in the present tense, names what it is
about, does not begin with a piece of code at work, and names nothing that the session itself changed; and if something
had failed before it was said and was seen to work afterwards, in a session that ended well.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from afterwit.actions.checks import is_checking
from afterwit.actions.shell.parse import parse
from afterwit.harvest.harvester import Grouped
from afterwit.harvest.stated.recurrence import matters
from afterwit.harvest.stated.statements import Stated, StatedBy, is_general, stated, statements
from afterwit.model.digest import Digest, DigestStep, Said
from afterwit.model.kinds import ActionKind, Lean, Outcome, Status
from afterwit.model.knowledge import Category, Draft, Scope, ScopeKind, Sighting
from afterwit.text.patterns import regex

_MOST = 3
_NAME_LENGTH = 7
_PREAMBLE = regex(
    r"^(?:(?:the )?(?:actual |real |underlying |root )*(?:problem|issue|reason|cause|culprit|bug)\b(?:[^:—`]{0,40}(?::"
    r"|—)|(?: here)? (?:is|was)(?: that)?)|(?:and )?(?:it )?turns out(?: that)?|(?:confirmed|found it)\s*:)\s*",
    re.IGNORECASE,
)
_BECAUSE = regex(
    r"\b(?:fails?|breaks?|happens|hangs|crashes|is rejected|are rejected|errors?) (?:only )?because\b", re.IGNORECASE
)
_PRESENT = regex(
    r"`[^`]+` (?:\w+ )?(?!is\b|was\b)[a-z]{3,}(?<!s)s\b|"
    r"\b(?:does|do)(?: not|n't) (?:support|accept|allow|throw|work|expose|pass|read|take|return|set|include|follow"
    r"|handle|wait|fail|exit|inherit|expand|propagate|match|see|load|run|reject|honou?r|respect|know|have|exist|update"
    r"|install|create|apply|resolve)\b"
    r"|\b(?:requires?|needs|expects?|captures?|strips?|registers?|flags?|reads|returns|ignores?|falls back|defaults? to"
    r"|rejects?|overrides?|uses|treats?|caches?|splits?|prints|runs|waits|resolves|is (?:cancelled|read|keyed|missing"
    r"|not|only|required|case-sensitive|ignored|overridden|cached)|are (?:not|only|ignored|cached)|can(?:not|'t)|must"
    r"|only works?|truncates?|blocks?|times out|exits?)\b",
    re.IGNORECASE,
)
_OWN = regex(
    r"\b(?:i|i'm|i'll|i’m|i’ll|we|our|my|me|was|were|wasn't|weren't|had|did|didn't|fix|fixed|patch|pr|likely|probably"
    r"|maybe|might|could|seems?|if|speculation|suspect|would|test asserts)\b",
    re.IGNORECASE,
)
_AT_WORK = regex(r"`[^`]*\w\([^)`]+\)")
_NAMED = regex(r"`[^`\s]{2,}[^`]*`|\b[A-Z][\w.+-]*[a-z]\w*\b.*\b[A-Z]|\b\w+(?:[-_.]\w+)+\b")


class RootCauses:
    """Causes that were found and borne out."""

    name = "root-causes"
    version = 2
    minimum_stories = 2
    seen = Stated

    def see(self, digest: Digest) -> Iterable[Grouped[Stated]]:
        if not digest.repo or digest.verdict.outcome is not Outcome.SUCCESS:
            return []
        return [Grouped(digest.repo, seen) for seen in islice(_causes(digest), _MOST)]

    def conclude(self, group: str, sightings: Sequence[Sighting[Stated]]) -> Iterable[Draft]:
        scope = Scope(ScopeKind.REPO, group)
        return [matter.draft(self.name, scope, Category.PITFALL) for matter in matters(sightings)]


def is_lasting_cause(text: str) -> bool:
    """Whether a sentence tells of a cause that lies outside the code being mended."""
    cause = _PREAMBLE.sub("", text)
    if (cause == text and not _BECAUSE.search(text)) or not is_general(cause) or _AT_WORK.match(cause):
        return False
    return bool(_PRESENT.search(cause) and _NAMED.search(cause)) and not _OWN.search(cause)


def _causes(digest: Digest) -> Iterator[Stated]:
    changed = _changed(digest)
    for said in digest.stated:
        for text in () if said.is_person else statements(said.text):
            if not is_lasting_cause(text) or changed.intersection(re.findall(r"\w+", text.lower())):
                continue
            success = _success_after(digest, said)
            if success is not None:
                cause = _PREAMBLE.sub("", text)
                yield stated(cause[0].upper() + cause[1:], StatedBy.AGENT, said.at_ms, success)


def _success_after(digest: Digest, said: Said) -> int | None:
    """The check whose passing bears out what was said: the first afterwards, or else the last before, behind a failure
    in each case. Causes are often told when the work is done."""
    if said.at_ms is None or digest.started_ms is None or not digest.failures:
        return None
    when_s = (said.at_ms - digest.started_ms) // 1000
    failed_at = min(failure.at for failure in digest.failures)
    passed = [at for at in range(failed_at + 1, len(digest.steps)) if _has_passed(digest.steps[at])]
    after = (at for at in passed if (digest.steps[at].at_s or 0) >= when_s)
    return next(after, passed[-1] if passed else None)


def _has_passed(step: DigestStep) -> bool:
    if step.kind is not ActionKind.SHELL or not (step.status is Status.SUCCEEDED or step.lean is Lean.FINE):
        return False
    return any(is_checking(command) for command in parse(step.target).commands)


def _changed(digest: Digest) -> frozenset[str]:
    """Names of what the session changed: files without their endings, and what they define; plain words are no
    names."""
    files = [file for file in digest.files if file.changes]
    stems = (file.path.rpartition("/")[2].partition(".")[0] for file in files)
    names = (*stems, *(name for file in files for name in file.symbols))
    return frozenset(name.lower() for name in names if len(name) >= _NAME_LENGTH or not name.isalpha())
