"""`afterwit knowledge review` and `audit`: decide about what is told unseen and what waits, one note after the other,
by keys; and judge a random sample, so that the junk rate follows.
"""

import secrets
import sys
from functools import partial
from pathlib import Path

import click

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.knowledge.curate import UNDO
from afterwit.cli.knowledge.list import EMPTY, EXITS, item_shape, where
from afterwit.cli.knowledge.why import why_lines
from afterwit.cli.learned import approvals, waits
from afterwit.cli.terminal.options import COUNT, Here, agreed, many, reporting, timed
from afterwit.cli.terminal.output import ask, fail_unanswered, is_confirmed, print_json, print_line, print_text, talk
from afterwit.config.calendar import Calendar
from afterwit.engine.curation.review import (
    JUNK,
    SKIP,
    Audit,
    AuditVerdict,
    ReviewTally,
    ReviewWalk,
    WaitingNotes,
    approve_all,
    count_uses,
    of_user,
    record,
    sample,
    verdicts_in,
    waiting,
)
from afterwit.engine.curation.why import moment_of
from afterwit.engine.curation.why import why as all_evidence
from afterwit.knowledge.door.list import ItemFilter
from afterwit.knowledge.door.listeners import who_listens
from afterwit.model.errors import UsageError
from afterwit.model.figures import human_count
from afterwit.model.knowledge import Category, Item, ItemStatus
from afterwit.recall.told import ToldWhen
from afterwit.sessions.filters import one_line

_KEYS = (
    "y approve, n reject, a approve all of its kind, r reject all of its kind, e edit, s skip, w why (all evidence),"
    " u undo the last, q quit"
)
_UNANSWERED = (
    "Nobody answered. Run `afterwit knowledge review` in a terminal, or give it the answers, one key a line. `afterwit"
    " knowledge review --json` lists what waits; `afterwit knowledge approve NOTE` and `reject NOTE` decide about one."
)
_NOTHING = "Nothing waits for you."
_UNSEEN = "{} in use and not looked at"
_SHOWN_EVIDENCE = 3
_LONGEST_EXCERPT = 160


@command(
    examples=(
        "afterwit knowledge review",
        "afterwit knowledge review --repo orchard --limit 10",
        "afterwit knowledge review --all-from user",
        "afterwit knowledge review --json",
    ),
    exits={**EXITS, ExitCode.FAILED: "Nobody answered, the answer was no, or the store cannot be used."},
)
@many("--repo", "repos", "NAME", "Only what applies to this repository: its name, the last part of it, or a pattern.")
@many("--category", "categories", "CATEGORY", f"Only this category ({', '.join(Category)}); repeat for more.", Category)
@click.option("--limit", type=COUNT, metavar="N", default=0, help="At most so many notes. Default: all.")
@click.option("--all", "is_all", is_flag=True, help="Also notes that need nothing from you: see below.")
@click.option(
    "--all-from",
    "origin",
    type=click.Choice(["user"]),
    metavar="user",
    help="Approve at once all that waits in your own words. They are shown first.",
)
@agreed
@reporting
@timed
def review(
    here: Here,
    repos: tuple[str, ...],
    categories: tuple[str, ...],
    limit: int,
    is_all: bool,
    origin: str | None,
    is_agreed: bool,
    is_json: bool,
) -> None:
    """Decide about notes that are told and nobody looked at, then about what waits, one after the other.

    A key each: y approves, n rejects, a and r do the same with all that are left and were found in the same way, e
    edits and approves, s skips, w shows all evidence, u takes the last answer back, q ends. What you decided is kept at
    once, however you end. Left out are notes that need nothing from you: those that sessions are told already, as a
    guess, and those that the repository's own instructions say.
    """
    queue = waiting(here.world, ItemFilter(categories=categories, repos=repos), is_all=is_all)
    if origin:
        queue = queue._replace(notes=of_user(here.world, queue.notes), unseen=[])
    if limit:
        left = max(0, limit - len(queue.unseen))
        queue = queue._replace(unseen=queue.unseen[:limit], notes=queue.notes[:left])
    if is_json and not is_agreed:
        print_json(_shape(queue))
    elif not queue.everything:
        talk(_nothing(queue))
    elif origin:
        _approve_all(here, queue.notes, is_agreed=is_agreed, is_json=is_json)
    else:
        _walk(here, queue)


def _walk(here: Here, queue: WaitingNotes) -> None:
    walk = ReviewWalk(here.world, queue.everything)
    asked = sum(item.status is ItemStatus.QUARANTINED for item in queue.notes)
    early = len(queue.notes) - asked
    unseen = human_count(len(queue.unseen), "note is", "notes are")
    counts = [
        *([_UNSEEN.format(unseen)] if queue.unseen else []),
        *([approvals(asked)] if asked else []),
        *([f"{waits(early)}: decide early or skip"] if early else []),
    ]
    talk(f"{', '.join(counts)}.{_others(queue)}")
    more = {"a": walk.approve_kind, "r": walk.reject_kind}
    is_answered = False
    while (item := walk.next_note()) is not None:
        number = len(queue.everything) - walk.tally.left + 1
        _show(here.calendar, item, queue, number, len(walk.alike()) - 1)
        times, sessions = count_uses(here.world, item)
        if times:
            talk(f"  would have come up in {times:,} of the last {human_count(sessions, 'session')}")
        answer = ask(walk, item.sentence, _KEYS, partial(_show_why, here, item), more)
        is_answered = is_answered or answer.is_answered
        if answer.is_last:
            break
    if not is_answered:
        fail_unanswered(_UNANSWERED)
    print_line(_summary(walk.tally))


def _show_why(here: Here, item: Item) -> None:
    answer = all_evidence(here.world, item.id, has_turns=True)
    for line in why_lines(answer, who_listens(here.world), here.calendar, None):
        talk(line)


def _show(calendar: Calendar, item: Item, queue: WaitingNotes, number: int, others: int) -> None:
    talk(f"\n{number} of {len(queue.everything)}: {item.sentence}")
    moment = queue.told.get(item.id, ToldWhen.NEVER)
    told = "not told" if moment is ToldWhen.NEVER else f"told {moment}"
    talk(f"  applies to {where(item)}; {item.category}, {item.rests_on}, {told} ({item.id})")
    alike = f", as {human_count(others, 'other')} here" if others else ""
    status = "in use, not looked at" if item.status is ItemStatus.ACTIVE else f"waits: {item.reason}"
    talk(f"  {status}; found by {item.harvester}{alike}")
    newest = sorted(item.evidence, key=moment_of, reverse=True)
    for piece in newest[:_SHOWN_EVIDENCE]:
        sign = "against, " if piece.is_against else ""
        excerpt = one_line(piece.excerpt, _LONGEST_EXCERPT)
        talk(f"  {calendar.day(moment_of(piece) or None)}  {sign}{piece.session.agent}: {excerpt}")
    if len(newest) > _SHOWN_EVIDENCE:
        talk(f"  and {human_count(len(newest) - _SHOWN_EVIDENCE, 'older piece')} of evidence: w shows all")
    talk(_KEYS)


def _approve_all(here: Here, notes: list[Item], *, is_agreed: bool, is_json: bool) -> None:
    if not is_json:
        for item in notes:
            talk(f"{item.id}  {where(item)}  {item.sentence}")
    count = human_count(len(notes), "note")
    if not is_confirmed(f"Approve {count} in your own words?", is_agreed=is_agreed, verb="approve them"):
        talk("Nothing was approved.")
        raise click.exceptions.Exit(ExitCode.FAILED)
    done = approve_all(here.world, notes)
    if is_json:
        print_json({"approved": done, "notes": [item_shape(item, has_evidence=False) for item in notes]})
        return
    print_line(f"{human_count(done, 'note')} approved.")
    talk(UNDO)


def _summary(tally: ReviewTally) -> str:
    return (
        f"{tally.approved} approved, {tally.rejected} rejected, {tally.edited} edited, {tally.skipped} skipped,"
        f" {tally.left} left."
    )


def _others(queue: WaitingNotes) -> str:
    if not queue.needless:
        return ""
    are = "waits and needs" if queue.needless == 1 else "wait and need"
    return f" {queue.needless} more {are} nothing from you; --all asks about them too."


def _nothing(queue: WaitingNotes) -> str:
    return f"{_NOTHING}{_others(queue)} `afterwit knowledge list` shows what is in use."


def _shape(queue: WaitingNotes) -> dict[str, object]:
    return {
        "notes": [item_shape(item) | {"told": queue.told.get(item.id, ToldWhen.NEVER)} for item in queue.notes],
        "not_looked_at": [
            item_shape(item) | {"told": queue.told.get(item.id, ToldWhen.NEVER)} for item in queue.unseen
        ],
        "needs_nothing": queue.needless,
    }


_VERDICT_KEYS = {
    "d": AuditVerdict.DURABLE,
    "u": AuditVerdict.DUPLICATE,
    "r": AuditVerdict.RESTATED,
    "m": AuditVerdict.MOMENTARY,
    "w": AuditVerdict.WRONG,
}
_QUESTION = "(d)urable, d(u)plicate, (r)estated, (m)omentary, (w)rong, (s)kip, (q)uit"
_QUIT = "q"
_SEEDS = 1_000_000


@command(
    examples=(
        "afterwit knowledge audit",
        "afterwit knowledge audit --size 100 --seed 7 --draw --json > sample.json",
        "afterwit knowledge audit --verdicts verdicts.txt",
    ),
    exits=EXITS,
)
@click.option("--size", type=COUNT, default=20, show_default=True, help="Draw so many; 0 means all.")
@click.option("--seed", type=COUNT, metavar="N", help="Draw the same sample again.")
@click.option("--draw", "is_drawn", is_flag=True, help="Only print the sample, for somebody to judge elsewhere.")
@click.option(
    "--verdicts",
    type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
    metavar="FILE",
    help="Take the verdicts from a file, or - for standard input: lines like `3fa9c1d2e4b5 durable`, or a JSON object.",
)
@reporting
def audit(here: Here, size: int, seed: int | None, is_drawn: bool, verdicts: Path | None, is_json: bool) -> None:
    """Judge a random sample of the notes in use, and see how many are junk.

    A verdict per note: durable and useful; a duplicate of another; a prompt or instruction file restated; true for a
    moment only; wrong. Verdicts are kept and change no note. The rate comes with its interval of 95 %.
    """
    seed = secrets.randbelow(_SEEDS) if seed is None else seed
    if is_drawn:
        _show_sample(sample(here.world, size, seed), seed, is_json=is_json)
        return
    judged = _read(verdicts) if verdicts is not None else _ask_verdicts(sample(here.world, size, seed))
    done = record(here.world, judged, seed)
    if is_json:
        print_json(done)
    else:
        _show_audit(done)


def _read(path: Path) -> dict[str, str]:
    if str(path) == "-":
        return verdicts_in(sys.stdin.read())
    try:
        return verdicts_in(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(f"There is no file {path}.") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is no text: {error}.") from error


def _ask_verdicts(drawn: list[Item]) -> dict[str, str]:
    if drawn and not sys.stdin.isatty():
        raise click.UsageError("There is no terminal to ask on. --draw prints the sample, --verdicts takes verdicts.")
    answers: dict[str, str] = {}
    for number, item in enumerate(drawn, start=1):
        talk(f"\n{number} of {len(drawn)}: {item.sentence}")
        talk(f"  {item.id}, {where(item)}, {item.category}, {item.rests_on}")
        answer = _answer()
        if answer == _QUIT:
            break
        answers[item.id] = _VERDICT_KEYS.get(answer, SKIP)
    return answers


def _answer() -> str:
    """Whoever stops in the middle keeps the verdicts given so far."""
    choices = click.Choice([*_VERDICT_KEYS, "s", _QUIT])
    try:
        return str(click.prompt(_QUESTION, type=choices, show_choices=False, err=True))
    except click.Abort:
        talk("")
        return _QUIT


def _show_sample(drawn: list[Item], seed: int, *, is_json: bool) -> None:
    if is_json:
        print_json({"seed": seed, "items": [item_shape(item) for item in drawn]})
        return
    for item in drawn:
        print_text(f"{item.id}  {where(item)}  {item.sentence}")
    talk(f"Seed {seed}." if drawn else EMPTY)


def _show_audit(done: Audit) -> None:
    if done.junk_rate is None:
        talk(EMPTY if not done.active else "Nothing was judged.")
        return
    for verdict, count in done.counts.items():
        print_line(f"{count:>5}  {verdict}{' (junk)' if AuditVerdict(verdict) in JUNK else ''}")
    low, high = done.interval
    print_line(
        f"Junk: {done.junk} of {human_count(done.judged, 'note')}, {done.junk_rate:.1%}"
        f" (95 % interval {low:.1%} to {high:.1%}); {human_count(done.active, 'note')} in use, seed {done.seed}."
    )
    junk = [item for item, verdict in done.verdicts.items() if AuditVerdict(verdict) in JUNK]
    if junk:
        talk(f"`afterwit knowledge reject {' '.join(junk)}` takes the junk out.")
