"""The forms in which a repository's sessions run their commands, and what speaks for each.

Only runs that are known to have succeeded speak for a form. One that failed speaks against it, except that a check may
complain of the code: that is its work. One of which nobody knows how it ended says nothing. A check is proven only once
it was seen to complain: one that never does may check nothing. A project's own task goes before the tool behind it.
Which forms are worth telling is up to the harvesters.
"""

from collections.abc import Collection, Iterator, Sequence
from statistics import median
from typing import NamedTuple

import msgspec

from afterwit.actions.shell.programs import names
from afterwit.harvest.commands.invocations import CommandRun, line_in, runs_in
from afterwit.harvest.commands.purposes import Purpose
from afterwit.harvest.harvester import evidence_of, grouped_by, in_order
from afterwit.model.digest import Digest
from afterwit.model.knowledge import Channel, Evidence, Seen, Sighting

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
    runs = grouped_by(counting, lambda run: (run.purpose, run.form.text, run.folder))
    forms = grouped_by((_form(same, reported) for same in runs.values()), lambda form: form.purpose)
    return {
        purpose: sorted(same, key=lambda form: (form.is_part, -form.ran, form.at))[:_MOST_FORMS]
        for purpose, same in forms.items()
    }


def choices_of(sightings: Sequence[Sighting[CommandsSeen]], purpose: Purpose) -> list[CommandChoice]:
    """The forms that were seen for a purpose, the best first."""
    forms = ((session.story, form) for session, seen in sightings for form in seen.forms if form.purpose == purpose)
    by_form = grouped_by(forms, lambda pair: (pair[1].text, pair[1].folder))
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


def shown_duration(seconds: float) -> str:
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
        seconds=round(median(times), 1) if times else None,
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
        seconds=median(times) if times else None,
    )
