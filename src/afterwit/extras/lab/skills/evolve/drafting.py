"""The texts of versions, made by rule: a first one from a procedure, the next one from what history says of the old.

Sentences are fixed; commands in them are quoted, and each passed the gate. The head of a skill (its name and its
description) stays as it is from version to version: by it agents choose the skill, so sessions use either version
equally often and can be compared. Pure.
"""

from collections.abc import Sequence
from typing import NamedTuple

from afterwit.extras.lab.skills.evolve.command_history import CommandHistory, purpose_in
from afterwit.extras.lab.skills.evolve.skill_file import NamedLine, commands_in
from afterwit.harvest.commands.power import is_tellable
from afterwit.harvest.harvester import quoted
from afterwit.redaction.shown import Shown, command, figure, joined, name, ours
from afterwit.repos.remotes import last_part

_HEADING = "## Checks that passed here, in this order"
_INTRO = "Run them from the root of the repository, and go on once each has passed:"


class FirstVersion(NamedTuple):
    """What a new skill says."""

    about: str  # in plain words, for its name
    description: Shown
    body: Shown


class NextVersion(NamedTuple):
    """Another text for a skill, and what is other in it."""

    content: str  # of the user's own file: a person looks at it before it is written
    changes: tuple[str, ...]
    refusals: tuple[str, ...] = ()  # what nothing could be done about


def first_version(repo: str, commands: Sequence[str]) -> FirstVersion | None:
    """A skill that says which checks to run before a commit, in which order; None where it cannot be said."""
    shown = [command(line) for line in commands]
    place = name(last_part(repo))
    if not place or not all(shown):
        return None
    description = joined(
        (
            ours("Which checks to run before a commit in the repository "),
            place,
            ours(", in the order in which they passed in earlier sessions. Use it before committing there."),
        )
    )
    body = joined(
        (
            joined((ours("# Before a commit in "), place)),
            ours("Run these from the root of the repository, in this order, and go on once each has passed:"),
            _numbered(shown),
            ours("Then commit. If one fails, mend that before going on; do not skip it."),
        ),
        "\n\n",
    )
    return FirstVersion(f"{place} commit checks", description, body)


def next_version(text: str, history: CommandHistory, steps: Sequence[str]) -> NextVersion:
    """The text with commands that no longer run replaced or left out, and with the steps that sessions took after it by
    hand, if it does not name them."""
    lines: list[str | None] = list(text.split("\n"))
    changes: list[str] = []
    refusals: list[str] = []
    for named in commands_in(text):
        if history.record(named.text).is_dead:
            _mend(lines, named, history, changes, refusals)
    kept = "\n".join(line for line in lines if line is not None)
    missing = [step for step in steps if step not in kept]
    if missing and steps:
        kept = f"{kept.rstrip()}\n\n{_section(steps)}\n"
        changes.append(f"names {', '.join(map(quoted, missing))}, which sessions ran by hand after it and which passed")
    return NextVersion(kept, tuple(changes), tuple(refusals))


def _mend(
    lines: list[str | None], named: NamedLine, history: CommandHistory, changes: list[str], refusals: list[str]
) -> None:
    line, purpose = lines[named.at], purpose_in(named.text)
    better = history.best_for(purpose) if purpose else ""
    if line is None:
        return
    if better and better != named.text and is_tellable(better):
        lines[named.at] = line.replace(named.text, better)
        changes.append(f"{quoted(better)} instead of {quoted(named.text)}, which no longer runs")
    elif named.is_alone:
        lines[named.at] = None
        changes.append(f"without {quoted(named.text)}, which no longer runs")
    else:
        refusals.append(f"{quoted(named.text)} no longer runs, and nothing is known that does the same.")


def _section(steps: Sequence[str]) -> Shown:
    return joined((ours(_HEADING), ours(_INTRO), _numbered([command(step) for step in steps])), "\n\n")


def _numbered(shown: Sequence[Shown]) -> Shown:
    return joined((joined((figure(at), ours(". "), line)) for at, line in enumerate(shown, start=1)), "\n")
