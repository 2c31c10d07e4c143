"""What there is to see of one fix: its lines, its tests, its session, and what was found out about its guard; and of
all fixes, the places that were fixed most without a guard.

A place is a file. All texts are redacted and clean.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from afterwit.extras.fixes.fixes import is_code, is_test_code
from afterwit.extras.fixes.history import FixPlace, ListedFix
from afterwit.model.guards import GuardState
from afterwit.redaction.hygiene import clean
from afterwit.redaction.redaction import Redactor
from afterwit.sources.gathering import SourceError
from afterwit.sources.git import FileDiff, diff_of

_MOST_LINES = 400
OPEN = (GuardState.UNGUARDED, GuardState.GREEN)


class ChangedLines(NamedTuple):
    """Lines of a file that a fix left, counted from 1."""

    path: str
    first: int
    length: int
    removed: tuple[str, ...]
    added: tuple[str, ...]
    is_test: bool


class ShownFix(NamedTuple):
    listed: ListedFix
    lines: tuple[ChangedLines, ...]
    problem: str = ""  # why there are no lines


class FixedPlace(NamedTuple):
    """A file, and how often it was fixed."""

    path: str
    fixes: int
    unguarded: int  # without a guard
    unchecked: int
    latest: ListedFix  # of those without a guard


def shown_fix(place: FixPlace, listed: ListedFix, redactor: Redactor) -> ShownFix:
    """A fix with the lines that it changed."""
    fix = listed.fix
    if not fix.parent:
        return ShownFix(listed, (), "its parent is not in this clone")
    try:
        diffs = diff_of(place.git_dir, fix.parent, fix.id, fix.changes)
    except SourceError as error:
        return ShownFix(listed, (), clean(redactor.text(str(error))))
    wanted = [diff for diff in diffs if is_code(diff.path) or is_test_code(diff.path)]
    return ShownFix(listed, tuple(line for diff in wanted for line in _changed(diff, redactor))[:_MOST_LINES])


def fixed_places(listed: Iterable[ListedFix]) -> list[FixedPlace]:
    """The files with fixes that nothing guards, those with most of them first, then those that were fixed most."""
    by_path: defaultdict[str, list[ListedFix]] = defaultdict(list)
    for listed_fix in listed:
        for path in listed_fix.fix.files:
            by_path[path].append(listed_fix)
    places = []
    for path, fixes in by_path.items():
        without = [listed_fix for listed_fix in fixes if listed_fix.state in OPEN]
        unchecked = sum(listed_fix.state is GuardState.UNCHECKED for listed_fix in fixes)
        if without:
            latest = max(without, key=lambda listed_fix: listed_fix.fix.at_ms)
            places.append(FixedPlace(path, len(fixes), len(without), unchecked, latest))
    return sorted(places, key=lambda place: (-place.unguarded, -place.fixes, place.path))


def _changed(diff: FileDiff, redactor: Redactor) -> Iterable[ChangedLines]:
    def shown(lines: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(clean(redactor.text(line)) for line in lines)

    path = clean(redactor.text(diff.path))
    for hunk in diff.hunks:
        yield ChangedLines(
            path, hunk.after_first, len(hunk.after), shown(hunk.before), shown(hunk.after), is_test_code(diff.path)
        )
