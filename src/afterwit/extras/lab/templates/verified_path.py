"""Which actions of a session lead to what it achieved: those that succeeded, without dead ends and repetitions.

A dead end is whatever did not succeed for certain, a poll, a call that only keeps house (plans, subagents), a change
that was taken back or lies outside the repository, and a look around that led to no change where others did. What is
left is chosen from the end backwards: the last check that passed and the last commit, then the files that were worked
on most, each with the look that led to it, then other checks and commands. Pure; the order is that of the session.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from afterwit.actions.activities import activities_of, has_check
from afterwit.actions.failures.excerpt import is_failing
from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.programs import Weight
from afterwit.actions.shell.tree import Command
from afterwit.model.kinds import CHANGES, ActionKind, Activity, Status, Step

_KINDS = frozenset((*CHANGES, *(ActionKind(name) for name in ("shell", "read", "search", "web", "mcp"))))
_LOOKS = frozenset((ActionKind.READ, ActionKind.SEARCH))
_PUBLISHES = frozenset((Activity.COMMIT, Activity.PUSH, Activity.REVIEW))
_ELSEWHERE = ("/", "~")  # how paths begin that are not below the repository
_LEAST_NAME = 3  # characters of a file's name that tell anything where they turn up


class PathStep(NamedTuple):
    """A step with the text of its result."""

    step: Step
    result: str

    @property
    def is_verified(self) -> bool:
        """Whether it certainly worked, and does something by itself. An exit code that is only an answer shows nothing,
        and neither does a command behind a wrapper that ends well whatever the output tells of failures."""
        step = self.step
        is_done = step.status is Status.SUCCEEDED and not step.exit_code and step.started_by is None
        is_shell = step.kind is ActionKind.SHELL
        return is_done and step.kind in _KINDS and not (is_shell and not self.is_look and is_failing(self.result))

    @property
    def is_look(self) -> bool:
        """Whether it only looks."""
        if self.step.kind is not ActionKind.SHELL:
            return self.step.kind in _LOOKS
        main = parsed(self.step.target).main
        return main is not None and main.weight < Weight.WORKS

    @property
    def is_check(self) -> bool:
        return self.step.kind is ActionKind.SHELL and has_check(self.step.target)

    @property
    def publishes(self) -> bool:
        return not _PUBLISHES.isdisjoint(activities_of(self.step.kind, self.step.target))


def verified_path(steps: Sequence[PathStep], most: int) -> list[int]:
    """The places of at most so many steps that show how the session got there."""
    undone = set(_undone(steps))
    kept = [at for at, step in enumerate(steps) if step.is_verified and at not in undone]
    everywhere = [at for at in kept if steps[at].step.has_changed]
    # without files elsewhere, such as an agent's own plans, unless there are no others
    inside = [at for at in everywhere if not all(path.startswith(_ELSEWHERE) for path in steps[at].step.files)]
    changes = inside or everywhere
    ranked = _rank(steps, kept, changes) if changes else reversed(_unique(steps, kept))
    return sorted(list(dict.fromkeys(ranked))[:most])


def _rank(steps: Sequence[PathStep], kept: Sequence[int], changes: Sequence[int]) -> Iterator[int]:
    """The places, the most telling first."""
    last = changes[-1]
    checks = [at for at in kept if steps[at].is_check]
    commits = [at for at in kept if steps[at].publishes]
    yield from (at for at in checks[-1:] if at > last)
    yield from (at for at in commits[-1:] if at > last)
    looks = [at for at in kept if steps[at].is_look]
    worked_on = Counter(path for at in changes for path in steps[at].step.files)
    for path, _ in worked_on.most_common():
        own = [at for at in changes if path in steps[at].step.files]
        yield own[-1]
        yield from _looks_at(steps, looks, path, own[0])
    others = [at for at in kept if not steps[at].step.has_changed and at not in looks]
    yield from reversed(_unique(steps, others))


def _looks_at(steps: Sequence[PathStep], looks: Sequence[int], path: str, before: int) -> Iterator[int]:
    """The last look before the first change that names the file, and the first one that showed it."""
    name = path.rpartition("/")[2]
    if len(name) < _LEAST_NAME:
        return
    earlier = [at for at in looks if at < before]
    yield from [at for at in earlier if name in steps[at].step.target][-1:]
    yield from [at for at in earlier if name in steps[at].result][:1]


def _unique(steps: Sequence[PathStep], places: Sequence[int]) -> list[int]:
    """Of calls that were made again in the same words, the last."""
    last = {(steps[at].step.tool, steps[at].step.target): at for at in places}
    return sorted(last.values())


def _undone(steps: Sequence[PathStep]) -> Iterator[int]:
    """Changes that a later command took back, and that command."""
    committed = 0
    for at, path_step in enumerate(steps):
        step = path_step.step
        if step.kind is not ActionKind.SHELL or not step.has_worked:
            continue
        for command in parsed(step.target).commands:
            taken = _reverted_paths(command)
            if taken is None:
                continue
            before = [place for place in range(committed, at) if steps[place].step.has_changed]
            gone = [place for place in before if _is_covered(steps[place].step, taken)]
            yield from gone
            if gone:
                yield at
        if Activity.COMMIT in activities_of(step.kind, step.target):
            committed = at


def _reverted_paths(command: Command) -> tuple[str, ...] | None:
    """The paths whose changes a command takes back, "." for all of them; None where it takes back none."""
    words = tuple(word for word in command.arguments if not word.startswith("-") and word != command.subcommand)
    if command.program == "rm":
        return words
    if command.program != "git":
        return None
    if command.subcommand == "reset":
        return (".",) if "--hard" in command.flags else None
    if command.subcommand == "restore":
        return None if "--staged" in command.flags else words
    return words if command.subcommand == "checkout" and "--" in command.arguments else None


def _is_covered(step: Step, taken: Sequence[str]) -> bool:
    """Whether all that a step changed lies under what is taken back."""
    return bool(step.files) and all(any(_is_under(path, place) for place in taken) for path in step.files)


def _is_under(path: str, place: str) -> bool:
    plain = place.removeprefix("./").rstrip("/")
    return plain in ("", ".") or path == plain or path.startswith(f"{plain}/") or path.endswith(f"/{plain}")
