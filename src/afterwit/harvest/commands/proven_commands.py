"""The commands that run tests, lint, build and the like in a repository, one item, where they are worth knowing.

What anybody would try first is no knowledge: told is a command that takes long, runs in another folder, is a task of
the project's own runner, or came after another form that could not run. Two stories must have seen it succeed, and
users must not name it themselves. A check must have been seen to complain or to take long.

Only runs that are known to have succeeded speak for a form of a command. One that failed speaks against it, except that
a check may complain of the code: that is its work. A project's own task goes before the tool behind it.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from afterwit.actions.shell.programs import names
from afterwit.harvest.commands.invocations import CommandRun, line_in, runs_in
from afterwit.harvest.commands.power import is_tellable
from afterwit.harvest.commands.purposes import Purpose
from afterwit.harvest.harvester import Grouped, evidence_of, fit_sentence, group_by, in_order, quote, quote_repo
from afterwit.model.digest import Digest
from afterwit.model.knowledge import Category, Channel, Draft, Evidence, Scope, ScopeKind, Seen, Sighting

CHECKS = frozenset((Purpose.TEST, Purpose.LINT, Purpose.TYPES, Purpose.CHECK))
PURPOSES = {
    Purpose.TEST: "tests",
    Purpose.LINT: "lint",
    Purpose.TYPES: "types",
    Purpose.CHECK: "all checks",
    Purpose.BUILD: "build",
    Purpose.MEND: "lint fixes",
    Purpose.FORMAT: "format",
    Purpose.RUN: "start",
}
"""What a repository's commands are told for, and how that is said before the command."""
_TASKS = names(
    "make gmake mise just task npm pnpm yarn bun deno rake composer turbo nx invoke inv tox nox hatch pdm poetry"
)
OWN_TASK_COUNTS = 2.0  # times
_MOST_FORMS = 4  # of one purpose, a session
_LEAST_RELIABLE = 0.5
_RUNNERS = names("make gmake mise just task rake invoke inv tox nox bazel bazelisk buck2 pants")
_STORIES = 2
_MOST = 5
_LONG_S = 60.0


class FormSeen(msgspec.Struct, frozen=True, array_like=True):
    """The runs of one form of a command in one session."""

    text: str
    folder: str
    is_part: bool
    ran: int  # succeeded, or complained of the code where that is its work
    could_not: int
    seconds: float | None
    at: int
    complained: int = 0  # of the code
    purpose: str = ""
    passed: int = 0  # known to have succeeded


class CommandsSeen(Seen, frozen=True, kw_only=True):
    """The commands that a session ran, those of each purpose the commonest first."""

    forms: tuple[FormSeen, ...] = ()
    asked: tuple[str, ...] = ()  # those that a prompt of the session names


class CommandChoice(NamedTuple):
    """One form of a command, over all sessions."""

    text: str
    folder: str
    is_part: bool
    stories: int  # in which it succeeded
    refused: int  # stories in which it could not
    ran: int
    could_not: int
    complained: int
    seconds: float | None

    @property
    def line(self) -> str:
        return line_in(self.folder, self.text)

    @property
    def is_reliable(self) -> bool:
        return self.stories > 0 and self.ran / (self.ran + self.could_not) >= _LEAST_RELIABLE

    @property
    def rank(self) -> tuple[float, int, str, str]:
        return -self.stories * (OWN_TASK_COUNTS if is_own_task(self.text) else 1.0), -self.ran, self.text, self.folder


def is_own_task(line: str) -> bool:
    """Whether a command runs a task that the project itself has named."""
    command = line.rpartition(" && ")[2]
    return next((word for word in command.split() if "=" not in word), "") in _TASKS


def forms_in(digest: Digest) -> dict[str, list[FormSeen]]:
    """The forms that a session ran for each purpose."""
    reported = {rule.at for rule in digest.rules}
    counting = (run for run in runs_in(digest) if run.ran is not None and run.purpose in PURPOSES)
    runs = group_by(counting, lambda run: (run.purpose, run.form.text, run.folder))
    forms = group_by((_form(same, reported) for same in runs.values()), lambda form: form.purpose)
    return {
        purpose: sorted(same, key=lambda form: (form.is_part, -form.ran, form.at))[:_MOST_FORMS]
        for purpose, same in forms.items()
    }


def choices_of(sightings: Sequence[Sighting[CommandsSeen]], purpose: Purpose) -> list[CommandChoice]:
    """The forms that were seen for a purpose, the best first."""
    forms = ((session.story, form) for session, seen in sightings for form in seen.forms if form.purpose == purpose)
    by_form = group_by(forms, lambda pair: (pair[1].text, pair[1].folder))
    return sorted(map(_choice, by_form.values()), key=lambda choice: choice.rank)


def evidence_for(chosen: Sequence[CommandChoice], sightings: Sequence[Sighting[CommandsSeen]]) -> tuple[Evidence, ...]:
    """Where one of these forms succeeded, and where none of those tried could run."""
    wanted = {(choice.text, choice.folder) for choice in chosen}
    return tuple(piece for sighting in in_order(sightings) for piece in _evidence(sighting, wanted))


def _evidence(sighting: Sighting[CommandsSeen], wanted: Collection[tuple[str, str]]) -> Iterator[Evidence]:
    forms = [form for form in sighting.seen.forms if (form.text, form.folder) in wanted]
    passed = (form for form in forms if form.passed)
    shown = next(passed, None) or next((form for form in forms if form.could_not and not form.ran), None)
    if shown is not None:
        ended = "succeeded" if shown.passed else "could not run"
        at = msgspec.structs.replace(sighting.seen, at=shown.at, excerpt=f"{shown.text} → {ended}")
        yield evidence_of(sighting._replace(seen=at), Channel.OUTCOME, is_against=not shown.passed)


def duration_words(seconds: float) -> str:
    minute = 60
    return f"{max(1, round(seconds))} s" if seconds < 2 * minute else f"{round(seconds / minute)} min"


def _form(runs: Sequence[CommandRun], reported: set[int]) -> FormSeen:
    first = next((run for run in runs if run.passed), runs[0])
    times = [run.duration_ms / 1000 for run in runs if run.ran and run.duration_ms]
    return FormSeen(
        text=first.form.text,
        folder=first.folder,
        is_part=first.form.is_part,
        ran=sum(map(_has_done_its_work, runs)),
        could_not=sum(run.passed is False and not _has_done_its_work(run) for run in runs),
        seconds=round(_median(times), 1) if times else None,
        at=first.at,
        complained=sum(bool(run.ran) and (run.passed is False or run.at in reported) for run in runs),
        purpose=str(first.purpose),
        passed=sum(run.passed is True for run in runs),
    )


def _has_done_its_work(run: CommandRun) -> bool:
    return run.passed is True or (run.ran is True and run.passed is False and run.purpose in CHECKS)


def _choice(same: Sequence[tuple[str, FormSeen]]) -> CommandChoice:
    forms = [form for _, form in same]
    times = [form.seconds for form in forms if form.seconds]
    return CommandChoice(
        text=forms[0].text,
        folder=forms[0].folder,
        is_part=forms[0].is_part,
        stories=len({story for story, form in same if form.passed}),
        refused=len({story for story, form in same if form.could_not and not form.ran}),
        ran=sum(form.ran for form in forms),
        could_not=sum(form.could_not for form in forms),
        complained=sum(form.complained for form in forms),
        seconds=_median(times) if times else None,
    )


def _median(times: Iterable[float]) -> float:
    from statistics import median  # slow to load, and a hook of an activity needs none

    return median(times)


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
        facts = [f"about {duration_words(self.best.seconds or 0)}"] if self.takes_long else []
        facts += [f"not {quote(self.instead_of.line, 40)}"] if self.instead_of else []
        ending = f" ({', '.join(facts)})" if facts else ""
        return f"{PURPOSES[self.purpose]} {quote(self.best.line)}{ending}"


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
            sentence=fit_sentence(f"In {quote_repo(group)}: {begin}", (f", {text}" for text in further)),
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
