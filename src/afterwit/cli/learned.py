"""What `learn` and `demo` show of a run: a short table, what it was good for, the best finds, and what to do next.

A run without news is a line or two. Sentences are wrapped on a terminal; in a pipe each is one line.
"""

from pathlib import Path

from afterwit.cli.terminal.options import Here
from afterwit.cli.terminal.output import print_line, print_text, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.config.calendar import Calendar
from afterwit.model.figures import human_bytes, human_count, human_dollars, human_tokens
from afterwit.model.learn_run import AgentReport, Harvested, News, Report

_COLUMNS = (
    *(Column("agent"), Column("logs", is_number=True), Column("read", is_number=True)),
    *(Column("empty", is_number=True, gives_way=1), Column("failed", is_number=True, gives_way=1)),
    *(Column("actions", is_number=True), Column("bytes", is_number=True)),
)
_FIELDS = ("agent", "discovered", "read", "empty", "failed", "actions")
_MOST_AGENTS = 8
_MOST_ITEMS = 20


def show_report(
    here: Here,
    report: Report,
    folder: Path | str | None,
    *,
    is_reharvest: bool = False,
    is_narrow: bool = False,
    is_ended: bool = False,
    has_next: bool = True,
) -> None:
    """The report of a run, for people."""
    for line in report.damaged:
        talk(line)
    agents = [agent for agent in report.agents if agent.discovered or agent.failed]
    if not agents and is_ended:
        talk("No session has ended since the last run.")
    elif not agents and is_narrow:
        talk("No log of such a session was found. `afterwit learn` looks at all logs.")
    elif not agents:
        _show_nothing(here, folder)
    else:
        _show_run(here, report, agents, is_reharvest=is_reharvest)
        if has_next and report.news is not None and not report.is_dry_run:
            command, why = next_command(report.harvested, is_connected=report.is_connected)
            print_text(f"Next: {command}  # {why}")


def _show_run(here: Here, report: Report, agents: list[AgentReport], *, is_reharvest: bool) -> None:
    _show_agents(agents)
    if report.digested.redone:
        again = human_count(report.digested.redone, "session")
        talk(f"Looked at {again} again, because this version sees more in them; --json has what changed.")
    if report.news is not None:
        _show_news(report, report.news, here.calendar)
    _show_standing(report)
    if report.excluded:
        print_line(f"{human_count(report.excluded, 'session')} left out by your settings.")
    if report.own:
        print_line(f"{human_count(report.own, 'session')} left out in which a model only read for Afterwit.")
    if report.excluded_stored:
        count = human_count(report.excluded_stored, "stored session")
        talk(f"{count} from before your settings left them out. `afterwit sessions delete --excluded` erases them.")
    if is_reharvest:
        notes = report.harvested
        for word, ids in (("gained", notes.gained), ("lost", notes.lost), ("changed", notes.changed)):
            more = f" and {len(ids) - _MOST_ITEMS} more" if len(ids) > _MOST_ITEMS else ""
            print_line(f"{word}: {' '.join(ids[:_MOST_ITEMS]) or 'none'}{more}")
    if report.evicted is not None:
        from afterwit.cli.store.upkeep import show

        show(report.evicted)


def next_command(harvested: Harvested, *, is_connected: bool) -> tuple[str, str]:
    """The command that is of most use now, and what for."""
    if not (harvested.active or harvested.needs_approval):
        why = "without a model nothing worth a note was found; this shows what a model could read, and how much"
        return "afterwit read --plan", why
    if not is_connected:
        return "afterwit connect agents --all", "lets your agents hear it; shows every change first, and asks"
    if harvested.needs_approval:
        return "afterwit review", "what needs your approval, one by one"
    return "afterwit recall", "what a session in this folder is told"


def _show_agents(agents: list[AgentReport]) -> None:
    """The agents of which something was read, or could not be: the largest first where they are many."""
    busy = [agent for agent in agents if agent.read or agent.empty or agent.failed]
    if len(busy) > _MOST_AGENTS:
        busy.sort(key=lambda agent: (-agent.failed, -agent.bytes))
    shown, rest = busy[:_MOST_AGENTS], busy[_MOST_AGENTS:]
    if shown:
        print_table(_COLUMNS, [_row(agent) for agent in shown])
    if rest:
        logs = human_count(sum(agent.read for agent in rest), "log")
        print_line(f"… and {logs} of {human_count(len(rest), 'more agent')}; --json has them all")
    for agent in agents:
        if agent.no_reader and not agent.unchanged:
            print_line(f"no reader yet: {human_count(agent.no_reader, 'log')} of {agent.agent}")
        for error in agent.errors:
            talk(f"{agent.agent}: {error}")
    problems = sum(agent.problems for agent in agents)
    if problems:
        talk(
            f"{human_count(problems, 'piece')} of logs could not be read;"
            " `afterwit store problems` shows where and why."
        )
    if busy:
        print_line("")


def _row(agent: AgentReport) -> tuple[object, ...]:
    return *(getattr(agent, name) for name in _FIELDS), human_bytes(agent.bytes)


def _show_news(report: Report, news: News, calendar: Calendar) -> None:
    new = "" if news.new_sessions == news.sessions else f" ({human_count(news.new_sessions)} of them new)"
    sessions = f"{human_count(news.sessions, 'session')} of {human_count(len(news.agents), 'agent')}{new}"
    print_text(f"Read {sessions}{_among(report, news)}{_spent(news)}.")
    if news.rescued and news.rescued_from_ms is not None:
        when = (
            f"from {calendar.day(news.rescued_from_ms)} on" if news.rescued_from_ms > calendar.now_ms else "any day now"
        )
        kept = "would be kept" if report.is_dry_run else "are kept now"
        logs = human_count(news.rescued, "of these logs", "of these logs")
        print_text(f"The agents will delete {logs} themselves, {when}; the contents {kept}.")
    if news.finds:
        print_line("")
        print_line("The best finds:" if news.finds[0].is_new else "They brought no new notes. The most certain so far:")
        for find in news.finds:
            place = f"{find.applies_to}, " if find.applies_to else ""
            print_text(f"{find.sentence} ({place}{find.rests_on})", first="- ", rest="  ")
        print_line("")
    for saying in news.keeps_saying:
        where = f"{human_count(saying.sessions, 'session')} of {saying.repo.rpartition('/')[2]}"
        print_text(f'You keep saying ({where}): "{saying.words.rstrip(".")}". `afterwit review` makes it a note.')


def _among(report: Report, news: News) -> str:
    """Where the table counts fewer logs than these are sessions."""
    logs = sum(agent.read for agent in report.agents)
    return f" in {human_count(logs, 'log')} (a subagent counts as a session)" if logs < news.sessions else ""


def _spent(news: News) -> str:
    if not news.tokens:
        return ""
    tokens = f"{human_tokens(news.tokens)} tokens"
    if news.cost_usd is None:
        return f", with {tokens}; the price of their models is not known"
    return f", which cost {human_dollars(news.cost_usd, is_partial=news.is_cost_partial)} by list price ({tokens})"


def _show_standing(report: Report) -> None:
    """How things stand after the run: one line, two where something waits for a person."""
    harvested = report.harvested
    nothing = "" if report.news or report.is_dry_run else "Nothing new. "
    verb = "would hold" if report.is_dry_run else "holds"
    notes = f" and {human_count(harvested.active, 'note')} in use" if harvested.items else ""
    changes = ", ".join(
        f"{len(ids):,} {word}" for ids, word in ((harvested.lost, "gone"), (harvested.changed, "changed")) if ids
    )
    more = f" ({changes})" if changes else ""
    print_text(f"{nothing}The store {verb} {human_count(report.sessions, 'session')}{notes}{more}.")
    counts = ((harvested.needs_approval, approvals), (harvested.waiting, waits))
    if waiting := [words(count) for count, words in counts if count]:
        print_text(f"{', '.join(waiting)}. `afterwit review` shows what waits.")


def approvals(count: int) -> str:
    return f"{human_count(count, 'note')} {'needs' if count == 1 else 'need'} your approval"


def waits(count: int) -> str:
    return f"{human_count(count, 'note')} {'waits' if count == 1 else 'wait'}"


def _show_nothing(here: Here, folder: Path | str | None) -> None:
    if folder is not None:
        talk(f"No log of a known format found in {folder}.")
        return
    talk(
        f"No agent logs found below {here.world.user_home}. `afterwit config show` lists where each agent was looked"
        " for; `afterwit learn --sessions-dir FOLDER` reads logs from elsewhere."
        " `afterwit demo` (in a clone: `make demo`) shows on invented logs what it does."
    )
