"""What an item relies on, and why it is outdated once that is gone. Pure: what is gone is found by others.

An item relies on the files that it speaks of, on the paths without which it is never shown, on what the command line
that it advises calls of its project, and on the version of an agent whose quirk it is. What it warns of may well be
gone: the wrong command of a correction, the wrong path, what a sentence says not to use. A user's own words outlive
most of what they name: they are outdated when all files that they name are gone, and their sentences are not searched
for commands. Nothing of it touches belief: an item is back as it was when what it relies on returns.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from afterwit.actions.shell.command_changes import change_from
from afterwit.actions.shell.project_calls import ProjectCall, calls_in, project_calls
from afterwit.harvest.commands.proven_commands import ProvenCommands
from afterwit.model.knowledge import READ, Channel, Draft, Scope, ScopeKind, Trigger
from afterwit.model.text import regex

RETURNS = "comes back by itself when it is there again"
_RELEASES = 3  # minor releases, later or earlier, at which an agent's quirk has to be seen again
_NUMBER = regex(r"\d+")


_SAYS_COMMANDS = (READ, ProvenCommands.name)  # harvesters whose sentences tell commands that no field has
_SPAN = regex(r"`([^`]+)`")
_SENTENCE = regex(r"[.;]\s|\bbut\b")
_CLAUSE = regex(r"[:,]\s|\s[–—]\s|\s\(")
_WARNS = regex(
    r"(?i)"
    r"\b(?:not|never|no|none|cannot|instead of|rather than|without|avoid\w*|unlike|fails?|failed|broken|wrong|missing"
    r"|lacks?|removed?|deleted?|renamed?|moved?|replace[sd]?|deprecated|obsolete|old|outdated|stale|former(?:ly)?"
    r"|previous(?:ly)?|used to|gone|ignored?|forbidden|refuse[sd]?|legacy|unused|dropped?)\b|n't\b|\bdont\b",
)


class GoneSubjects(NamedTuple):
    """What does not exist any more, as far as the caller knows."""

    files: Mapping[str, frozenset[str]] = {}  # by repository
    versions: Mapping[str, str] = {}  # that each agent ran with last
    calls: Mapping[str, Mapping[ProjectCall, str]] = {}  # by repository, with the reason in words

    def is_within(self, other: "GoneSubjects") -> bool:
        """Whether the other knows of everything that is gone here."""
        return all(paths <= other.files.get(repo, frozenset()) for repo, paths in self.files.items()) and all(
            calls.items() <= other.calls.get(repo, {}).items() for repo, calls in self.calls.items()
        )


NOTHING_GONE = GoneSubjects()


class ReliantItem(Protocol):
    """Of a draft or an item, what says on what it relies."""

    @property
    def scope(self) -> Scope: ...
    @property
    def files(self) -> tuple[str, ...]: ...
    @property
    def triggers(self) -> tuple[Trigger, ...]: ...
    @property
    def advice(self) -> str: ...
    @property
    def sentence(self) -> str: ...
    @property
    def harvester(self) -> str: ...
    @property
    def channel(self) -> Channel: ...


class Reliance(NamedTuple):
    """What an item relies on in its repository."""

    files: tuple[str, ...] = ()  # it speaks of
    paths: tuple[str, ...] = ()  # without all of which it is never shown
    advised: tuple[ProjectCall, ...] = ()  # by the line to use: with one of them gone it does not run
    told: tuple[tuple[ProjectCall, ...], ...] = ()  # by each command of the sentence

    @property
    def calls(self) -> frozenset[ProjectCall]:
        return frozenset((*self.advised, *(call for calls in self.told for call in calls)))


def reliance_of(item: ReliantItem) -> Reliance:
    """Nothing for what holds in more than one repository."""
    if item.scope.kind is not ScopeKind.REPO:
        return Reliance()
    is_read, has_commands = item.harvester == READ, item.harvester in _SAYS_COMMANDS
    clauses = tuple(_clauses(item.sentence, warns_on=is_read)) if has_commands else ()
    warned = " ".join(clause.text for clause in clauses if clause.is_warning)
    is_searched = item.channel is not Channel.USER
    spans = (span for clause in clauses if is_searched and not clause.is_warning for span in clause.spans)
    return Reliance(
        files=tuple(path for path in item.files if not (is_read and path in warned)),
        paths=_paths_needed(item),
        advised=project_calls(item.advice) if item.advice else (),
        told=tuple(calls for span in spans if (calls := calls_in(span))),
    )


def _paths_needed(item: ReliantItem) -> tuple[str, ...]:
    """The paths of its triggers, if it has no others. What a change replaces is the wrong path."""
    change = change_from(item.advice)
    paths = {trigger.path for trigger in item.triggers}
    is_needed = "" not in paths and not (change and not paths.isdisjoint(change.old))
    return tuple(sorted(paths)) if is_needed else ()


class _Clause(NamedTuple):
    text: str
    spans: tuple[str, ...]  # that stand in backticks
    is_warning: bool  # it says what is not so, or not to be done


def _clauses(text: str, *, warns_on: bool) -> Iterator[_Clause]:
    """The parts of a text; what stands in backticks is not divided. `warns_on`: a warning holds to the end of its
    sentence, as in free words; the templates of harvesters are plainer."""
    spans = _SPAN.findall(text)
    for sentence in _SENTENCE.split(_SPAN.sub("\0", text.replace("\0", ""))):
        is_warning = False
        for clause in _CLAUSE.split(sentence):
            is_warning = bool(_WARNS.search(clause)) or (is_warning and warns_on)
            own, spans = spans[: clause.count("\0")], spans[clause.count("\0") :]
            yield _Clause(" ".join((clause, *own)), tuple(own), is_warning)


def gone_reason(draft: Draft, gone: GoneSubjects) -> str:
    """What the draft relies on and is gone, in words; "" where nothing is."""
    reliance, repo = reliance_of(draft), draft.scope.name
    missing, calls = gone.files.get(repo, frozenset()), gone.calls.get(repo, {})
    why = (
        _files_gone(reliance.files, missing, is_users=draft.channel is Channel.USER)
        or _paths_gone(reliance.paths, missing)
        or next((calls[call] for call in reliance.advised if call in calls), "")
        or _commands_gone(reliance.told, calls)
    )
    return f"{why}; {RETURNS}" if why else _version_gone(draft, gone)


def _files_gone(files: Sequence[str], missing: frozenset[str], *, is_users: bool) -> str:
    """Half of the files or more: an item about several places outlives one of them. A user's words outlive all but
    the last."""
    lost = [file for file in files if file in missing]
    if not lost or (len(lost) < len(files) if is_users else 2 * len(lost) < len(files)):
        return ""
    return f"`{lost[0]}` is gone from the repository"


def _paths_gone(paths: Sequence[str], missing: frozenset[str]) -> str:
    return f"`{paths[0]}` is gone from the repository" if paths and missing.issuperset(paths) else ""


def _commands_gone(told: Sequence[Sequence[ProjectCall]], missing: Mapping[ProjectCall, str]) -> str:
    """Half of the commands or more."""
    lost = [reason for calls in told if (reason := next((missing[call] for call in calls if call in missing), ""))]
    return lost[0] if lost and 2 * len(lost) >= len(told) else ""


def _version_gone(draft: Draft, gone: GoneSubjects) -> str:
    """A quirk of an agent that now has a version with which it was not seen, nor with one that is near."""
    if draft.scope.kind is not ScopeKind.AGENT or draft.scope.name not in gone.versions:
        return ""
    now = gone.versions[draft.scope.name]
    versions = [piece.session.version for piece in draft.evidence if piece.session.version and not piece.is_against]
    if not versions or _is_near([_release(version) for version in versions], _release(now)):
        return ""
    return f"seen with {draft.scope.name} {max(versions, key=_release)}, now {now}"


def _release(version: str) -> tuple[int, int]:
    """The first two numbers of a version."""
    major, minor, *_ = (*map(int, _NUMBER.findall(version)[:2]), 0, 0)
    return major, minor


def _is_near(releases: Sequence[tuple[int, int]], now: tuple[int, int]) -> bool:
    """What has outlived many releases may outlive as many more."""
    minors = [minor for major, minor in releases if major == now[0]]
    reach = max(_RELEASES, max(minors) - min(minors) + 1) if minors else 0
    return any(abs(now[1] - minor) < reach for minor in minors)
