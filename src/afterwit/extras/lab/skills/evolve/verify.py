"""What a proposal has to stand before a person sees it, and why one does not. Pure.

Every command of the whole new text is known to have succeeded in this repository's sessions, every path and every task
that it names is there, nothing contradicts what the user or the instruction files say, and it passes the gate of all
notes: no secret, nothing unsafe, no order from elsewhere, and nothing new that only a person may advise.

Known is what the log says: a success counts where the exit code was reported and the command could not fail without it.
That a command ran and complained (a red test) is no fault of it and counts for neither side. Counted are stories.

Commands of a text are the lines of shell blocks, and what stands in backticks and begins with a program that is known.
Paths are what stands in backticks and is plainly one. A word such as `<name>` or `$FILE` stands for others, so of a
command only what comes before it is looked up.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from difflib import unified_diff
from enum import StrEnum
from itertools import chain
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.project_calls import ProjectCall, calls_in
from afterwit.actions.shell.tree import Command
from afterwit.harvest.commands.harmless_table import KNOWN_NAMES
from afterwit.harvest.commands.invocations import runs_in
from afterwit.harvest.commands.power import is_tellable
from afterwit.harvest.commands.purposes import Purpose, purpose_of
from afterwit.harvest.harvester import quote, sentence
from afterwit.knowledge.contradictions import denial_of
from afterwit.knowledge.gate import rejection
from afterwit.knowledge.host_text import HostText, where_said
from afterwit.model.digest import Digest
from afterwit.model.kinds import ActionKind, FailureClass, Status
from afterwit.model.knowledge import Category, Channel, Draft, Scope, ScopeKind
from afterwit.model.text import regex
from afterwit.redaction.hygiene import clean, danger_in, reads_like_an_order
from afterwit.redaction.redaction import Redactor

_FENCE = regex(r"^\s*(?:```|~~~)\s*(?P<language>[\w+-]*)")
_SHELLS = frozenset(("", "sh", "bash", "zsh", "shell", "console", "shell-session", "terminal"))
_PROMPT = regex(r"^\s*\$\s+")
_SPAN = regex(r"`([^`\n]{2,200})`")
_ALONE = regex(r"^\s*(?:[-*+•]|\d{1,3}[.)])?\s*`[^`\n]+`[.;,]?\s*$")
_PATH = regex(r"\.?/?[\w.@+-]+(?:/[\w.@+-]+)+/?")
_OPEN = regex(r"[<>{}$…*]|\[|\.\.\.$")
_FRONT = "---"


class NamedLine(NamedTuple):
    """A command in a text."""

    text: str
    at: int  # the line, from 0
    is_alone: bool  # the line holds nothing else

    @property
    def beginning(self) -> str:
        """Its words up to the first that stands for others."""
        words = self.text.split()
        end = next((place for place, word in enumerate(words) if _OPEN.search(word)), len(words))
        return " ".join(words[:end])

    @property
    def is_open(self) -> bool:
        return self.beginning != " ".join(self.text.split())


def commands_in(text: str) -> list[NamedLine]:
    """The commands that a text names, in order. Its front matter names none."""
    return list(_commands(text))


def paths_in(text: str) -> list[str]:
    """The paths inside the repository that a text names, each once."""
    spans = (span for _, line, is_code in _lines(text) if not is_code for span in _SPAN.findall(line))
    paths = (span for span in spans if _PATH.fullmatch(span) and not span.startswith("/") and ".." not in span)
    return list(dict.fromkeys(paths))


def head_of(text: str) -> str:
    """The front matter, by which agents choose a skill; "" where there is none."""
    lines = text.split("\n")
    if lines[0].strip() != _FRONT:
        return ""
    end = next((at for at, line in enumerate(lines[1:], start=1) if line.strip() == _FRONT), 0)
    return "\n".join(lines[: end + 1]) if end else ""


def _commands(text: str) -> Iterator[NamedLine]:
    for at, line, is_code in _lines(text):
        if is_code:
            command = _PROMPT.sub("", line).strip()
            if command and not command.startswith("#"):
                yield NamedLine(command, at, is_alone=True)
            continue
        for span in _SPAN.findall(line):
            if _is_command(span):
                yield NamedLine(span, at, is_alone=bool(_ALONE.match(line)))


def _lines(text: str) -> Iterator[tuple[int, str, bool]]:
    """Lines with their numbers, and whether they are code of a shell. Code of other languages is left out."""
    language: str | None = None
    first = head_of(text).count("\n") + 1 if head_of(text) else 0
    for at, line in enumerate(text.split("\n")):
        fence = _FENCE.match(line)
        if at < first:
            continue
        if fence:
            language = fence["language"].lower() if language is None else None
        elif language is None or language in _SHELLS:
            yield at, line, language is not None


def _is_command(span: str) -> bool:
    first = parsed(span).main
    return " " in span.strip() and first is not None and first.program in KNOWN_NAMES


FEWEST_REFUSALS = 2
_COULD_NOT_RUN = (FailureClass.INVOCATION, FailureClass.ENVIRONMENT)


class StorySession(NamedTuple):
    """A session, and the story that it counts with."""

    digest: Digest
    story: str


class CommandRecord(NamedTuple):
    """How one command line went."""

    passed: frozenset[str] = frozenset()  # stories
    refused: frozenset[str] = frozenset()
    last_passed_ms: int = 0
    last_refused_ms: int = 0

    @property
    def is_dead(self) -> bool:
        """Whether it could not run in several sessions, and has not worked since."""
        return len(self.refused) >= FEWEST_REFUSALS and self.last_passed_ms < self.last_refused_ms


class CommandHistory:
    """All command lines of these sessions."""

    def __init__(self, sessions: Iterable[StorySession] = ()) -> None:
        self._records: defaultdict[str, CommandRecord] = defaultdict(CommandRecord)
        self._purposes: dict[str, Purpose] = {}
        for session in sessions:
            self._add(session)

    def record(self, line: str) -> CommandRecord:
        return self._records.get(_key(line), CommandRecord())

    def begins(self, words: str) -> bool:
        """Whether a command that is known to have succeeded begins so."""
        start = f"{_key(words)} "
        return any(record.passed and f"{line} ".startswith(start) for line, record in self._records.items())

    def best_for(self, purpose: Purpose) -> str:
        """The command that passed in most sessions for this purpose; "" where none is known."""
        fit = (line for line, own in self._purposes.items() if own is purpose and not self._records[line].is_dead)
        return max(fit, key=lambda line: (len(self._records[line].passed), line), default="")

    def _add(self, session: StorySession) -> None:
        digest, story = session
        for run in runs_in(digest):
            if run.passed and not run.form.is_part:
                self._note(run.line, story, digest.started_ms or 0, has_passed=True)
                self._purposes.setdefault(_key(run.line), run.purpose)
        for line, at_ms, has_passed in _ends(digest):
            self._note(line, story, at_ms, has_passed=has_passed)

    def _note(self, line: str, story: str, at_ms: int, *, has_passed: bool) -> None:
        before = self._records[_key(line)]
        if has_passed:
            after = before._replace(passed=before.passed | {story}, last_passed_ms=max(before.last_passed_ms, at_ms))
        else:
            after = before._replace(
                refused=before.refused | {story}, last_refused_ms=max(before.last_refused_ms, at_ms)
            )
        self._records[_key(line)] = after


def purpose_in(line: str) -> Purpose | None:
    """What a command line is run for."""
    return next((purpose for command in parsed(line).commands if (purpose := purpose_of(command))), None)


def _ends(digest: Digest) -> Iterator[tuple[str, int, bool]]:
    """The commands of a session of which is known that they succeeded, or that they could not run."""
    ends = {step.started_by: at for at, step in enumerate(digest.steps) if step.started_by is not None}
    classes = {failure.at: failure.failure for failure in digest.failures}
    for at, step in enumerate(digest.steps):
        if step.kind is not ActionKind.SHELL or step.started_by is not None:
            continue
        end = ends.get(at, at)
        line = parsed(step.target)
        at_ms = digest.started_ms or 0
        if digest.steps[end].status is Status.SUCCEEDED:
            for command in line.commands:
                if command.number in line.reporting:
                    yield _words_of(command), at_ms, True
            if not line.hides_exit:
                yield step.target, at_ms, True
        elif classes.get(end) in _COULD_NOT_RUN and line.main is not None and len(line.commands) == 1:
            yield _words_of(line.main), at_ms, False


def _words_of(command: Command) -> str:
    return " ".join(word.text for word in command.words)


def _key(line: str) -> str:
    return " ".join(line.split())


_HARVESTER = "skill-evolution"


class CheckoutLook(NamedTuple):
    """What is there of all that a text names."""

    is_there: bool = False  # whether this machine has a checkout at all
    missing: frozenset[str] = frozenset()  # paths
    gone: tuple[tuple[ProjectCall, str], ...] = ()  # with the reason in words


class TextSurroundings(NamedTuple):
    """What a text is held against."""

    repo: str
    history: CommandHistory
    host: HostText  # instruction files
    standing: HostText  # the user's standing words
    redactor: Redactor


def project_calls(text: str) -> frozenset[ProjectCall]:
    """What the commands of a text call of their project."""
    return frozenset(call for named in commands_in(text) for call in calls_in(named.text))


def refusals(old: str | None, new: str, around: TextSurroundings, look: CheckoutLook) -> tuple[str, ...]:
    """Why this text may not be offered, each reason in a sentence."""
    reasons = (
        _of_commands(old, new, around),
        _of_places(new, look),
        _of_words(new, around),
        _of_gate(old, new, around),
    )
    return tuple(dict.fromkeys(chain.from_iterable(reasons)))


def already_said(commands: Sequence[str], around: TextSurroundings) -> str:
    """Where the instruction files name all of these commands; "" where they do not."""
    passages = [where_said(_draft(around.repo, line), around.host) for line in commands]
    first = passages[0] if passages and all(passages) else None
    return f"{first.path} says it already (line {first.line})." if first else ""


def _of_commands(old: str | None, new: str, around: TextSurroundings) -> Iterator[str]:
    before = {named.text for named in commands_in(old or "")}
    for named in commands_in(new):
        if not _has_succeeded(named, around.history):
            yield f"{quote(named.text)} is not known to have succeeded in any session here."
        if named.text not in before and not is_tellable(named.text):
            yield f"{quote(named.text)} is nothing that is advised without a person."


def _has_succeeded(named: NamedLine, history: CommandHistory) -> bool:
    return history.begins(named.beginning) if named.is_open else bool(history.record(named.text).passed)


def _of_places(new: str, look: CheckoutLook) -> Iterator[str]:
    if not look.is_there and (paths_in(new) or project_calls(new)):
        yield "This machine has no checkout in which the paths and tasks that it names could be looked up."
    yield from (f"{quote(path)} is not there." for path in paths_in(new) if path in look.missing)
    yield from (f"{reason[:1].upper()}{reason[1:]}." for _, reason in look.gone)


def _of_words(new: str, around: TextSurroundings) -> Iterator[str]:
    for named in commands_in(new):
        draft = replace(_draft(around.repo, named.text), sentence=f"Run {quote(named.text)}.")
        for host in (around.standing, around.host):
            denial = denial_of(draft, host)
            if denial is not None:
                where = f"{denial.passage.path}, line {denial.passage.line}" if host is around.host else "You said"
                yield f"{quote(named.text)} is not what is wanted here. {where}: {quote(denial.passage.text, 120)}."


def _of_gate(old: str | None, new: str, around: TextSurroundings) -> Iterator[str]:
    if around.redactor.text(new) != new:
        yield "The text holds what looks like a secret or a name: afterwit would have to keep a copy of it."
    before = set((old or "").split("\n"))
    added = "\n".join(line for line in new.split("\n") if line not in before)
    if clean(added) != added:
        yield "The new lines hold characters that nobody sees."
    danger = danger_in(added)
    if danger or reads_like_an_order(added):
        yield f"The new lines hold {danger or 'what reads like an order that no user gave'}."
    for named in commands_in(added):
        kept_out = rejection(_draft(around.repo, named.text), around.host)
        if kept_out is not None:
            yield f"{quote(named.text)}: {kept_out.words}"


def _draft(repo: str, line: str) -> Draft:
    return Draft(
        harvester=_HARVESTER,
        key=(line,),
        scope=Scope(ScopeKind.REPO, repo),
        category=Category.PATTERN,
        sentence=sentence(f"Before a commit, {quote(line)} is run and has to pass."),
        channel=Channel.OUTCOME,
        advice=line,
    )


MOST_EVIDENCE = 8
_DIGITS = 12


class ProposalKind(StrEnum):
    MISSING = "missing"  # done by hand again and again, and no skill says it
    DEGRADED = "degraded"  # got worse, or harms


class ProposalEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """One session that speaks for it."""

    agent: str
    session: str
    repo: str
    at_ms: int
    step: int | None
    excerpt: str


class SkillProposal(msgspec.Struct, frozen=True, kw_only=True):
    """Another text for a skill, or a first one. Its id is made of what it is about and of both texts, which are whole
    files: another text is another proposal."""

    kind: ProposalKind
    skill: str
    repo: str  # in which it was seen; where several are, the one with most uses
    agents: tuple[str, ...]  # that read it from these files
    paths: tuple[str, ...]  # of its file, one for each place; those below the home folder begin with `~`
    old: str | None  # None: there is no such skill
    new: str
    why: str
    changes: tuple[str, ...] = ()  # what is other in the new text, each in a sentence
    evidence: tuple[ProposalEvidence, ...] = ()
    sessions: int = 0  # independent ones behind the new text
    refusals: tuple[str, ...] = ()  # why it is not offered

    @property
    def id(self) -> str:
        told = [self.kind, self.skill, list(self.paths), self.old, self.new]
        return hashlib.sha256(msgspec.json.encode(told)).hexdigest()[:_DIGITS]

    @property
    def is_offered(self) -> bool:
        return not self.refusals

    @property
    def diff(self) -> str:
        return diff_of(self.paths[0] if self.paths else self.skill, self.old, self.new)


def diff_of(path: str, old: str | None, new: str | None) -> str:
    """What changes, as `diff -u` shows it."""
    names = (path if old is not None else "/dev/null", path if new is not None else "/dev/null")
    before, after = ((text or "").splitlines() for text in (old, new))
    return "\n".join(unified_diff(before, after, *names, lineterm=""))
