"""The commands that really run tests, lint, build and the like in a repository.

**ProvenCommands**, one item a repository, where they are worth knowing. What anybody would try first is no knowledge:
it is drafted only if at least one command takes long, runs in another folder, is a task of the project's own runner, or
came after another form that could not run; then all are shown that two stories ran and that users do not name
themselves. A check must have been seen to complain or to take long.

**PlainCommands**, one item a repository and purpose: the best command with how often it ran, how long it takes and from
which folder, and at most one other. Mostly these are what anybody would try first, so they never stand by themselves;
recall quotes them after a command of the same purpose that could not run.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from afterwit.actions.shell.programs import names
from afterwit.harvest.commands.forms import (
    CHECKS,
    PURPOSES,
    CommandChoice,
    CommandsSeen,
    choices_of,
    evidence_for,
    forms_in,
    shown_duration,
)
from afterwit.harvest.commands.power import is_tellable
from afterwit.harvest.commands.purposes import Purpose
from afterwit.harvest.harvester import NEVER_ALONE, Grouped
from afterwit.harvest.wording import fitted, quoted, sentence, shown_repo
from afterwit.model.digest import Digest
from afterwit.model.knowledge import Category, Channel, Draft, Scope, ScopeKind, Sighting, Trigger

_OTHER_IS_COMMON = 0.25  # of the stories of the best
_MOST_TRIGGERS = 3
_RUNNERS = names("make gmake mise just task rake invoke inv tox nox bazel bazelisk buck2 pants")
_STORIES = 2
_MOST = 5
_LONG_S = 60.0
_SHOWN_S = 5.0


class _Proven(NamedTuple):
    """The best command for a purpose, and another that was tried for it and could not run."""

    purpose: Purpose
    best: CommandChoice
    instead_of: CommandChoice | None

    @property
    def is_worth_knowing(self) -> bool:
        takes_long = self.best.seconds is not None and self.best.seconds >= _LONG_S
        is_own = self.best.text.split()[0] in _RUNNERS
        return takes_long or is_own or bool(self.best.folder) or self.instead_of is not None

    @property
    def text(self) -> str:
        takes = self.best.seconds if self.best.seconds and self.best.seconds >= _SHOWN_S else None
        facts = [f"about {shown_duration(takes)}"] if takes else []
        facts += [f"not {quoted(self.instead_of.line, 40)}"] if self.instead_of else []
        ending = f" ({', '.join(facts)})" if facts else ""
        return f"{PURPOSES[self.purpose][0]} {quoted(self.best.line)}{ending}"


class ProvenCommands:
    name = "proven-commands"
    version = 4
    seen = CommandsSeen
    minimum_stories = _STORIES

    def see(self, digest: Digest) -> Iterable[Grouped[CommandsSeen]]:
        every = tuple(form for forms in (forms_in(digest) if digest.repo else {}).values() for form in forms)
        if every:
            said = "\n".join((digest.task, *(prompt.text for prompt in digest.prompts)))
            asked = tuple(dict.fromkeys(form.text for form in every if form.text in said))
            yield Grouped(digest.repo, CommandsSeen(at=every[0].at, excerpt=every[0].text, forms=every, asked=asked))

    def conclude(self, group: str, sightings: Sequence[Sighting[CommandsSeen]]) -> Iterable[Draft]:
        proven = list(_proven(sightings))[:_MOST]
        if not any(command.is_worth_knowing for command in proven):
            return
        begin, *further = [command.text for command in proven]
        ending = "" if any(command.best.folder for command in proven) else "; from the repository's root"
        advised = next((command for command in proven if command.purpose is Purpose.TEST), proven[0])
        yield Draft(
            harvester=self.name,
            key=("commands",),
            scope=Scope(ScopeKind.REPO, group),
            category=Category.FACT,
            sentence=fitted(f"In {shown_repo(group)}: {begin}", (f", {text}" for text in further), ending),
            channel=Channel.OUTCOME,
            advice=advised.best.line,
            evidence=evidence_for([command.best for command in proven], sightings),
        )


def _proven(sightings: Sequence[Sighting[CommandsSeen]]) -> Iterator[_Proven]:
    """For each purpose the best command, if two stories ran it and, being a check, it was seen to complain."""
    for purpose in PURPOSES:
        choices = choices_of(sightings, purpose)
        whole = [choice for choice in choices if not choice.is_part and is_tellable(choice.line)]
        fit = (choice for choice in whole if choice.is_reliable and choice.stories >= _STORIES)
        best = next((choice for choice in fit if purpose not in CHECKS or _checks_something(choice)), None)
        if best is not None and not _is_asked_for(best, sightings):
            failed = [choice for choice in whole if choice.refused >= _STORIES and not choice.is_reliable]
            instead_of = max(failed, key=lambda choice: (choice.refused, choice.text), default=None)
            yield _Proven(purpose, best, instead_of)


def _is_asked_for(best: CommandChoice, sightings: Sequence[Sighting[CommandsSeen]]) -> bool:
    """Whether the user mostly names the command: then nothing was found out."""
    stories = {sighting.session.story for sighting in sightings if best.text in sighting.seen.asked}
    return 2 * len(stories) >= best.stories


def _checks_something(choice: CommandChoice) -> bool:
    """Whether a check was seen to complain, or to work for long."""
    return choice.complained > 0 or (choice.seconds or 0) >= _LONG_S


class PlainCommands:
    name = "plain-commands"
    version = 2
    seen = CommandsSeen
    minimum_stories = NEVER_ALONE

    def see(self, digest: Digest) -> Iterable[Grouped[CommandsSeen]]:
        for purpose, forms in (forms_in(digest) if digest.repo else {}).items():
            seen = CommandsSeen(at=forms[0].at, excerpt=forms[0].text, forms=tuple(forms))
            yield Grouped(f"{digest.repo}\n{purpose}", seen)

    def conclude(self, group: str, sightings: Sequence[Sighting[CommandsSeen]]) -> Iterable[Draft]:
        repo, _, named = group.partition("\n")
        purpose = Purpose(named)
        choices = [choice for choice in choices_of(sightings) if choice.is_reliable and is_tellable(choice.line)]
        best = _best(purpose, [choice for choice in choices if not choice.is_part])
        if best is None or not quoted(best.text):
            return
        yield Draft(
            harvester=self.name,
            key=(str(purpose),),
            scope=Scope(ScopeKind.REPO, repo),
            category=Category.FACT,
            sentence=sentence(_said(repo, purpose, best, _other(best, choices))),
            channel=Channel.OUTCOME,
            triggers=_cannot_run(choices, sightings),
            advice=best.line,
            evidence=evidence_for([best], sightings),
        )


def _best(purpose: Purpose, whole: Sequence[CommandChoice]) -> CommandChoice | None:
    """The first; of checks rather one that was seen to complain."""
    telling = (choice for choice in whole if choice.complained or purpose not in CHECKS)
    return next(telling, whole[0] if whole else None)


def _other(best: CommandChoice, choices: Sequence[CommandChoice]) -> CommandChoice | None:
    """Another whole command that many use, else how a part is run where that is not the same command."""
    common = [
        choice
        for choice in choices
        if choice.text != best.text and choice.stories >= max(_STORIES, best.stories * _OTHER_IS_COMMON)
    ]
    whole = next((choice for choice in common if not choice.is_part), None)
    return whole or next((choice for choice in common if _head(choice.text) != _head(best.text)), None)


def _head(text: str) -> list[str]:
    return [word for word in text.split() if not word.startswith("-") and "=" not in word][:2]


def _said(repo: str, purpose: Purpose, best: CommandChoice, other: CommandChoice | None) -> str:
    runs = best.ran + best.could_not
    all_ran = "1 run" if runs == 1 else f"{runs} runs"
    facts = [f"ran in {best.ran} of {runs} tries" if best.could_not else all_ran]
    if best.seconds is not None:
        facts.append(f"about {shown_duration(best.seconds)}")
    place = f"from {quoted(best.folder)}" if best.folder else "from the repository's root"
    text = f"In {shown_repo(repo)}, {PURPOSES[purpose][1]} {quoted(best.text)} {place} ({', '.join(facts)})"
    if other is not None and quoted(other.text):
        text += f"; {'a part of it' if other.is_part else 'also used'}: {quoted(other.text)}"
        text += f" in {quoted(other.folder)}" if other.folder and other.folder != best.folder else ""
    return f"{text}."


def _cannot_run(choices: Sequence[CommandChoice], sightings: Sequence[Sighting[CommandsSeen]]) -> tuple[Trigger, ...]:
    """What was tried for the same purpose and could not run: the item helps there."""
    tried = {form.text for _, seen in sightings for form in seen.forms if not form.is_part}
    failed = tried - {choice.text for choice in choices}
    words = [text.split() for text in sorted(failed)[:_MOST_TRIGGERS]]
    return tuple(Trigger(program=first.rpartition("/")[2], words=tuple(rest)) for first, *rest in words)
