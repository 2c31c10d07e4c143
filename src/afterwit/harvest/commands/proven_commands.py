"""The commands that run tests, lint, build and the like in a repository, one item, where they are worth knowing.

What anybody would try first is no knowledge: told is a command that takes long, runs in another folder, is a task of
the project's own runner, or came after another form that could not run. Two stories must have seen it succeed, and
users must not name it themselves. A check must have been seen to complain or to take long.
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
from afterwit.harvest.harvester import Grouped
from afterwit.harvest.wording import fitted, quoted, shown_repo
from afterwit.model.digest import Digest
from afterwit.model.knowledge import Category, Channel, Draft, Scope, ScopeKind, Sighting

_RUNNERS = names("make gmake mise just task rake invoke inv tox nox bazel bazelisk buck2 pants")
_STORIES = 2
_MOST = 5
_LONG_S = 60.0


class _Proven(NamedTuple):
    """The best command for a purpose, and another that was tried for it and could not run."""

    purpose: Purpose
    best: CommandChoice
    instead_of: CommandChoice | None

    @property
    def is_worth_knowing(self) -> bool:
        is_own = self.best.text.split()[0] in _RUNNERS
        return self.takes_long or is_own or bool(self.best.folder) or self.instead_of is not None

    @property
    def takes_long(self) -> bool:
        return (self.best.seconds or 0) >= _LONG_S

    @property
    def text(self) -> str:
        facts = [f"about {shown_duration(self.best.seconds or 0)}"] if self.takes_long else []
        facts += [f"not {quoted(self.instead_of.line, 40)}"] if self.instead_of else []
        ending = f" ({', '.join(facts)})" if facts else ""
        return f"{PURPOSES[self.purpose]} {quoted(self.best.line)}{ending}"


class ProvenCommands:
    name = "proven-commands"
    version = 6
    seen = CommandsSeen
    minimum_stories = _STORIES

    def see(self, digest: Digest) -> Iterable[Grouped[CommandsSeen]]:
        every = tuple(form for forms in (forms_in(digest) if digest.repo else {}).values() for form in forms)
        if every:
            said = "\n".join((digest.task, *(prompt.text for prompt in digest.prompts)))
            asked = tuple(dict.fromkeys(form.text for form in every if form.text in said))
            yield Grouped(digest.repo, CommandsSeen(at=every[0].at, excerpt=every[0].text, forms=every, asked=asked))

    def conclude(self, group: str, sightings: Sequence[Sighting[CommandsSeen]]) -> Iterable[Draft]:
        proven = [command for command in _proven(sightings) if command.is_worth_knowing][:_MOST]
        if not proven:
            return
        begin, *further = [command.text for command in proven]
        advised = next((command for command in proven if command.purpose is Purpose.TEST), proven[0])
        yield Draft(
            harvester=self.name,
            key=("commands",),
            scope=Scope(ScopeKind.REPO, group),
            category=Category.FACT,
            sentence=fitted(f"In {shown_repo(group)}: {begin}", (f", {text}" for text in further)),
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
