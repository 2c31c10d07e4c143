"""`afterwit status`: whether it lives, in a few lines. What `afterwit` alone prints, once there is a store."""

from collections.abc import Iterator

from afterwit.cli.commands import command
from afterwit.cli.connect.agents import this_machine
from afterwit.cli.learned import approvals, waits
from afterwit.cli.terminal.options import Here, reporting, timed
from afterwit.cli.terminal.output import print_json, print_text
from afterwit.config.calendar import Calendar
from afterwit.engine.doctor.findings import Level
from afterwit.engine.doctor.status import BackupState, ProofOfLife, paying
from afterwit.engine.doctor.status import status as status_now
from afterwit.model.figures import human_bytes, human_count, human_dollars, human_tokens
from afterwit.recall.tellings import said_at

_LABEL = 14  # cells
_MOST_REPEATED = 3


@command(examples=("afterwit status", "afterwit status --json"))
@reporting
@timed
def status(here: Here, is_json: bool) -> None:
    """Show whether it works, whether it pays, and what waits.

    Also what was learned and told last, how many sessions were skipped on purpose, to compare, which logs the agents
    will delete soon, what is wrong, and where data is stored. `afterwit doctor` looks closer and takes longer.
    """
    now = status_now(here.world, this_machine(here))
    if is_json:
        print_json(now)
        return
    for label, text in _lines(now, here.calendar):
        print_text(text, first=f"{label:<{_LABEL}}", rest=" " * _LABEL)


def _lines(now: ProofOfLife, calendar: Calendar) -> Iterator[tuple[str, str]]:
    yield "does it pay", _effect_line(now, calendar)
    if now.effect is not None and now.effect.effect.harmful:
        notes = " ".join(now.effect.effect.harmful)
        yield "harmful", f"telling these notes does harm; `afterwit knowledge retire {notes}` takes them out"
    yield "last learned", _last_run(now, calendar)
    yield "last told", _spoke(now, calendar)
    if now.spoke is not None or now.comparison.arms:
        yield "skipped", _holdout_line(now)
    yield "waiting", _queue_lines(now)
    for line in now.repeated[:_MOST_REPEATED]:
        yield "asked again", f"“{line.text}” {line.question} `afterwit checks add`"
    yield "vanishing", _deadline_line(now, calendar)
    if not now.reading.is_idle:
        yield "reading", _reading(now)
    if now.backup is not None:
        yield "last backup", _backup(now.backup, calendar)
    for finding in now.findings:
        yield finding.level.value, finding.what
    if not any(finding.level is Level.ALARM for finding in now.findings):
        yield "alarms", "none (a quick look; `afterwit doctor` looks closer)"
    stored = now.stored
    yield (
        "data",
        f"{stored.root}: {human_count(stored.sessions, 'session')}, database {human_bytes(stored.database_bytes)},"
        f" archive {human_bytes(stored.archive_bytes or 0)}",
    )


def _backup(backup: BackupState, calendar: Calendar) -> str:
    if backup.made_ms is None:
        return f"none yet, to go to {backup.target}. `afterwit store backup create` makes it."
    daily = "; `learn` makes one every day" if backup.is_daily else ""
    return f"{calendar.moment(backup.made_ms)}, {backup.target}{daily}"


def _effect_line(now: ProofOfLife, calendar: Calendar) -> str:
    if now.spoke is None and now.effect is None:
        return f"{paying(now)} `afterwit measure backtest` replays your history meanwhile."
    day = calendar.day(now.effect.at_ms if now.effect is not None else calendar.now_ms)
    when = "" if day == calendar.day(calendar.now_ms) else f" ({day})"
    return f"{paying(now)}{when} `afterwit measure effect` shows more."


def _last_run(now: ProofOfLife, calendar: Calendar) -> str:
    learned = now.learned
    if learned.last_run_ms is None:
        return "never. `afterwit learn` reads what your agents have logged."
    run = calendar.moment(learned.last_run_ms)
    if learned.news_ms is None:
        return run
    new = f"{human_count(learned.new_sessions, 'new session')}, {human_count(learned.new_notes, 'new note')}"
    if learned.news_ms == learned.last_run_ms:
        return f"{run}: {new}"
    return f"{run}: nothing new; before that, {calendar.moment(learned.news_ms)}: {new}"


def _spoke(now: ProofOfLife, calendar: Calendar) -> str:
    spoke = now.spoke
    if spoke is None:
        return "never. `afterwit connect status` shows which agents are connected, and whether their hooks fire."
    place = f" in {spoke.repo.rpartition('/')[2]}" if spoke.repo else ""
    return f"{calendar.moment(spoke.at_ms)}{place}, {said_at(spoke.moment, spoke.act)} ({spoke.agent})"


def _holdout_line(now: ProofOfLife) -> str:
    comparison = now.comparison
    if comparison.arms:
        arms = ", ".join(comparison.arms)
        return f"an experiment splits sessions between {arms}; `afterwit measure experiment stop` ends it"
    if not comparison.session_share and not comparison.item_share:
        return "nothing: every session is told everything"
    off = "on purpose, to compare; `afterwit measure skipping --sessions 0 --notes 0` switches that off"
    if not comparison.sessions:
        return f"none yet; {comparison.session_share:.0%} of connected agents' sessions will be told nothing, {off}"
    sessions = human_count(comparison.sessions, "session")
    return f"{comparison.skipped:,} of {sessions} in the last {comparison.days} days, {off}"


def _queue_lines(now: ProofOfLife) -> str:
    notes = now.notes
    counts = [
        *([approvals(notes.needs_approval)] if notes.needs_approval else []),
        *([waits(notes.waiting)] if notes.waiting else []),
    ]
    if not (counts or notes.active):
        return "nothing, and no note is in use: `afterwit read --plan` shows what a model could read."
    in_use = f"{human_count(notes.active, 'note')} in use"
    return f"{', '.join(counts)}; {in_use}. `afterwit review` shows what waits." if counts else f"nothing; {in_use}"


def _reading(now: ProofOfLife) -> str:
    reading = now.reading
    today = [
        *([f"{human_dollars(reading.cost_usd)} of ${reading.cap_usd:,.2f} today"] if reading.cost_usd else []),
        *(
            [f"{human_tokens(reading.unpriced_tokens)} of {human_tokens(reading.cap_tokens)} tokens today"]
            if reading.unpriced_tokens
            else []
        ),
        *([f"{human_count(reading.unanswered, 'request')} not answered yet"] if reading.unanswered else []),
    ]
    return f"{', '.join(today)}. `afterwit read --spent` shows all."


def _deadline_line(now: ProofOfLife, calendar: Calendar) -> str:
    logs = now.vanishing
    if not logs.agents:
        return "nothing: no agent here is known to delete its logs"
    was = "was" if logs.captured == 1 else "were"
    safe = f"{human_count(logs.captured, 'log')} of {', '.join(logs.agents)} {was} read before"
    if not logs.uncaptured or logs.vanishes_ms is None:
        return f"no log is lost: {safe} the agent deletes {'it' if logs.captured == 1 else 'them'}"
    when = (
        f"the first on {calendar.day(logs.vanishes_ms)}"
        if logs.vanishes_ms > calendar.now_ms
        else "the first any day now"
    )
    count = human_count(logs.uncaptured, "log")
    return f"the agents will delete {count} not read yet, {when}: run `afterwit learn`"
