"""The checks of a deck: under which words hooks find them, and how they are written."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import apsw

from afterwit.knowledge.checks import CheckState, CheckStatus
from afterwit.model.check import COMMIT_MESSAGE, Check, CheckKind
from afterwit.recall.deck.firing_lines import Redact, needed_by_path, safe
from afterwit.recall.deck.reader import ASKS, CALL, FILE, RAN, TOUCHED, words_in
from afterwit.recall.hook.entry import CHECKS_ON
from afterwit.store.atomic import PRIVATE

_COMMIT = frozenset(("git", "commit"))


class DeckedCheck(NamedTuple):
    """A check that is on, and where."""

    check: Check
    repo: str  # "": everywhere
    is_strict: bool = False

    @classmethod
    def of(cls, state: CheckState) -> "DeckedCheck":
        repo = "" if state.is_everywhere else state.check.repo
        return cls(state.check, repo, state.status is CheckStatus.STRICT)


def put_checks(db: apsw.Connection, checks: Sequence[DeckedCheck], redact: Redact) -> None:
    filed = [(moment, needs, number) for number, on in enumerate(checks) for moment, needs in _keys(on.check)]
    frequency = Counter((moment, word) for moment, needs, _ in filed for word in needs)
    for number, (check, repo, is_strict) in enumerate(checks):
        said = (safe(redact, check.sentence.rstrip(". ")), safe(redact, check.by))
        asked = (check.command, check.other, check.path, check.pattern)
        row = (number, check.id, repo, str(check.kind), *said, *asked, int(is_strict))
        db.execute("INSERT INTO checks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    for moment, needs, number in filed:
        word = min(needs, key=lambda word: (frequency[moment, word], -len(word), word), default="")
        db.execute(
            "INSERT OR IGNORE INTO check_keys VALUES (?, ?, ?, ?)", (moment, word, " ".join(sorted(needs)), number)
        )


def _keys(check: Check) -> Iterator[tuple[str, frozenset[str]]]:
    """The moments at which a check may matter, each with the words that occur there."""
    command, path = _words(check.command), frozenset(needed_by_path(check.path))
    if check.kind is CheckKind.NOT_COMMAND:
        yield from ((CALL, command), (ASKS, frozenset()))
    elif check.kind is CheckKind.BEFORE:
        yield from ((CALL, command), (RAN, _words(check.other)), (TOUCHED, frozenset()))
    elif check.kind is CheckKind.INSTEAD:
        yield CALL, command
    elif check.kind is CheckKind.NOT_FILE:
        yield from ((FILE, path), (CALL, path))
    elif check.kind is CheckKind.AFTER_FILE:
        yield from ((CALL, _COMMIT), (RAN, command), (TOUCHED, path))
    else:
        yield (CALL, _COMMIT) if check.path == COMMIT_MESSAGE else (FILE, path)


def _words(command: str) -> frozenset[str]:
    """Words that occur in every call of a command, wherever its program lies and whatever version is in its name."""
    program, _, rest = command.partition(" ")
    name = program.rpartition("/")[2].rstrip("0123456789.")
    return frozenset(words_in(f"{name} {rest}"))


def mark_checks(deck: Path, *, is_on: bool) -> None:
    """Lets hooks see at a glance whether there is any check, so that they need not open the deck before each call."""
    mark = deck.with_name(CHECKS_ON)
    if is_on:
        mark.touch(PRIVATE)
    else:
        mark.unlink(missing_ok=True)


def checks_at(repo: str, checks: Iterable[Check]) -> list[DeckedCheck]:
    """The checks as if they were on, those of one repository in this one."""
    return [DeckedCheck(check, repo if check.repo else "") for check in checks]
