"""What models have already distilled: messages of commits and pull requests, compaction summaries, last replies.

Most of it tells what was changed, which the history of the repository tells as well. Taken is what stays true of the
code and is not seen in it: something that must or must never be, or is so on purpose, with its reason. Told in the
present tense, in a whole sentence, about a thing that has a name. A sentence without its reason gets the one after it,
or is left out; so is what was published from another repository. The words are those of an agent.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from afterwit.actions.shell.parse import parsed
from afterwit.harvest.commands.invocations import folder_below, roots_of
from afterwit.harvest.harvester import Grouped
from afterwit.harvest.stated.recurrence import first_statements, matters
from afterwit.harvest.stated.statements import Stated, StatedBy, is_general, stated, statements, with_reason
from afterwit.model.digest import Digest, DigestStep
from afterwit.model.kinds import NoteKind, Outcome
from afterwit.model.knowledge import Category, Draft, Scope, ScopeKind, Sighting

_MOST = 4
_NORM = re.compile(
    r"\b(?:must(?: not| never| be| stay| remain)?|never|always|cannot|can't|only (?:works?|when|if|because)"
    r"|deliberately|intentionally|on purpose|by design|required|not allowed|has to|have to|needs? to)\b",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(?:because|since|so that|so (?:the|a|an|it|we|that|every|any|callers?|users?)|otherwise|to avoid|to keep"
    r"|to prevent|rather than|instead of|which is why|as (?:it|they|the)|or (?:it|the))\b",
    re.IGNORECASE,
)
_INTENT = re.compile(
    r"\b(?:deliberately|intentionally|on purpose|by design)\b|^(?:callers?|anyone|whoever)\b.*\bmust\b", re.IGNORECASE
)
_TOLD = re.compile(
    r"\b(?:was|were|wasn't|weren't|had|did|didn't|used to|became|previously|formerly|before this|old|new|added?|adds"
    r"|fix(?:ed|es)?|removed?|removes|changed|changes|moved|renamed?|introduces?|replaced?|replaces|updated?|now"
    r"|no longer|asserts?|tests?|tested|verif\w+|covers|regression|i|i'm|i've|we've|my|our|pr|commit|root cause"
    r"|unaffected|unchanged|left alone|out of scope|copied|oversold|refactor\w*|drop(?:s|ped)?|switch(?:ed|es)?"
    r"|follow-?up|review\w*|got|went|ran|failed|broke|showed)\b"
    r"|(?<!is )(?<!are )(?<!be )\b(?:never|always|only|silently) \w+ed\b",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"^(?:\w+(?:\([\w-]+\))?: )?(?:use|make|let|allow|keep|pass|return|guard|handle|document|clarify|prefer|ensure"
    r"|avoid|set|show|hide|skip|read|write|run|bump|pin|tee|push|split|merge|extract|inline|wire|thread|surface|expose"
    r"|support|teach|stop|do|mention|point|treat|report|display|render|include|exclude|move|try|test)\b",
    re.IGNORECASE,
)
_SPEAKERS = {NoteKind.COMMIT: StatedBy.COMMIT, NoteKind.PULL: StatedBy.PULL}


class Distilled:
    """Lasting sentences of texts that an agent wrote for others to read."""

    name = "distilled"
    version = 2
    minimum_stories = 2
    seen = Stated

    def see(self, digest: Digest) -> Iterable[Grouped[Stated]]:
        return first_statements(digest.repo, _sentences(digest) if digest.repo else (), _MOST)

    def conclude(self, group: str, sightings: Sequence[Sighting[Stated]]) -> Iterable[Draft]:
        for matter in matters(sightings):
            category = Category.PITFALL if matter.is_negative else Category.FACT
            yield matter.draft(self.name, Scope(ScopeKind.REPO, group), category)


def is_lasting(text: str) -> bool:
    """Whether a sentence says what has to be, and why, rather than what was done."""
    if not _NORM.search(text) or not _REASON.search(text):
        return False
    if _TOLD.search(text) or _ORDER.search(text) or not (text[0].isupper() or text[0] == "`"):
        return False
    return text.endswith((".", ")", "!")) and is_general(text)


def _sentences(digest: Digest) -> Iterator[Stated]:
    roots = roots_of(digest)
    for publication in digest.publications:
        step = digest.steps[publication.at] if publication.at < len(digest.steps) else None
        if step is not None and _is_elsewhere(step, digest.repo, roots):
            continue
        at_s = step.at_s if step is not None else None
        at_ms = None if digest.started_ms is None else digest.started_ms + 1000 * (at_s or 0)
        for text in _lasting(publication.text, is_wrapped=publication.kind is NoteKind.COMMIT):
            yield stated(text, _SPEAKERS.get(publication.kind, StatedBy.AGENT), at_ms, publication.at)
    for summary in digest.summaries:
        yield from (stated(text, StatedBy.SUMMARY, digest.ended_ms) for text in _lasting(summary))
    if digest.verdict.outcome is Outcome.SUCCESS:
        yield from (stated(text, StatedBy.ENDING, digest.ended_ms) for text in _lasting(digest.ending))


def _lasting(text: str, *, is_wrapped: bool = False) -> Iterator[str]:
    """The sentences that last; one that is so on purpose with the reason that follows it."""
    last = ""
    for statement in statements(text, is_wrapped=is_wrapped):
        whole = with_reason(text, statement, is_wrapped=is_wrapped) if _INTENT.search(statement) else statement
        if is_lasting(whole) and statement not in last:
            last = whole
            yield whole


def _is_elsewhere(step: DigestStep, repo: str, roots: frozenset[str]) -> bool:
    """Whether something was published from a folder outside of the repository."""
    folders = [command.folder for command in parsed(step.target).commands if command.program in ("git", "gh")]
    return any(folder_below(folder, repo, roots) is None for folder in folders[-1:])
