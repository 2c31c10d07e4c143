"""Notes about fixes that tests were seen to guard: which commit fixed a place, and which test to run after an edit.

One note for each file, about the latest of its guarded fixes, said with the first edit that touches a line of them; an
agent that does not tell what it edits gets it with the first edit of the file. A test is told for files of its own
language: a fix may change others in passing. What a commit says is foreign, and is not told. Names of files are told
only in their plain form. Pure.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Sequence

from afterwit.harvest.harvester import fit_sentence, quote, quote_path
from afterwit.model.guards import CheckedFix, GuardState
from afterwit.model.knowledge import (
    GIT,
    GUARDED_FIXES,
    Activity,
    Category,
    Channel,
    Draft,
    Evidence,
    Scope,
    ScopeKind,
    SessionRef,
    Trigger,
)
from afterwit.redaction.plain_names import is_plain_path

_ID_CHARS = 7
_MOST_FIXES = 3  # of one file that a note speaks of
_MOST_LINES = 24
_SCRIPTS = frozenset(("js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte"))
_MOST_FILES = 8  # of a fix that is about one place


def drafts_of_fixes(checked: Iterable[CheckedFix]) -> list[Draft]:
    """One draft for each file that a guarded fix changed."""
    by_place: defaultdict[tuple[str, str], list[CheckedFix]] = defaultdict(list)
    for row in checked:
        verdict = row.verdict
        is_told = verdict.state is GuardState.GUARDED and verdict.repo and len(verdict.files) <= _MOST_FILES
        if is_told:
            for path in verdict.files:
                if is_plain_path(path) and _test_of(row, path):
                    by_place[verdict.repo, path].append(row)
    return [_draft(repo, path, rows) for (repo, path), rows in sorted(by_place.items())]


def _draft(repo: str, path: str, rows: Sequence[CheckedFix]) -> Draft:
    latest = sorted(rows, key=lambda row: (-row.verdict.at_ms, row.verdict.commit))[:_MOST_FIXES]
    tests = list(dict.fromkeys(_test_of(row, path) for row in latest))
    lines = tuple(dict.fromkeys(line for row in latest for line in row.verdict.lines.get(path, ())))[:_MOST_LINES]
    first = latest[0].verdict
    about = f"Commit {quote(first.commit[:_ID_CHARS])} ({_day(first.at_ms)})"
    begin = f"{about} fixed {quote_path(path)}; after a change there run {quote_path(tests[0])}"
    further = [f" and {quote_path(test)}" for test in tests[1:]]
    ending = ": they fail without the fix" if further else ": it fails without the fix"
    return Draft(
        harvester=GUARDED_FIXES,
        key=(path,),
        scope=Scope(ScopeKind.REPO, repo),
        category=Category.PITFALL,
        sentence=fit_sentence(begin, further, ending),
        channel=Channel.OUTCOME,
        triggers=(Trigger(path=path, activity=Activity.EDIT, lines=lines),),
        files=(path, tests[0]),
        evidence=tuple(_evidence(row, path) for row in latest),
        when=f"editing {quote_path(path)}",
    )


def _evidence(row: CheckedFix, path: str) -> Evidence:
    verdict = row.verdict
    session = SessionRef(
        agent=GIT, native_id=verdict.commit, story=f"commit:{verdict.commit}", repo=verdict.repo, at_ms=verdict.at_ms
    )
    failing = verdict.failing[0] if verdict.failing else _test_of(row, path)
    excerpt = f"{quote_path(failing) or 'a test'} failed without the fix"
    return Evidence(session=session, channel=Channel.OUTCOME, at_ms=row.checked_ms, excerpt=excerpt)


def _test_of(row: CheckedFix, path: str) -> str:
    """The test file to run after a change of this file: one that was seen to fail, if it can be told; "" for none."""
    plain = [test for test in row.verdict.tests if is_plain_path(test) and _language(test) == _language(path)]
    failing = " ".join(row.verdict.failing)
    return next((test for test in plain if test.rpartition("/")[2] in failing), plain[0] if plain else "")


def _language(path: str) -> str:
    suffix = path.rpartition(".")[2]
    return "js" if suffix in _SCRIPTS else suffix


def _day(at_ms: int) -> str:
    return dt.datetime.fromtimestamp(at_ms / 1_000, dt.UTC).date().isoformat()
