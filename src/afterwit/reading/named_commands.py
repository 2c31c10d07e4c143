"""Commands that a sentence names: what between backticks can be run, and what of that may be told. Pure.

Of what nobody but an agent, a tool or a file said, a command is told only if it is ordinary, the user typed it, or it
was run in the session. A message between backticks is no command, and needs nobody's leave.
"""

import re
from collections.abc import Collection, Iterable, Sequence

from afterwit.actions.shell.parse import parsed
from afterwit.harvest.commands.power import UNKNOWN, is_tellable, power_of
from afterwit.harvest.commands.power_table import KNOWN_NAMES
from afterwit.model.kinds import Status
from afterwit.reading.lines import SessionLine, Speaker
from afterwit.reading.marks import PLACEHOLDER, SPAN, holds

_ADVISED = re.compile(r"\b(?:run|use|call|execute|try|start|invoke|type|install)(?:ning|s)?[:\s]+$", re.IGNORECASE)
_NAME = re.compile(r"[a-z./~][\w./~-]*")
_FLAG = re.compile(r"\s--?[A-Za-z]|\s(?:\||&&|;)\s|\$\(")
_UNGUARDED = re.compile(r"--(?:no-verify|yolo|insecure|privileged|full-auto|dangerous\w*(?:-\w+)*|skip-permissions)\b")


def untold_commands(sentence: str, sent: Sequence[SessionLine]) -> list[str]:
    """What a sentence names and no agent may be told without a person: commands that the user did not type, that are
    not ordinary, and that did not work here; and flags that take a guard away."""
    typed = [line for line in sent if line.speaker is Speaker.USER]
    strange = [mark for mark in commands_in(sentence, sent) if not is_tellable(_spelled(mark))]
    strange += [match[0] for match in _UNGUARDED.finditer(sentence)]
    return [mark for mark in strange if not any(holds(line.text, mark) for line in typed) and not _is_done(mark, sent)]


def commands_in(sentence: str, sent: Sequence[SessionLine]) -> list[str]:
    """What stands between backticks and can be run: it is said to be, it begins with a program that is known or was
    called here, or it looks like a call. Messages and pieces of code are none."""
    called = _called(sent)
    spans = ((match, " ".join(match[1].split())) for match in SPAN.finditer(sentence))
    return [span for match, span in spans if " " in span and _is_call(span, sentence[: match.start()], called)]


def _is_call(span: str, before: str, called: Collection[str]) -> bool:
    if _ADVISED.search(before):
        return True
    first = next((command.program for command in parsed(span).commands if command.program), "")
    if first in KNOWN_NAMES or first in called:
        return True
    return _NAME.fullmatch(span.split(maxsplit=1)[0]) is not None and _FLAG.search(span) is not None


def _called(sent: Sequence[SessionLine]) -> frozenset[str]:
    """The programs that the session called."""
    lines = (line.text.removeprefix("$ ").rpartition(" → ")[0] for line in sent if line.speaker is Speaker.ACTION)
    return frozenset(command.program for line in lines for command in parsed(line).commands)


def _spelled(mark: str) -> str:
    """A command without its gaps."""
    return PLACEHOLDER.sub("x", mark)


def _is_done(mark: str, sent: Iterable[SessionLine]) -> bool:
    """Whether a command worked here, or was tried and can do nothing that is known to need a person."""
    ran = [line for line in sent if line.speaker is Speaker.ACTION and holds(line.text, mark)]
    return any(line.status is Status.SUCCEEDED for line in ran) or (
        bool(ran) and power_of(_spelled(mark)) in ("", UNKNOWN)
    )


def has_worked(mark: str, sent: Iterable[SessionLine]) -> bool:
    """Whether a command was run here with success."""
    return any(
        line.speaker is Speaker.ACTION and line.status is Status.SUCCEEDED and holds(line.text, mark) for line in sent
    )
