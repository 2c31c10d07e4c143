"""What the commands about shares have in common: exit codes, and how changes are shown."""

from collections.abc import Sequence

from afterwit.cli.commands import ExitCode
from afterwit.cli.terminal.output import print_line, print_text, talk
from afterwit.extras.team.folder import BadLine
from afterwit.extras.team.push import SharedChange
from afterwit.model.figures import human_count

EXITS = {
    ExitCode.FAILED: "The answer was no, nobody answered, or git or the store failed.",
    ExitCode.PARTLY_DONE: "Some lines of the share cannot be read.",
}
_SHOWN = 20


def show_changes(changes: Sequence[SharedChange]) -> None:
    for change in changes[:_SHOWN]:
        by = f" by {change.by}" if change.by else ""
        print_text(f"{change.id} {change.change}{by}: {change.fact}", first="  ", rest="      ")
    if len(changes) > _SHOWN:
        print_line(f"  … and {human_count(len(changes) - _SHOWN)} more; --json lists all")


def warn_of(bad: Sequence[BadLine]) -> None:
    for row in bad[:_SHOWN]:
        where = f"{row.file}, line {row.line}" if row.line else row.file
        talk(f"{where}: {row.reason}. It was passed over, and left as it is.")
