"""A template as a few lines for a session that begins: which files were looked at and changed, which commands ran.

The lines are built like all that agents are shown: words of ours around plain paths, and around commands that may be
named to an agent. What tools answered, and what was searched for, is not said. A template of which too little can be
said gives nothing.
"""

from collections.abc import Iterator

from afterwit.harvest.commands.power import is_tellable
from afterwit.model.kinds import CHANGES, ActionKind
from afterwit.model.templates import LEAST_EXAMPLES, Template, ToolExample
from afterwit.redaction.shown import NOTHING, Shown, command, joined, ours, path

_HEADING = ours("How an earlier session here did a task, step by step; an example, not the task:")
_LONGEST = 1_600  # characters, a fifth of what a block may hold


def worked_example(template: Template) -> Shown:
    """The lines in one text; "" where there is too little to say."""
    lines = list(_fitting(template))
    return joined((_HEADING, *lines), "\n") if len(lines) >= LEAST_EXAMPLES else NOTHING


def _fitting(template: Template) -> Iterator[Shown]:
    room = _LONGEST - len(_HEADING)
    last = NOTHING
    for example in template.examples:
        line = _line(example)
        if line and line != last and len(line) < room:
            room -= len(line) + 1
            last = line
            yield line


def _line(example: ToolExample) -> Shown:
    if example.kind is ActionKind.SHELL:
        said = command(example.target) if is_tellable(example.target) else NOTHING
        return joined((ours("- ran "), said)) if said else NOTHING
    named = path(example.target)
    if example.kind is ActionKind.READ and named:
        return joined((ours("- read "), named))
    return joined((ours("- changed "), named)) if example.kind in CHANGES and named else NOTHING
