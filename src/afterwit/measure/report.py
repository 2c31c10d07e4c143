"""The report: counts all figures, and writes them below the store as a page of Markdown, as JSON, and into a history of
one line for each day.

Each file is written whole or not at all. The history comes first; a run that is killed leaves the files of the run
before, and the next one makes them all. Of several runs on one day the last counts; one that looks at a part of the
time leaves no line. The page has the most important first, and so have the few lines of it for a terminal.
"""

import datetime as dt
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from afterwit.config.calendar import Calendar
from afterwit.config.world import World
from afterwit.measure.collect import Figures, collect
from afterwit.measure.told_notes import Came
from afterwit.measure.words import ENOUGH, amount, change_cell, finding_words, of_many, retirement, shared
from afterwit.model.figures import human_count
from afterwit.model.learn_run import Progress
from afterwit.model.times import with_times
from afterwit.store.atomic import replace_file, step
from afterwit.store.regular_files import read_regular

DASHBOARD, METRICS, HISTORY = "dashboard.md", "metrics.json", "history.jsonl"
_DIGITS = 4  # of what is no whole number
_MOST_DAYS = 1_100  # of the history
_COUNTS = (  # what is kept of a day, besides the number of sessions
    ("velocity", ("in_use", "gained", "lost")),
    ("hit_rate", ("told", "available", "used")),
    ("wrong", ("wrong",)),
    ("cost", ("tokens",)),
)
_OF_COURSE = ("completed", "judged", "first_try", "checked")


class WrittenReport(NamedTuple):
    page: Path
    figures: Figures
    lines: list[str]  # what to know without opening the page


def report(world: World, folder: Path | None, since_ms: int, progress: Progress) -> WrittenReport:
    """Counts and writes."""
    figures = collect(world, since_ms, progress).figures
    place = folder or world.layout.metrics
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not since_ms:
        today = day_of(figures, world.calendar.today)
        days = [day for day in days_in(place / HISTORY) if day["day"] != today["day"]]
        lines = sorted([*days, today], key=lambda day: str(day["day"]))[-_MOST_DAYS:]
        replace_file(place / HISTORY, b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    as_json = msgspec.json.format(msgspec.json.encode(plain(figures)), indent=2) + b"\n"
    for name, content in ((METRICS, as_json), (DASHBOARD, page(figures, world.calendar).encode())):
        step(f"{name} is not written yet")
        replace_file(place / name, content, is_durable=False)
    return WrittenReport(place / DASHBOARD, figures, summary(figures))


def is_due(world: World) -> bool:
    """Whether a report is wanted every day, and there is none of today."""
    today = world.calendar.today.isoformat()
    days = days_in(world.layout.metrics / HISTORY)
    return world.settings.measure.daily_report and all(day["day"] != today for day in days)


def day_of(figures: Figures, today: dt.date) -> dict[str, Any]:
    """The line of a day."""
    counts = {name: getattr(getattr(figures, part), name) for part, names in _COUNTS for name in names}
    whole = {name: getattr(figures.course.whole, name) for name in _OF_COURSE}
    return {"day": today.isoformat(), "sessions": figures.sessions, **counts, **whole}


def days_in(history: Path) -> list[dict[str, Any]]:
    """The lines of a history, as they stand there. One that makes no sense is passed over."""
    days = []
    try:
        lines = read_regular(history).splitlines()
    except FileNotFoundError:
        lines = []
    for line in lines:
        try:
            day = msgspec.json.decode(line, type=dict[str, Any])
            dt.date.fromisoformat(day.get("day", ""))
        except (msgspec.MsgspecError, TypeError, ValueError):
            continue
        if all(isinstance(day.get(name), int) for _, names in _COUNTS for name in names):
            days.append(day)
    return days


def plain(value: Any) -> Any:
    """Figures and rows as programs get them: every field by its name, times in their one shape, shares rounded."""
    return with_times(_by_name(value))


def _by_name(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        return _by_name(msgspec.structs.asdict(value))
    if isinstance(value, dict):
        return {name: _by_name(part) for name, part in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return _by_name(value._asdict())
    if isinstance(value, list | tuple):
        return [_by_name(part) for part in value]
    return round(value, _DIGITS) if isinstance(value, float) else value


Table = Sequence[Sequence[str]]  # the first row is its heading
_MOST_WEEKS = 53
_NOT_COUNTED = {
    Came.THERE: "told right at their moment",
    Came.ANYTIME: "about no moment in particular",
    Came.UNREAD: "told in sessions that are not learned yet",
    Came.GONE: "no longer there",
}
_TOLD_AT = {"start": "at the start", "prompt": "with a prompt", "recall": "when asked", "asked": "when asked for it"}


class _Section(NamedTuple):
    heading: str
    explained: str  # names for `--explain`
    sentences: Sequence[str]  # the first one stands in the summary, too
    table: Table = ()
    not_said: str = ""  # what the figure does not say


def page(figures: Figures, calendar: Calendar) -> str:
    """The whole page."""
    since = f" since {calendar.day(figures.since_ms)}" if figures.since_ms else ""
    lines = [
        "# What memory does",
        "",
        f"Made on {calendar.date(figures.made_ms):%Y-%m-%d} from {figures.sessions:,} sessions{since}. Every figure can"
        " be traced to its sessions and notes: the names below each heading go with"
        " `afterwit measure report --explain NAME`.",
    ]
    for section in _sections(figures):
        lines += ["", f"## {section.heading}", ""]
        lines += [f"*{section.explained}*", ""] if section.explained else []
        lines.append(" ".join((*section.sentences, section.not_said)).strip())
        if len(section.table) > 1:
            heading, *rest = section.table
            rows = (heading, ["---"] * len(heading), *rest)
            lines += ["", *(f"| {' | '.join(row)} |" for row in rows)]
    return "\n".join(lines) + "\n"


def summary(figures: Figures) -> list[str]:
    """What to know without opening the page."""
    return [f"{section.heading} {section.sentences[0]}" for section in _sections(figures)]


def _sections(figures: Figures) -> Iterator[_Section]:
    yield _helps(figures)
    yield _told(figures)
    yield _cost(figures)
    yield _errors(figures)
    yield _course(figures)
    yield _learned(figures)
    yield _confidence(figures)


def _helps(figures: Figures) -> _Section:
    effect, cost = figures.effect, figures.cost
    verdict = figures.helps or (
        f"Nobody can tell yet: notes were told in {human_count(cost.told_sessions, 'session')}, and"
        f" {human_count(cost.skipped_sessions, 'session was', 'sessions were')} skipped on purpose, to compare."
    )
    rows = [
        (
            f"{change.words} (`{change.figure}`)",
            *("–" if mean is None else amount(mean) for mean in (change.told, change.not_told)),
            change_cell(change),
            finding_words(change.finding),
        )
        for change in ((effect.main, *effect.figures) if effect.sessions else ())
    ]
    table = [("figure", "told", "not told", "change (valid at every look)", "finding"), *rows]
    compared = [f"Compared were {effect.told:,} told sessions and {effect.not_told:,} others."] if rows else []
    return _Section("Does it help?", "", [verdict, *compared, *map(retirement, effect.harmful)], table)


def _told(figures: Figures) -> _Section:
    hits = figures.hit_rate
    heading, names = "What was told", "`hit-rate`, `wrong`"
    if not hits.told:
        return _Section(heading, names, ["Nothing was told yet."])
    came = shared(hits.used, hits.available, hits.interval)
    said = [f"{hits.by_moment[name]:,} {words}" for name, words in _NOT_COUNTED.items() if hits.by_moment.get(name)]
    mistaken = figures.wrong
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in mistaken.by_reason.items())
    why = f": {reasons}" if reasons else ""
    rows = [
        (_TOLD_AT.get(told_at, told_at), of_many(used, available))
        for told_at, (used, available) in hits.by_telling.items()
        if available
    ]
    return _Section(
        heading,
        names,
        [
            f"Of the notes that were told ahead of time, {came} had their moment come in that session.",
            f"In all, {human_count(hits.told, 'note')} told in {human_count(hits.sessions, 'session')}, each once.",
            *([f"Not counted above: {', '.join(said)}."] if said else []),
            f"Found to be wrong since: {shared(mistaken.wrong, mistaken.told, mistaken.interval)} of them{why}.",
        ],
        [("told", "its moment came"), *rows],
        "That its moment came does not say that a note was followed, or that it was needed. A wrong note that nobody"
        " noticed is not among the wrong ones.",
    )


def _cost(figures: Figures) -> _Section:
    spent, model = figures.cost, figures.cost.model
    if spent.tokens_per_session is None:
        said = ["Nothing was told, so no session paid for it."]
    else:
        said = [
            f"{human_count(spent.told_sessions, 'session was', 'sessions were')} told {spent.tokens:,} tokens:"
            f" {spent.tokens_per_session:,.0f} on average, {spent.most_tokens:,} at most."
        ]
    if spent.hook_ms_median is not None:
        said.append(f"Hooks took {spent.hook_ms_median:.0f} ms in the median, {spent.hook_ms_most:,} at most.")
    if model.requests:
        dollars = f" and ${model.cost_usd:,.2f}" if model.cost_usd is not None else ""
        unpriced = f" ({model.unpriced:,} of them without a known price)" if model.unpriced else ""
        requests = f"{human_count(model.requests, 'request')}{unpriced}"
        said.append(f"Models that read sessions for notes took {model.tokens:,} tokens{dollars} in {requests}.")
    table = [
        ("told", "tokens"),
        *((_TOLD_AT.get(at, at), f"{count:,}") for at, count in spent.tokens_by_moment.items()),
    ]
    return _Section("What it cost", "`cost`", said, table)


def _errors(figures: Figures) -> _Section:
    seen = figures.recurrence
    before, after = seen.before, seen.after
    if not seen.notes:
        said = "No note names a failure or a rule yet, so there is no error to follow."
    elif before.share is None or after.share is None:
        said = f"{human_count(seen.notes, 'note')} to follow, and none with sessions before and after that."
    else:
        said = (
            f"The errors of {human_count(before.notes, 'note')} happened in"
            f" {shared(before.came_in, before.sessions, before.interval)} sessions before it was learned, in"
            f" {shared(after.came_in, after.sessions, after.interval)} after, of which {after.told:,} were told it."
        )
    rows = [(str(week.week), of_many(week.came_in, week.sessions), f"{week.told:,}") for week in seen.weeks]
    table = [("weeks since the note was learned", "sessions with the error", "told"), *rows]
    not_said = "Errors come and go with the work that they belong to: this alone does not show that telling helps."
    return _Section("Do errors come back?", "`recurrence`", [said], table, not_said if seen.notes else "")


def _course(figures: Figures) -> _Section:
    heading, names, whole = "How sessions go", "`completion`, `first-try`", figures.course.whole
    if not whole.sessions:
        none = "No session was learned yet: `afterwit learn` reads what your agents have logged."
        return _Section(heading, names, [none])
    completed = shared(whole.completed, whole.judged, whole.completed_interval)
    passed = shared(whole.first_try, whole.checked, whole.first_try_interval)
    said = [
        f"Of the sessions whose log shows how they ended, {completed} ended well.",
        f"Of those that checked their work, {passed} passed the first check after the first change.",
    ]
    rows = [
        (week.group, f"{week.sessions:,}", of_many(week.completed, week.judged), of_many(week.first_try, week.checked))
        for week in figures.course.weeks[-_MOST_WEEKS:]
    ]
    table = [("week", "sessions", "ended well", "passed the first check"), *rows]
    not_said = "Weeks differ in what was worked on. A rise or a fall is no effect of memory by itself."
    return _Section(heading, names, said, table, not_said)


def _learned(figures: Figures) -> _Section:
    pace = figures.velocity
    in_use = f"{human_count(pace.in_use, 'note is', 'notes are')} in use" if pace.in_use else "No note is in use yet"
    undated = f" ({pace.lost_undated:,} nobody can tell when)" if pace.lost_undated else ""
    said = f"{in_use}: in {human_count(pace.days, 'day')} {pace.gained:,} gained and {pace.lost:,} lost{undated}."
    groups = (("category", pace.by_category), ("found by", pace.by_harvester))
    rows = [
        (f"{kind} `{name}`", f"{gained:,}", f"{lost:,}")
        for kind, by_name in groups
        for name, (gained, lost) in sorted(by_name.items(), key=lambda group: (-group[1][0], group[0]))
    ]
    return _Section("What was learned", "`velocity`", [said], [("notes", "gained", "lost"), *rows])


def _confidence(figures: Figures) -> _Section:
    heading, names, tested = "Is confidence honest?", "`confidence`", figures.confidence
    if tested is None or tested.forecasts < ENOUGH:
        times = human_count(tested.forecasts if tested else 0, "time")
        none = (
            f"Whether confidence is honest nobody can tell yet: {times} a session spoke of a note that was there"
            f" before, and it takes {ENOUGH}."
        )
        return _Section(heading, names, [none])
    span = f" (95 % interval {tested.low:.3f} to {tested.high:.3f})" if tested.low is not None else ""
    said = [
        f"{human_count(tested.forecasts, 'time')} a session spoke of a note that was there before it; the Brier score"
        f" of its confidence is {tested.score:.3f}{span}, where 0 is perfect.",
        f"Always saying the usual share would get {tested.uncertainty:.3f}; telling notes apart spares"
        f" {tested.resolution:.3f} of that, and lying off what happened costs {tested.reliability:.3f}.",
    ]
    rows = [(f"{part.mean_chance:.2f}", shared(*part.came_true, part.came_true.interval)) for part in tested.bins]
    not_said = "What was never found again is not held against a note."
    return _Section(heading, names, said, [("confidence before", "confirmed"), *rows], not_said)
