"""The report as a page of Markdown, and as a few lines for a terminal. The most important comes first."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from afterwit.agents.hook_payloads import START
from afterwit.config.calendar import Calendar
from afterwit.measure.charts import CONFIDENCE, ERRORS, IN_USE, NOTES, SESSIONS, Chart
from afterwit.measure.collect import Figures
from afterwit.measure.effect import EffectReport
from afterwit.measure.outcomes import Figure
from afterwit.measure.recurrence import Reduction
from afterwit.measure.session_course import CourseShare
from afterwit.measure.told_notes import Came
from afterwit.measure.words import (
    amount,
    change_cell,
    change_words,
    counted,
    finding_words,
    of_many,
    percent,
    rate,
    retirement,
    self_test_words,
    shared,
    signed,
)

Sentences = Iterator[str]
_FEW = 30  # sessions with a check, or tests of confidence, below which a share says little
_TOO_FEW = "That is too few to say much."
_SAVED = (Figure.LOST, Figure.TOKENS, Figure.DURATION, Figure.COST)


def helps(figures: Figures) -> Sentences:
    """Whether memory helps."""
    cost = figures.cost
    if figures.helps:
        yield figures.helps
    elif cost.sessions:
        skipped = counted(cost.skipped_sessions, "session was", "sessions were")
        yield (
            f"Nobody can tell yet: notes were told in {counted(cost.told_sessions, 'session')}, and {skipped} skipped"
            " on purpose, to compare."
        )
    else:
        yield "Nobody can tell yet: no session was told anything."
        yield (
            "`afterwit connect agents --all` brings the notes to your agents; some sessions are then skipped on"
            " purpose, to compare."
        )
    if figures.effect is not None:
        yield from _describe_comparison(figures.effect)


def _describe_comparison(effect: EffectReport) -> Sentences:
    if effect.sessions:
        told = counted(effect.told, "session that was told something", "sessions that were told something")
        not_told = counted(effect.not_told, "that was told nothing", "that were told nothing")
        yield f"Compared were {told} and {not_told}, on purpose."
        yield "`afterwit measure effect --explain NAME` shows the sessions behind a figure."
    yield from map(retirement, effect.harmful)
    if effect.self_test is not None:
        yield self_test_words(effect.self_test)


def told(figures: Figures) -> Sentences:
    """What was told, and whether it came up."""
    hits = figures.hit_rate
    if not hits.told:
        yield "Nothing was told yet."
        return
    if hits.available:
        came = shared(hits.used, hits.available, hits.interval)
        yield f"Of the notes that were told ahead of time, {came} had their moment come in that session."
        yield "That is: the command, the file, the failure, the rule or the topic that they are about came up."
    else:
        yield "Of no note that was told can be said whether its moment came."
    notes = counted(hits.told, "note was", "notes were")
    yield f"In all, {notes} told in {counted(hits.sessions, 'session')}, the same one counted once in each."
    others = {
        Came.THERE: "told right at their moment",
        Came.ANYTIME: "about no moment in particular",
        Came.UNREAD: "told in sessions that are not learned yet",
        Came.GONE: "no longer there",
    }
    said = [f"{hits.by_moment[came]:,} {words}" for came, words in others.items() if hits.by_moment.get(came)]
    if said:
        yield f"Not counted above: {', '.join(said)}."


def wrong(figures: Figures) -> Sentences:
    """How much of it was wrong, as far as anybody noticed."""
    share = figures.wrong
    if share.told:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in share.by_reason.items())
        why = f": {reasons}" if reasons else ""
        yield f"Found to be wrong since: {shared(share.wrong, share.told, share.interval)} told notes{why}."


def errors(figures: Figures) -> Sentences:
    """Whether errors come back after their note was learned."""
    notes, change = figures.recurrence.notes, figures.recurrence.reduction
    if not notes:
        yield "No note names a failure or a rule yet, so there is no error to follow."
        return
    if change.before is None or change.after is None or change.change is None:
        yield f"{counted(notes, 'note')} to follow, and none with sessions both before and after it was learned yet."
        return
    yield _change_of_errors(change)
    yield (
        f"Counted were {counted(change.notes, 'note that names', 'notes that name')} a failure or a rule, each in the"
        f" sessions where it holds: {change.sessions_before:,} in the eight weeks before, {change.sessions_after:,}"
        " after."
    )
    if change.told_after:
        was = "was" if change.told_after == 1 else "were"
        yield f"Of the sessions after, {change.told_after:,} {was} told the note."
        yield (
            "Errors also come and go by themselves, with the work that they belong to: this alone does not show that"
            " telling helps."
        )
    else:
        yield "None of them was told the note: this is how errors come and go by themselves."


def _change_of_errors(change: Reduction) -> str:
    """That they fell or rose only where it is more than chance, and more than one note says so."""
    if change.interval is None:
        return "Whether errors come back once their note is learned: too few to tell, it is one note so far."
    low, high = change.interval
    rates = f"from {rate(change.before or 0)} to {rate(change.after or 0)} in 100 sessions once the notes were learned"
    span = f"95 % interval of the change: {signed(low)} to {signed(high)}"
    if low <= 0 <= high:
        return f"Whether errors come back once their note is learned: too few to tell ({rates}; {span})."
    return f"The errors that notes are about {'fell' if high < 0 else 'rose'} {rates} ({span})."


def course(figures: Figures) -> Sentences:
    """How sessions go."""
    whole = figures.course.whole
    if not whole.sessions:
        yield "No session was learned yet: `afterwit learn` reads what your agents have logged."
        return
    completed = shared(whole.completed, whole.judged, whole.completed_interval)
    yield f"Of the sessions whose log shows how they ended, {completed} ended well."
    if whole.checked:
        passed = shared(whole.first_try, whole.checked, whole.first_try_interval)
        yield f"Of those that checked their work, {passed} passed the first check after the first change."
    if whole.checked < _FEW:
        yield _TOO_FEW
    yield from (f"{_kind(kind)} {_end(kind)}." for kind in figures.course.kinds if kind.sessions)


def _kind(kind: CourseShare) -> str:
    name = {"code": "mostly ran commands", "file": "mostly read and changed files"}[kind.group]
    return f"Of {counted(kind.sessions, 'session')} that {name},"


def _end(kind: CourseShare) -> str:
    completed = f"{of_many(kind.completed, kind.judged)} ended well"
    if not kind.checked:
        return f"{completed}, and none checked its work"
    return f"{completed}, and {of_many(kind.first_try, kind.checked)} passed the first check"


def cost(figures: Figures) -> Sentences:
    """What it cost."""
    spent, model = figures.cost, figures.cost.model
    if spent.tokens_per_session is None:
        yield "Nothing was told, so no session paid for it."
    else:
        sessions = counted(spent.told_sessions, "session was", "sessions were")
        yield (
            f"{sessions} told {spent.tokens:,} tokens: {spent.tokens_per_session:,.0f} on average,"
            f" {spent.most_tokens:,} at most (estimated, four characters each)."
        )
        at_start = spent.tokens_by_moment.get(START, 0)
        yield f"Of these tokens, {at_start:,} came at the start of a session, and {spent.tokens - at_start:,} later."
        yield _hook_time(figures)
        yield _cache(figures)
    if model.requests:
        dollars = f" and ${model.cost_usd:,.2f}" if model.cost_usd is not None else ""
        unpriced = f" ({model.unpriced:,} of them without a known price)" if model.unpriced else ""
        requests = counted(model.requests, "request")
        yield f"Models that read sessions for notes took {model.tokens:,} tokens{dollars} in {requests}{unpriced}."
    else:
        yield "No model was asked to read sessions."


def saved(figures: Figures) -> str:
    """What stands beside the cost: only the comparison can tell."""
    effect = figures.effect
    if not figures.cost.told_sessions:
        return ""
    if effect is None or not effect.sessions:
        return "What it saved nobody can tell yet: only sessions that are skipped on purpose can show it."
    changes = [
        f"{change.words}: {change_words(change)} ({finding_words(change.finding)})"
        for change in (effect.main, *effect.figures)
        if change.figure in _SAVED and change.change is not None
    ]
    return f"What it saved, by the comparison under the first heading: {'; '.join(changes) or 'nothing to compare'}."


def _hook_time(figures: Figures) -> str:
    spent = figures.cost
    if spent.hook_ms_median is None:
        return "How long hooks took was not recorded."
    return (
        f"Half of the {counted(spent.hook_calls, 'hook')} that had something to say took {spent.hook_ms_median:.0f} ms"
        f" of computing time or less, and none more than {spent.hook_ms_most:,} ms."
    )


def _cache(figures: Figures) -> str:
    told_share, skipped = figures.cost.told_cache, figures.cost.skipped_cache
    if told_share.mean_share is None:
        return "What that does to the prompt cache nobody can tell: these logs do not say what came from it."
    sessions = counted(told_share.sessions, "session that was told something", "sessions that were told something")
    came = f"From the prompt cache came {percent(told_share.mean_share)} of what models were given in {sessions}"
    if skipped.mean_share is None:
        return f"{came}; no session was skipped that this could be compared with."
    skips = counted(skipped.sessions, "session that was", "sessions that were")
    return f"{came}, and {percent(skipped.mean_share)} in {skips} skipped on purpose, to compare."


def learned(figures: Figures) -> Sentences:
    """What was learned and lost."""
    pace = figures.velocity
    in_use = f"{counted(pace.in_use, 'note is', 'notes are')} in use" if pace.in_use else "No note is in use yet"
    if not pace.days:
        yield f"{in_use}."
        return
    gained = counted(pace.gained, "was", "were")
    lost = f"{pace.lost:,} lost" if pace.lost else "none lost"
    yield f"{in_use}: in {counted(pace.days, 'day')} {gained} gained{_often(pace.gained_per_day or 0.0)}, and {lost}."
    if pace.lost_undated:
        yield f"Of {pace.lost_undated:,} that were lost nobody can tell when: they grew old, or their subject is gone."


def _often(per_day: float) -> str:
    if per_day >= 1:
        return f" ({per_day:.1f} a day)"
    return f" (one in {1 / per_day:,.0f} days)" if per_day else ""


def confidence(figures: Figures) -> Sentences:
    """Whether confidence is honest."""
    tested = figures.confidence
    if tested is None:
        yield "Nobody can tell yet: no session has spoken of a note that was there before it."
        return
    span = f" (95 % interval {tested.low:.3f} to {tested.high:.3f})" if tested.low is not None else ""
    yield (
        f"{counted(tested.forecasts, 'time')} a session spoke of a note that was there before it; the Brier score of"
        f" its confidence is {tested.score:.3f}{span}, where 0 is perfect."
    )
    if tested.uncertainty:
        yield (
            f"Always saying the usual share would get {tested.uncertainty:.3f}; telling notes apart spares"
            f" {tested.resolution:.3f} of that, and lying off what happened costs {tested.reliability:.3f}."
        )
    else:
        yield "All of these sessions said the same, so whether it tells good notes from bad ones nobody can tell yet."
    if tested.forecasts < _FEW:
        yield _TOO_FEW


def capture(figures: Figures) -> Sentences:
    """Whether everything is read."""
    seen = figures.capture
    if not seen.sessions and not seen.files:
        yield "No log was read yet."
        return
    bad = f"{of_many(seen.unreadable, seen.files)} could not be read" if seen.unreadable else "all could be read"
    problems = f", but for {counted(seen.problems, 'place')} in them" if seen.problems else ""
    yield f"{counted(seen.sessions, 'session')} from {counted(seen.files, 'log')}: {bad}{problems}."
    if seen.unknown_share:
        yield (
            f"The log does not say how {of_many(seen.unknown, seen.actions)} actions ended"
            f" ({percent(seen.unknown_share)}); for {seen.suggested:,} of these the output suggests it."
        )
    yield f"Hooks failed {counted(seen.hook_faults, 'time')}." if seen.hook_faults else "No hook failed."


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
        lines += ["", *_write_section(section, charts)]
    return "\n".join(lines) + "\n"


def summary(figures: Figures) -> list[str]:
    """What to know without opening the page: the first sentence of what there is to tell."""
    said = (helps, told, wrong, errors, course, learned)
    is_told = bool(figures.hit_rate.told)
    first = (next(say(figures), "") for say in said if is_told or say is not told)
    return [sentence for sentence in first if sentence]


def _when(figures: Figures, calendar: Calendar) -> str:
    since = f" since {calendar.day(figures.since_ms)}" if figures.since_ms else ""
    day = calendar.date(figures.made_ms)
    return f"Made on {day:%Y-%m-%d} from {figures.sessions:,} sessions{since}."


def _sections(figures: Figures) -> Iterator[_Section]:
    yield _Section("Does it help?", (), helps(figures), table=_effects(figures))
    yield _Section(
        "What was told",
        ("hit-rate", "wrong"),
        (*told(figures), *wrong(figures)),
        table=_tellings(figures),
        not_said="That its moment came does not say that a note was followed, or that it was needed. A wrong note that"
        " nobody noticed is not among the wrong ones."
        if figures.hit_rate.told
        else "",
    )
    yield _Section(
        "What it cost",
        ("cost",),
        cost(figures),
        not_said=saved(figures),
    )
    yield _Section("Do errors come back?", ("recurrence", "reduction"), errors(figures), (ERRORS,))
    yield _Section(
        "How sessions go",
        ("completion", "first-try"),
        course(figures),
        (SESSIONS,),
        not_said="Weeks differ in what was worked on. A rise or a fall is no effect of memory by itself."
        if figures.course.whole.sessions
        else "",
    )
    yield _Section("What was learned", ("velocity",), learned(figures), (NOTES, IN_USE), _gains(figures))
    yield _Section(
        "Is confidence honest?",
        ("confidence",),
        confidence(figures),
        (CONFIDENCE,),
        not_said="Only sessions that spoke of a note count: what was never found again is not held against it."
        if figures.confidence
        else "",
    )
    yield _Section("Is everything read?", ("capture",), capture(figures), table=_agents(figures))


def _write_section(section: _Section, charts: Mapping[str, Chart]) -> Iterator[str]:
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
