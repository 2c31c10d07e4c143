"""How commands went in the sessions of a repository: known successes, and calls that could not run. Pure.

Known is what the log says: a success counts where the exit code was reported and the command could not fail without it;
that nothing was complained of is not enough. That a command ran and complained (a red test) is no fault of it and
counts for neither side. Counted are independent sessions, by their stories.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.tree import Command
from afterwit.harvest.commands.invocations import runs_in
from afterwit.harvest.commands.purposes import Purpose, purpose_of
from afterwit.model.digest import Digest
from afterwit.model.kinds import ActionKind, FailureClass, Status

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
                    yield _written(command), at_ms, True
            if not line.hides_exit:
                yield step.target, at_ms, True
        elif classes.get(end) in _COULD_NOT_RUN and line.main is not None and len(line.commands) == 1:
            yield _written(line.main), at_ms, False


def _written(command: Command) -> str:
    return " ".join(word.text for word in command.words)


def _key(line: str) -> str:
    return " ".join(line.split())
