"""`afterwit guards show`: one fix with its lines, its tests, its session, and what was found out about its guard."""

from collections.abc import Iterator

import click

from afterwit.cli.commands import command
from afterwit.cli.terminal.options import Here, reporting
from afterwit.cli.terminal.output import page, print_json
from afterwit.extras.fixes.cli.places import EXITS, ID_CHARS, fix_day, fix_shape, placed
from afterwit.extras.fixes.history import FixPlace, fix_named, listed_fixes
from afterwit.extras.fixes.place import database_of, redactor_here
from afterwit.extras.fixes.show import ShownFix, shown_fix
from afterwit.model.guards import GuardState

_MOST_HUNKS = 40
_MOST_LINES = 12


@command(examples=("afterwit guards show 3fa9c1d2", "afterwit guards show 3fa9c1d2 --json"), exits=EXITS)
@click.argument("commit", metavar="COMMIT")
@reporting
@placed
def show(here: Here, place: FixPlace, commit: str, is_json: bool) -> None:
    """Show one fix: what it changed, which tests came with it, and whether they notice when it is gone.

    COMMIT is the id of a fix or the beginning of it, as `afterwit guards list` shows it.
    """
    redactor = redactor_here(here.world)
    with database_of(here.world) as db:
        listed = fix_named(listed_fixes(place, redactor, db), commit)
    shown = shown_fix(place, listed, redactor)
    if is_json:
        lines = [line._asdict() for line in shown.lines]
        runs = list(listed.verdict.runs) if listed.verdict is not None else []
        print_json(fix_shape(place, listed) | {"runs": runs, "lines": lines, "problem": shown.problem})
    else:
        page(_drawn(here, shown))


def _drawn(here: Here, shown: ShownFix) -> Iterator[str]:
    listed = shown.listed
    fix = listed.fix
    yield f"{fix.id[:ID_CHARS]}  {fix_day(here.calendar, listed)}  {listed.subject}"
    yield f"known by: {', '.join(fix.signs)}{_links(shown)}"
    yield f"guard:    {listed.state.in_words}. {listed.state.meaning}"
    if listed.reason:
        yield f"          {listed.reason}"
    if listed.verdict is not None:
        for name in listed.verdict.failing:
            yield f"          fails without it: {name}"
        for line in listed.verdict.runs:
            yield f"          run: {line}"
    if listed.session is not None:
        yield f"session:  {listed.session.agent} {listed.session.native_id}"
    yield from _hunks(shown)
    if listed.state is GuardState.UNCHECKED:
        yield f"`afterwit guards check {fix.id[:ID_CHARS]}` runs its tests with and without it."
    elif listed.state in (GuardState.UNGUARDED, GuardState.GREEN):
        yield f"`afterwit guards draft {fix.id[:ID_CHARS]}` writes a test skeleton."


def _links(shown: ShownFix) -> str:
    fix = shown.listed.fix
    parts = [f"fixes {', '.join(f'#{number}' for number in fix.issues)}"] if fix.issues else []
    parts += [f"pull request #{fix.pull}"] if fix.pull else []
    parts += [f"takes back {fix.reverts[:ID_CHARS]}"] if fix.reverts else []
    return f"; {'; '.join(parts)}" if parts else ""


def _hunks(shown: ShownFix) -> Iterator[str]:
    if shown.problem:
        yield f"lines:    cannot be read: {shown.problem}"
    for is_test, heading in ((False, "Changed"), (True, "Tests")):
        hunks = [line for line in shown.lines if line.is_test is is_test]
        if hunks:
            yield ""
            yield f"{heading}:"
        path = ""
        for hunk in hunks[:_MOST_HUNKS]:
            if hunk.path != path:
                path = hunk.path
                yield f"  {path}"
            yield f"    lines {hunk.first}-{max(hunk.first, hunk.first + hunk.length - 1)}"
            if not is_test:
                both = [*(f"- {text}" for text in hunk.removed), *(f"+ {text}" for text in hunk.added)]
                yield from (f"      {text}" for text in both[:_MOST_LINES])
                if len(both) > _MOST_LINES:
                    yield f"      … {len(both) - _MOST_LINES} more"
        if len(hunks) > _MOST_HUNKS:
            yield f"    … {len(hunks) - _MOST_HUNKS} more"
    yield ""
