"""The report as a page of Markdown, and as a few lines for a terminal. The most important comes first."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from afterwit.config.calendar import Calendar
from afterwit.measure.dashboard import sentences
from afterwit.measure.dashboard.charts import Chart
from afterwit.measure.dashboard.pictures import CONFIDENCE, ERRORS, IN_USE, NOTES, SESSIONS
from afterwit.measure.dashboard.words import of_many, percent
from afterwit.measure.live.words import amount, change_cell, finding_words
from afterwit.measure.metrics.figures import Figures


class _Section(NamedTuple):
    heading: str
    explained: Sequence[str]  # names for `--explain`
    text: Iterable[str]  # sentences
    pictures: Sequence[str] = ()  # names of files
    table: Sequence[Sequence[str]] = ()  # the first row is its heading
    not_said: str = ""  # what the figure does not say


def page(figures: Figures, charts: Mapping[str, Chart], calendar: Calendar) -> str:
    """The whole page. Charts stand beside it as files."""
    lines = [
        "# What memory does",
        "",
        f"{_when(figures, calendar)} Every figure can be traced to its sessions and notes: the names below each heading"
        " go with `afterwit measure report --explain NAME`.",
    ]
    for section in _sections(figures):
        lines += ["", *_written(section, charts)]
    return "\n".join(lines) + "\n"


def summary(figures: Figures) -> list[str]:
    """What to know without opening the page: the first sentence of what there is to tell."""
    said = (sentences.helps, sentences.told, sentences.wrong, sentences.errors, sentences.course, sentences.learned)
    is_told = bool(figures.hit_rate.told)
    first = (next(say(figures), "") for say in said if is_told or say is not sentences.told)
    return [sentence for sentence in first if sentence]


def _when(figures: Figures, calendar: Calendar) -> str:
    since = f" since {calendar.day(figures.since_ms)}" if figures.since_ms else ""
    day = calendar.date(figures.made_ms)
    return f"Made on {day:%Y-%m-%d} from {figures.sessions:,} sessions{since}."


def _sections(figures: Figures) -> Iterator[_Section]:
    yield _Section("Does it help?", (), sentences.helps(figures), table=_effects(figures))
    yield _Section(
        "What was told",
        ("hit-rate", "wrong"),
        (*sentences.told(figures), *sentences.wrong(figures)),
        table=_tellings(figures),
        not_said="That its moment came does not say that a note was followed, or that it was needed. A wrong note that"
        " nobody noticed is not among the wrong ones."
        if figures.hit_rate.told
        else "",
    )
    yield _Section(
        "What it cost",
        ("cost",),
        sentences.cost(figures),
        not_said=sentences.saved(figures),
    )
    yield _Section("Do errors come back?", ("recurrence", "reduction"), sentences.errors(figures), (ERRORS,))
    yield _Section(
        "How sessions go",
        ("completion", "first-try"),
        sentences.course(figures),
        (SESSIONS,),
        not_said="Weeks differ in what was worked on. A rise or a fall is no effect of memory by itself."
        if figures.course.whole.sessions
        else "",
    )
    yield _Section("What was learned", ("velocity",), sentences.learned(figures), (NOTES, IN_USE), _gains(figures))
    yield _Section(
        "Is confidence honest?",
        ("confidence",),
        sentences.confidence(figures),
        (CONFIDENCE,),
        not_said="Only sessions that spoke of a note count: what was never found again is not held against it."
        if figures.confidence
        else "",
    )
    yield _Section("Is everything read?", ("capture",), sentences.capture(figures), table=_agents(figures))


def _written(section: _Section, charts: Mapping[str, Chart]) -> Iterator[str]:
    yield f"## {section.heading}"
    if section.explained:
        yield ""
        yield f"*{', '.join(f'`{name}`' for name in section.explained)}*"
    yield ""
    yield " ".join(section.text)
    if section.not_said:
        yield ""
        yield section.not_said
    for name in filter(charts.__contains__, section.pictures):
        yield ""
        yield f"![{charts[name].title}]({name})"
    if len(section.table) > 1:
        yield ""
        yield from _table(section.table)


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    heading, *rest = rows
    yield f"| {' | '.join(heading)} |"
    yield f"| {' | '.join('---' for _ in heading)} |"
    yield from (f"| {' | '.join(row)} |" for row in rest)


def _effects(figures: Figures) -> list[tuple[str, ...]]:
    effect = figures.effect
    rows = [
        (
            f"{change.words} (`{change.figure}`)",
            *("–" if mean is None else amount(mean) for mean in (change.told, change.not_told)),
            change_cell(change),
            finding_words(change.finding),
        )
        for change in ((effect.main, *effect.figures) if effect is not None and effect.sessions else ())
    ]
    return [("figure", "told", "not told", "change (valid at every look)", "finding"), *rows]


def _tellings(figures: Figures) -> list[tuple[str, ...]]:
    names = {"start": "at the start", "prompt": "with a prompt", "recall": "when asked", "asked": "when asked for it"}
    rows = [
        (names.get(told_at, told_at), of_many(used, available))
        for told_at, (used, available) in figures.hit_rate.by_telling.items()
        if available
    ]
    return [("told", "its moment came"), *rows]


def _gains(figures: Figures) -> list[tuple[str, ...]]:
    groups = (("category", figures.velocity.by_category), ("found by", figures.velocity.by_harvester))
    rows = [
        (f"{kind} `{name}`", f"{gained:,}", f"{lost:,}")
        for kind, by_name in groups
        for name, (gained, lost) in sorted(by_name.items(), key=lambda group: (-group[1][0], group[0]))
    ]
    return [("notes", "gained", "lost"), *rows]


def _agents(figures: Figures) -> list[tuple[str, ...]]:
    rows = [
        (
            row.agent,
            f"{row.sessions:,}",
            of_many(row.unreadable, row.files),
            f"{row.actions:,}",
            f"{of_many(row.unknown, row.actions)} ({percent(row.unknown / row.actions)})" if row.actions else "–",
            f"{row.hook_faults:,}",
        )
        for row in figures.capture.agents
    ]
    heading = ("agent", "sessions", "logs that could not be read", "actions", "of these, end not known", "hooks failed")
    return [heading, *rows]
