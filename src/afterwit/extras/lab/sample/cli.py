"""`afterwit sample`: which sessions to read or harvest first."""

import math
from enum import StrEnum
from pathlib import Path

import click

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.sessions.filters import EMPTY, filtered, nothing_matches
from afterwit.cli.terminal.options import COUNT, Here, reporting
from afterwit.cli.terminal.output import print_json, print_line, talk
from afterwit.cli.terminal.progress import bar
from afterwit.cli.terminal.table import Column, print_table
from afterwit.config.calendar import Calendar
from afterwit.extras.lab.sample.sample import Sample, Sampled, SampleRequest, Scheme
from afterwit.extras.lab.sample.sample import sample as run
from afterwit.model.errors import UsageError
from afterwit.model.figures import human_count
from afterwit.repos.remotes import short_names
from afterwit.sessions.filters import Filter

_DEFAULT_COUNT = 100


class SampleForm(StrEnum):
    """How the result is written."""

    TABLE = "table"
    JSON = "json"
    PATHS = "paths"


def _finite(_ctx: click.Context, _param: click.Parameter, value: float | None) -> float | None:
    if value is not None and not math.isfinite(value):
        raise click.BadParameter(f"{value} is no number to compare with.")
    return value


@command(
    examples=(
        "afterwit sample",
        "afterwit sample --repo orchard --since 30d --count 5",
        "afterwit sample --sessions-dir ~/old-laptop/logs -n 10",
        "afterwit sample --scheme points --top-percent 10 --format paths > first.txt",
    ),
    exits={
        ExitCode.FAILED: "The store cannot be used.",
        ExitCode.PARTLY_DONE: "With --format paths: a session that was chosen has no file where its agent keeps logs.",
    },
)
@click.option(
    "--scheme",
    type=click.Choice([scheme.value for scheme in Scheme]),
    default=Scheme.VALUE.value,
    show_default=True,
    help="value: how much new knowledge to expect. points: fixed points for plain counts.",
)
@click.option(
    *("-n", "--count", "--limit", "count"), type=COUNT, metavar="N", help="At most so many; 0 means all. Default: 100."
)
@click.option(
    "--sessions-dir",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Choose from the logs in this folder instead; their format is recognised.",
)
@click.option(
    "--top-percent",
    type=click.FloatRange(min=0, min_open=True, max=100),
    callback=_finite,
    metavar="P",
    help="The best P percent of the sessions that the filters choose, instead of the default of --count.",
)
@click.option(
    "--min-score",
    type=float,
    default=0.0,
    callback=_finite,
    metavar="SCORE",
    help="Only with this score or a higher one.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice([form.value for form in SampleForm]),
    default=SampleForm.TABLE.value,
    show_default=True,
    help="paths: the agents' own files, one per line. json is the same as --json.",
)
@reporting
@filtered
def sample(
    here: Here,
    wanted: Filter,
    scheme: str,
    count: int | None,
    folder: Path | None,
    top_percent: float | None,
    min_score: float,
    form: str,
    is_json: bool,
) -> None:
    """Say which sessions to read or learn from first, and why.

    Every session gets a score, shown with its parts. With `value`, a session counts only for what it adds to the
    sessions above it. With --repo, sessions that ran elsewhere, or of which no log says where, count too if a tenth of
    their actions or prompts is about that repository; `share` says how much. Logs that are not learned yet are read
    just for this and scored like the others; nothing is stored. A narrow terminal shows fewer columns; a pipe gets
    them all.
    docs/how-to/sample-sessions.md has the rules.
    """
    if is_json and form == SampleForm.PATHS:
        raise UsageError("--json and --format paths exclude each other. --json has the paths of every session too.")
    most = count if count is not None else 0 if top_percent is not None else _DEFAULT_COUNT
    share = 100.0 if top_percent is None else top_percent
    chosen = SampleRequest(Scheme(scheme), wanted, most, share, min_score, folder)
    with bar("reading") as progress:
        result = run(here.world, chosen, progress)
    shown = SampleForm.JSON if is_json else SampleForm(form)
    if shown is SampleForm.JSON:
        print_json(result.as_json())
    elif shown is SampleForm.PATHS:
        for path in dict.fromkeys(path for sampled in result.sessions for path in sampled.paths):
            print_line(path)
    elif result.sessions:
        print_table(_columns(result), _rows(here, result))
    _report(here, result, chosen)
    if shown is SampleForm.PATHS:
        _report_missing(result)


def _columns(result: Sample) -> list[Column]:
    """On a narrow terminal the parts of the score are the last to give way."""
    parts = result.sessions[0].breakdown
    return [
        Column("id"),
        Column("score", is_number=True),
        *(Column(f"+{name}", is_number=True, gives_way=at) for at, name in enumerate(parts, 1)),
        Column("started", gives_way=len(parts) + 2),
        Column("agent", gives_way=len(parts) + 3),
        Column("repo", gives_way=len(parts) + 1, most=12),
        *([Column("share", is_number=True, gives_way=len(parts) + 1)] if _has_shares(result) else []),
        Column("outcome", gives_way=len(parts) + 4),
        Column("title", takes_rest=True, least=28, most_lines=2),
    ]


def _has_shares(result: Sample) -> bool:
    return result.sessions[0].repo_share is not None


def _rows(here: Here, result: Sample) -> list[tuple[str, ...]]:
    repos = short_names({sampled.session.row.repo for sampled in result.sessions})
    return [_row(here.calendar, repos, sampled) for sampled in result.sessions]


def _row(calendar: Calendar, repos: dict[str, str], sampled: Sampled) -> tuple[str, ...]:
    session, row = sampled.session, sampled.session.row
    marks = ("↳ " if row.relation == "subagent" else "") + ("" if sampled.is_learned else "[not learned] ")
    return (
        session.id,
        _number(sampled.score),
        *(_number(part) if part else "" for part in sampled.breakdown.values()),
        calendar.moment(row.started_ms),
        row.agent,
        repos[row.repo] or "–",
        *([f"{sampled.repo_share:.0%}"] if sampled.repo_share is not None else []),
        row.outcome,
        marks + (session.title or "–"),
    )


def _number(score: float) -> str:
    return f"{score:.2f}".rstrip("0").rstrip(".")


def _report(here: Here, result: Sample, wanted: SampleRequest) -> None:
    if not result.found:
        talk(_nothing(here, wanted))
        return
    talk(f"{len(result.sessions):,} of {human_count(result.found, 'session')}, by {result.scheme}.")
    if result.unlearned_files:
        files = human_count(result.unlearned_files, "file")
        how = "read for this" if result.has_unlearned else "left out, because another run is at work"
        talk(f"{files} not learned yet: {how}.")


def _nothing(here: Here, wanted: SampleRequest) -> str:
    if wanted.folder is not None:
        return (
            f"No sessions match in {wanted.folder}. `afterwit learn --sessions-dir {wanted.folder} --dry-run` says what"
            " is recognised there."
        )
    return nothing_matches(here, wanted.filter) if wanted.filter != Filter() else EMPTY


def _report_missing(result: Sample) -> None:
    missing = [sampled for sampled in result.sessions if not sampled.paths]
    for sampled in missing:
        talk(f"{sampled.session.id}: no file of it is where {sampled.session.row.agent} keeps its logs.")
    if missing:
        raise click.exceptions.Exit(ExitCode.PARTLY_DONE)
