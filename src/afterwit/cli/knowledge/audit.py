"""`afterwit knowledge audit`: a reader judges a random sample, and the junk rate follows."""

import secrets
import sys
from pathlib import Path

import click

from afterwit.cli.commands import command
from afterwit.cli.knowledge.items import EMPTY, EXITS, item_shape, where
from afterwit.cli.terminal.amounts import COUNT, human_count
from afterwit.cli.terminal.options import Here, reporting
from afterwit.cli.terminal.output import print_json, print_line, print_text, talk
from afterwit.engine.curation.review import JUNK, SKIP, Audit, AuditVerdict, record, sample, verdicts_in
from afterwit.model.errors import UsageError
from afterwit.model.knowledge import Item

_KEYS = {
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
    judged = _read(verdicts) if verdicts is not None else _asked(sample(here.world, size, seed))
    done = record(here.world, judged, seed)
    if is_json:
        print_json(done)
    else:
        _show(done)


def _read(path: Path) -> dict[str, str]:
    if str(path) == "-":
        return verdicts_in(sys.stdin.read())
    try:
        return verdicts_in(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(f"There is no file {path}.") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is no text: {error}.") from error


def _asked(drawn: list[Item]) -> dict[str, str]:
    if drawn and not sys.stdin.isatty():
        raise click.UsageError("There is no terminal to ask on. --draw prints the sample, --verdicts takes verdicts.")
    answers: dict[str, str] = {}
    for number, item in enumerate(drawn, start=1):
        talk(f"\n{number} of {len(drawn)}: {item.sentence}")
        talk(f"  {item.id}, {where(item)}, {item.category}, {item.rests_on}")
        answer = _answer()
        if answer == _QUIT:
            break
        answers[item.id] = _KEYS.get(answer, SKIP)
    return answers


def _answer() -> str:
    """Whoever stops in the middle keeps the verdicts given so far."""
    choices = click.Choice([*_KEYS, "s", _QUIT])
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


def _show(done: Audit) -> None:
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
