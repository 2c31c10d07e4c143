"""Failures as signals: brought together by what went wrong, whichever agent, tool or system worded it.

Taken is what a later session could do otherwise. Tests, lint and compilers that report what is being written are the
work itself; they count where a session ends with them, or where a commit was refused because of them. Failures that
pass by themselves, were cancelled or are an answer are left out, and so is every message that has no name to say.
"""

import re
from collections.abc import Iterator

from msgspec.structs import replace

from afterwit.actions.shell.parse import parsed
from afterwit.harvest.commands.invocations import command_at, excerpt_of, runs_in, work_of
from afterwit.harvest.commands.purposes import purpose_of
from afterwit.harvest.signals.signal import Occurrence, SignalKind, Subject
from afterwit.model.digest import Digest, DigestStep, Failure
from afterwit.model.kinds import ActionKind, FailureClass, ResolutionKind
from afterwit.model.text import regex
from afterwit.redaction.plain_names import is_plain_name, reads_like_a_sentence

_PASSING = (FailureClass.CANCELLED, FailureClass.ANSWER, FailureClass.TRANSIENT)
_PUBLISHING = ("commit", "push")
_BY_PERSON = regex(
    r"user (?:doesn't want|does not want|rejected|denied|declined)|rejected by (?:the )?user", re.IGNORECASE
)
_UNKNOWN_WORD = regex(
    r"(?:unrecognized|unknown|invalid|no such|unexpected)\s+(?P<what>subcommand|command|option|flag|argument|switch)"
    r"s?:?\s+['\"`]*(?P<word>-{0,2}[\w][\w:.-]{0,40})",
    re.IGNORECASE,
)
_UNKNOWN_NAME = regex(
    r"\b(?:unknown|no such|invalid)\s+(?P<what>skill|agent type|subagent type|MCP server)\b:?\s+"
    r"['\"`\\]*(?P<name>[\w:.@/-]{2,60})",
    re.IGNORECASE,
)
_MISSING_PROGRAM = regex(r"command not found: (?P<name>[\w.+-]{1,40})\Z")
_ASKED = frozenset(("option", "flag", "switch"))


def mishaps(digest: Digest) -> Iterator[Occurrence]:
    """Every failure of a session that can be said, once for each time."""
    for failure in digest.failures:
        subject = _subject(digest, failure)
        if subject is not None:
            yield _occurrence(digest, failure, subject)


def _occurrence(digest: Digest, failure: Failure, subject: Subject) -> Occurrence:
    return Occurrence(
        subject,
        at=failure.at,
        excerpt=_excerpt(digest.steps[failure.at]),
        actions=1 if failure.by is None else failure.by - failure.at,
        is_failure=True,
        is_mended=failure.resolution is not ResolutionKind.UNRESOLVED,
    )


def _excerpt(step: DigestStep) -> str:
    """What was called and what came of it; of what a person turned down, the words of that person."""
    return excerpt_of(replace(step, error=step.said) if step.said else step).removeprefix(" → ")


def _subject(digest: Digest, failure: Failure) -> Subject | None:
    if failure.failure in _PASSING:
        return None
    if failure.failure is FailureClass.DENIED:
        return _turned_down(digest, failure.at)
    if failure.failure is FailureClass.WORK:
        return _of_work(digest, failure)
    return _unknown(digest, failure) or _not_there(digest, failure)


def _turned_down(digest: Digest, at: int) -> Subject | None:
    command = _command(digest, at) if _BY_PERSON.search(digest.steps[at].error) else ""
    return Subject(SignalKind.COMMAND_TURNED_DOWN, (command,)) if command else None


def _of_work(digest: Digest, failure: Failure) -> Subject | None:
    """A commit or push that a check refused, or a check that the session left failing."""
    commands = parsed(command_at(digest.steps, failure.at)).commands
    steps = (command.subcommand.partition(" ")[0] for command in commands if command.program == "git")
    step = next((word for word in steps if word in _PUBLISHING), "")
    if step and digest.repo and any(rule.at == failure.at for rule in digest.rules):
        return Subject(SignalKind.COMMIT_REFUSED, (digest.repo, step))
    is_check = any(purpose_of(command) for command in commands) and not step
    command = _command(digest, failure.at) if is_check and digest.repo and _is_left(digest, failure) else ""
    return Subject(SignalKind.LEFT_FAILING, (digest.repo, command)) if command else None


def _is_left(digest: Digest, failure: Failure) -> bool:
    """Whether nothing that came later can have been the end of it: no check that passed or whose end is hidden, and no
    commit. That the same command was not run again is not enough: another may have shown the same."""
    is_published = any(told.at > failure.at for told in digest.publications)
    is_checked = any(run.at > failure.at for run in runs_in(digest))
    return failure.resolution is ResolutionKind.UNRESOLVED and not is_published and not is_checked


def _unknown(digest: Digest, failure: Failure) -> Subject | None:
    """A word that a program does not know, or a name that a tool of the agent does not."""
    step = digest.steps[failure.at]
    named = _UNKNOWN_NAME.search(step.error)
    if named:
        name = named["name"].rstrip(".")
        return Subject(SignalKind.NAME_UNKNOWN, (named["what"].lower(), name)) if is_plain_name(name) else None
    head, _, message = failure.signature.partition(": ")
    match = _UNKNOWN_WORD.search(message) if step.kind is ActionKind.SHELL else None
    if match is None:
        return None
    what, word = match["what"].lower(), match["word"].rstrip(".:")
    is_fit = _is_plain(head) and is_plain_name(word.lstrip("-")) and (what not in _ASKED or word.startswith("-"))
    return Subject(SignalKind.WORD_UNKNOWN, (head, what, word)) if is_fit else None


def _not_there(digest: Digest, failure: Failure) -> Subject | None:
    """What the machine lacks or does not allow."""
    if failure.failure is not FailureClass.ENVIRONMENT:
        return None
    match = _MISSING_PROGRAM.search(failure.signature)
    if match:
        return Subject(SignalKind.PROGRAM_MISSING, (match["name"],)) if is_plain_name(match["name"]) else None
    is_refused = "operation not permitted" in digest.steps[failure.at].error.lower()
    command = _command(digest, failure.at) if is_refused else ""
    return Subject(SignalKind.NOT_PERMITTED, (command,)) if command else None


def _command(digest: Digest, at: int) -> str:
    """The program behind a step and its subcommand, where they can be named."""
    command = work_of(command_at(digest.steps, at))
    return command if _is_plain(command) else ""


def _is_plain(command: str) -> bool:
    return bool(command) and all(map(is_plain_name, command.split())) and not reads_like_a_sentence(command)
