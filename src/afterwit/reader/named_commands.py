"""Commands that a sentence names, and which of them only a person may grant. Pure.

What a command can do is asked first (`harvest.commands.spoken`), and that it worked here changes nothing in that. Of
what nobody but an agent, a tool or a file said, an ordinary command that the sentence says to run is told only if the
user typed it, or it was run in the session. A message between backticks is no command, and needs nobody's leave.
"""

from collections.abc import Iterable, Sequence

from afterwit.actions.shell.parse import parsed
from afterwit.harvest.commands.power import is_tellable
from afterwit.harvest.commands.spoken import PLACEHOLDER, calls_in, power_in, program_of
from afterwit.reader.lines import SessionLine, Speaker
from afterwit.reader.marks import holds


def untold_commands(sentence: str, sent: Sequence[SessionLine]) -> list[str]:
    """What a sentence names and no agent may be told without a person. What was run is known in plain words too."""
    ran = (line.text.removeprefix("$ ").rpartition(" → ")[0] for line in sent if line.text.startswith("$ "))
    calls = (call for call in ran if " " in call and holds(sentence, call) and not is_tellable(call))
    powerful = power_in(sentence, _called(sent)) or next(calls, "")
    typed = [line for line in sent if line.speaker is Speaker.USER]
    advised = [call for call, is_advised in calls_in(sentence, _called(sent)) if is_advised]
    strange = (call for call in advised if not any(holds(line.text, call) for line in typed))
    return [*filter(None, [powerful]), *(call for call in strange if call != powerful and not _runs_of(call, sent))]


def commands_in(sentence: str, sent: Sequence[SessionLine]) -> list[str]:
    return [call for call, _ in calls_in(sentence, _called(sent))]


def _called(sent: Sequence[SessionLine]) -> frozenset[str]:
    """The programs that the session called."""
    return frozenset(program for line in sent if line.speaker is Speaker.ACTION for program in _programs(line))


def _programs(line: SessionLine) -> frozenset[str]:
    """The programs that an action called, and those that they wrap; not what stands in their arguments."""
    commands = parsed(line.text.removeprefix("$ ").rpartition(" → ")[0]).commands
    return frozenset(name for command in commands for name in (command.program, *command.wrappers))


def _runs_of(mark: str, sent: Iterable[SessionLine]) -> list[SessionLine]:
    """The actions that ran a command: one that merely names it in a message, such as that of a commit, did not."""
    program = program_of(PLACEHOLDER.sub("x", mark))
    return [
        line
        for line in sent
        if line.speaker is Speaker.ACTION and holds(line.text, mark) and (not program or program in _programs(line))
    ]
