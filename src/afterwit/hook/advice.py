"""What an advice means for the command at hand."""

from afterwit.agents.moments import Moment
from afterwit.recall.deck.reader import Line

_CHANGE = " →"  # between what is wrong and what is right, in an advice that is no command line by itself


def meant(line: Line, moment: Moment) -> Line | None:
    """The line with its advice for this very command, where the advice is a change; None where it does not fit."""
    if _CHANGE not in line.advice:
        return line
    advice, bare = _changed(line.advice, moment)
    command = moment.command.strip()
    return line.told(line.text, advice, command if bare == command else "") if advice else None


def _changed(advice: str, moment: Moment) -> tuple[str, str]:
    """The line that the advice means, and the command without what belongs to the moment."""
    from afterwit.actions.shell.command_changes import advised, bare

    return advised(advice, moment.command, moment.output), bare(moment.command)
