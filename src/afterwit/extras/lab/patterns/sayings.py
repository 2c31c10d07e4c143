"""How patterns are said: for every kind a title and what to do, sentences of ours with a few plain names in them.

Nothing else comes from sessions: no message of a tool, no masked signature. What the names do not allow to be said is
no pattern.
"""

from collections.abc import Callable
from typing import NamedTuple

from afterwit.extras.lab.patterns.pattern import PatternSide
from afterwit.extras.lab.patterns.signals import SignalKind, Subject
from afterwit.harvest.harvester import quoted, shown_repo
from afterwit.model.knowledge import SENTENCE_LIMIT

_K = SignalKind


class PatternWords(NamedTuple):
    title: str
    text: str
    triggers: tuple[str, ...] = ()
    repo: str = ""  # where it holds, if it holds in one place only
    side: PatternSide = PatternSide.PROBLEM


def said(subject: Subject) -> PatternWords | None:
    """The pattern in words; None where its names cannot be said."""
    names = subject.names
    words = _SAYINGS[subject.kind](*names) if all(map(quoted, names)) else None
    return words if words is not None and max(len(words.title), len(words.text)) <= SENTENCE_LIMIT else None


def _word_unknown(command: str, what: str, word: str) -> PatternWords:
    return PatternWords(
        f"{quoted(command)} is called with the {what} {quoted(word)}, which it does not know.",
        f"Do not give {quoted(command)} the {what} {quoted(word)}; its help says what it takes.",
        (f"command:{command}",),
    )


def _name_unknown(what: str, name: str) -> PatternWords:
    return PatternWords(
        f"{_article(what)} named {quoted(name)} is called, and there is none.",
        f"Do the work of {quoted(name)} with other tools: there is no {what} of that name.",
    )


def _article(what: str) -> str:
    return f"{'An' if what[:1] in 'aeiouM' else 'A'} {what}"


def _program_missing(program: str) -> PatternWords:
    return PatternWords(
        f"{quoted(program)} is not installed where sessions call it.",
        f"Look for {quoted(program)} with `command -v` before using it, or call it by its whole path.",
        (f"command:{program}",),
    )


def _not_permitted(command: str) -> PatternWords:
    return PatternWords(
        f"{quoted(command)} is stopped with “operation not permitted”.",
        f"Ask for the permission that {quoted(command)} needs before running it: in a sandbox a second try fails, too.",
        (f"command:{command}",),
    )


def _commit_refused(repo: str, step: str) -> PatternWords:
    return PatternWords(
        f"In {shown_repo(repo)}, checks refuse the {step} that was meant to end the work.",
        f"Run the repository's checks before `git {step}`, not through it.",
        (f"command:git {step}",),
        repo,
    )


def _left_failing(repo: str, command: str) -> PatternWords:
    return PatternWords(
        f"In {shown_repo(repo)}, sessions end while {quoted(command)} still fails.",
        f"Run {quoted(command)} once more before ending, and say so plainly if it fails.",
        (f"command:{command}",),
        repo,
    )


def _command_turned_down(command: str) -> PatternWords:
    return PatternWords(
        f"The user does not let {quoted(command)} run.",
        f"Ask before running {quoted(command)}, and say what it is for.",
        (f"command:{command}",),
    )


def _checked_commit(repo: str, command: str) -> PatternWords:
    return PatternWords(
        f"In {shown_repo(repo)}, {quoted(command)} passes after the last change and before the commit.",
        f"Run {quoted(command)} after the last change and before a commit.",
        ("command:git commit",),
        repo,
        PatternSide.SUCCESS,
    )


def _checks_in_order(repo: str, *commands: str) -> PatternWords:
    order = ", then ".join(quoted(command) for command in commands)
    return PatternWords(
        f"In {shown_repo(repo)}, work is committed after {order}.",
        f"Before a commit, run {order}.",
        ("command:git commit",),
        repo,
        PatternSide.SUCCESS,
    )


_SAYINGS: dict[SignalKind, Callable[..., PatternWords]] = {
    _K.WORD_UNKNOWN: _word_unknown,
    _K.NAME_UNKNOWN: _name_unknown,
    _K.PROGRAM_MISSING: _program_missing,
    _K.NOT_PERMITTED: _not_permitted,
    _K.COMMIT_REFUSED: _commit_refused,
    _K.LEFT_FAILING: _left_failing,
    _K.COMMAND_TURNED_DOWN: _command_turned_down,
    _K.CHECKED_COMMIT: _checked_commit,
    _K.CHECKS_IN_ORDER: _checks_in_order,
}
