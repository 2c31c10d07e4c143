"""What a proposal has to stand before a person sees it, and why one does not. Pure.

Every command of the whole new text is known to have succeeded in this repository's sessions, every path and every task
that it names is there, nothing contradicts what the user or the instruction files say, and it passes the gate of all
notes: no secret, nothing unsafe, no order from elsewhere, and nothing new that only a person may advise.
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from msgspec.structs import replace

from afterwit.actions.shell.project_calls import ProjectCall, calls_in
from afterwit.extras.lab.skills.evolve.command_history import CommandHistory
from afterwit.extras.lab.skills.evolve.skill_file import NamedLine, commands_in, paths_in
from afterwit.harvest.commands.power import is_tellable
from afterwit.harvest.harvester import quoted, sentence
from afterwit.knowledge.contradictions import denied_by
from afterwit.knowledge.gate import rejection
from afterwit.knowledge.host_text import HostText, where_said
from afterwit.model.knowledge import Category, Channel, Draft, Scope, ScopeKind
from afterwit.redaction.hygiene import clean, danger_in, reads_like_an_order
from afterwit.redaction.redaction import Redactor

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


def named_calls(text: str) -> frozenset[ProjectCall]:
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
            yield f"{quoted(named.text)} is not known to have succeeded in any session here."
        if named.text not in before and not is_tellable(named.text):
            yield f"{quoted(named.text)} is nothing that is advised without a person."


def _has_succeeded(named: NamedLine, history: CommandHistory) -> bool:
    return history.begins(named.fixed) if named.is_open else bool(history.record(named.text).passed)


def _of_places(new: str, look: CheckoutLook) -> Iterator[str]:
    if not look.is_there and (paths_in(new) or named_calls(new)):
        yield "This machine has no checkout in which the paths and tasks that it names could be looked up."
    yield from (f"{quoted(path)} is not there." for path in paths_in(new) if path in look.missing)
    yield from (f"{reason[:1].upper()}{reason[1:]}." for _, reason in look.gone)


def _of_words(new: str, around: TextSurroundings) -> Iterator[str]:
    for named in commands_in(new):
        draft = replace(_draft(around.repo, named.text), sentence=f"Run {quoted(named.text)}.")
        for host in (around.standing, around.host):
            denial = denied_by(draft, host)
            if denial is not None:
                where = f"{denial.passage.path}, line {denial.passage.line}" if host is around.host else "You said"
                yield f"{quoted(named.text)} is not what is wanted here. {where}: {quoted(denial.passage.text, 120)}."


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
            yield f"{quoted(named.text)}: {kept_out.words}"


def _draft(repo: str, line: str) -> Draft:
    return Draft(
        harvester=_HARVESTER,
        key=(line,),
        scope=Scope(ScopeKind.REPO, repo),
        category=Category.PATTERN,
        sentence=sentence(f"Before a commit, {quoted(line)} is run and has to pass."),
        channel=Channel.OUTCOME,
        advice=line,
    )
