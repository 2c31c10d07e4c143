"""The commands that really run tests, lint, build and the like in a repository, where they are worth knowing.

One item a repository. What anybody would try first is no knowledge: it is drafted only if at least one command takes
long, runs in another folder, is a task of the project's own runner, or came after another form that could not run; then
all are shown that two stories ran and that users do not name themselves. A check must have been seen to complain or to
take long. All commands, whether worth
knowing or not, are kept by `plain_commands` for the moment in which another one cannot run.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from afterwit.actions.shell.programs import names
from afterwit.harvest.commands.forms import (
    CHECKS,
    PURPOSES,
    Choice,
    CommandsSeen,
    choices_of,
    evidence_for,
    forms_in,
    shown_duration,
)
from afterwit.harvest.commands.invocations import runs_in
from afterwit.harvest.commands.power import is_tellable
from afterwit.harvest.commands.purposes import Purpose
from afterwit.harvest.files.file_wording import fitted, shown_repo
from afterwit.harvest.harvester import Grouped
from afterwit.harvest.wording import quoted
from afterwit.model.digest import Digest
from afterwit.model.knowledge import Category, Channel, Draft, Scope, ScopeKind, Sighting

_CALLED = {
    Purpose.TEST: "tests",
    Purpose.LINT: "lint",
    Purpose.TYPES: "types",
    Purpose.CHECK: "all checks",
    Purpose.BUILD: "build",
    Purpose.MEND: "lint fixes",
    Purpose.FORMAT: "format",
    Purpose.RUN: "start",
}
_RUNNERS = names("make gmake mise just task rake invoke inv tox nox bazel bazelisk buck2 pants")
_STORIES = 2
_MOST = 5
_LONG_S = 60.0
_SHOWN_S = 5.0


class _Proven(NamedTuple):
    """The best command for a purpose, and another that was tried for it and could not run."""

    purpose: Purpose
    best: Choice
    instead_of: Choice | None

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
        return f"{_CALLED[self.purpose]} {quoted(self.best.line)}{ending}"


class ProvenCommands:
    name = "proven-commands"
    version = 4
    seen = CommandsSeen
    minimum_stories = _STORIES

    def see(self, digest: Digest) -> Iterable[Grouped[CommandsSeen]]:
        forms = forms_in(digest, runs_in(digest)) if digest.repo else {}
        if forms:
            every = tuple(form for some in forms.values() for form in some)
            said = "\n".join((digest.task, *(prompt.text for prompt in digest.prompts)))
            asked = tuple(dict.fromkeys(form.text for form in every if form.text in said))
            yield Grouped(digest.repo, CommandsSeen(at=every[0].at, excerpt=every[0].text, forms=every, asked=asked))

    def conclude(self, group: str, sightings: Sequence[Sighting[CommandsSeen]]) -> Iterable[Draft]:
        proven = list(_proven(sightings))[:_MOST]
        if not any(one.is_worth_knowing for one in proven):
            return
        begin, *further = [one.text for one in proven]
        ending = "" if any(one.best.folder for one in proven) else "; from the repository's root"
        tests = next((one.best.line for one in proven if one.purpose is Purpose.TEST), proven[0].best.line)
        yield Draft(
            harvester=self.name,
            key=("commands",),
            scope=Scope(ScopeKind.REPO, group),
            category=Category.FACT,
            sentence=fitted(f"In {shown_repo(group)}: {begin}", (f", {text}" for text in further), ending),
            channel=Channel.OUTCOME,
            advice=tests,
            evidence=tuple(evidence_for([one.best for one in proven], sightings)),
        )


def _proven(sightings: Sequence[Sighting[CommandsSeen]]) -> Iterator[_Proven]:
    """For each purpose the best command, if two stories ran it and, being a check, it was seen to complain."""
    for purpose in PURPOSES:
        whole = sorted(
            (choice for choice in choices_of(sightings, purpose) if not choice.is_part and is_tellable(choice.line)),
            key=lambda one: one.rank,
        )
        fit = [one for one in whole if one.is_reliable and one.stories >= _STORIES]
        best = next((one for one in fit if purpose not in CHECKS or _checks_something(one)), None)
        if best is not None and not _is_asked_for(best, sightings):
            failed = [one for one in whole if one.refused >= _STORIES and not one.is_reliable]
            yield _Proven(purpose, best, max(failed, key=lambda one: (one.refused, one.text), default=None))


def _is_asked_for(best: Choice, sightings: Sequence[Sighting[CommandsSeen]]) -> bool:
    """Whether the user mostly names the command: then nothing was found out."""
    stories = {sighting.session.story for sighting in sightings if best.text in sighting.seen.asked}
    return 2 * len(stories) >= best.stories


def _checks_something(one: Choice) -> bool:
    """Whether a check was seen to complain, or to work for long."""
    return one.complained > 0 or (one.seconds or 0) >= _LONG_S
