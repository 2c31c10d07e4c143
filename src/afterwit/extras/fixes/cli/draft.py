"""`afterwit guards draft`: a test skeleton for a fix that nothing guards, on standard output or in a new file."""

from pathlib import Path

import click

from afterwit.cli.commands import command
from afterwit.cli.terminal.options import Here, reporting
from afterwit.cli.terminal.output import STANDARD_OUTPUT, print_json, talk, write_whole
from afterwit.extras.fixes.cli.places import EXITS, fix_day, placed
from afterwit.extras.fixes.draft import draft_of
from afterwit.extras.fixes.history import FixPlace, fix_named, listed_fixes
from afterwit.extras.fixes.place import database_of, redactor_here
from afterwit.model.errors import UsageError
from afterwit.model.guards import GuardState


@command(
    examples=("afterwit guards draft 3fa9c1d2", "afterwit guards draft 3fa9c1d2 --output tests/test_pruning.py"),
    exits=EXITS,
)
@click.argument("commit", metavar="COMMIT")
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write it to this file, which must not be there yet.",
)
@reporting
@placed
def draft(here: Here, place: FixPlace, commit: str, output: Path | None, is_json: bool) -> None:
    """Write a test skeleton for a fix, in the framework that the repository uses.

    It asserts what follows from the lines of the fix: a value that changed, or an error that is raised now. Where
    nothing follows it says so, and its test fails on purpose until you write what to assert. It names the fix and, if a
    session ended in it, what failed there before. Nothing is run.
    """
    redactor = redactor_here(here.world)
    with database_of(here.world) as db:
        listed = fix_named(listed_fixes(place, redactor, db), commit)
        made = draft_of(place, listed, redactor, db, fix_day(here.calendar, listed))
    if output is not None and output != STANDARD_OUTPUT:
        if output.exists() or output.is_symlink():
            raise UsageError(f"{output} is there already, and is not overwritten. Name another file.")
        write_whole(output, made.text)
        talk(f"Written to {output}.")
    elif is_json:
        print_json({"commit": listed.fix.id, "path": made.path, "asserts": made.asserts, "text": made.text})
    else:
        click.echo(made.text, nl=False)
        talk(f"A place for it: {made.path}")
    if not made.asserts:
        talk("What the fix does could not be derived from its lines: the test fails until you write what to assert.")
    if listed.state is GuardState.GUARDED:
        talk("This fix is guarded already: `afterwit guards show` names the tests.")
