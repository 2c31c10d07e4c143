"""What `afterwit read` shows of a plan (sessions, amounts, caps, what leaves the machine) and where it calls a model:
the question before the first time, the run, and the ledger. And the way in to it.

What a model could do here is offered once `learn` has read, and a model that is set is tried. Nothing is sent before a
person says so. Whoever says *never* is not asked again (`reading.offer`).
"""

import sys
import time
from typing import Any

import click

from afterwit.agents.registry import agents_with
from afterwit.cli.commands import ExitCode
from afterwit.cli.sessions.filters import EMPTY
from afterwit.cli.terminal.options import Here
from afterwit.cli.terminal.output import ask_or_leave, print_json, print_line, read_key, talk
from afterwit.cli.terminal.progress import Bar, bar
from afterwit.cli.terminal.table import Column, print_table
from afterwit.config.set import ConfigTarget, set_value
from afterwit.model.errors import AfterwitError
from afterwit.model.figures import human_count, human_dollars, human_tokens
from afterwit.model.settings import ReadingSettings
from afterwit.reader.calling import CalledRun, CallingRules, call, surroundings_of, way_to
from afterwit.reader.ledger import ReadingSpent, spent_by
from afterwit.reader.plan import ReadingPlan, ReadingWish, plan
from afterwit.reader.ways.way import ModelQuestion, Way, usable_ways
from afterwit.sessions.filters import Filter
from afterwit.store.rows.readings import spending, was_called
from afterwit.store.store import readonly_database

CAPS = "`[reading]` in config.toml holds the caps"
_MOST_ROWS = 20
_PRICES = "`[prices]` in config.toml can add a price"


def show_plan(here: Here, made: ReadingPlan, wanted: Filter, way: Way | None, *, is_json: bool) -> None:
    """The plan: as JSON, or as a table with what stands under it."""
    if is_json:
        print_json(made.as_json())
    else:
        tell_plan(here, made, wanted, way)


def tell_plan(here: Here, made: ReadingPlan, wanted: Filter, way: Way | None) -> None:
    """The plan for people."""
    if made.sessions:
        _print_sessions(here, made)
    elif made.requests:
        talk("No session waits to be read.")
    elif made.read or made.asked or made.failed:
        talk("Nothing waits to be read now. --again reads what was read or asked before once more.")
    elif made.waiting:
        talk(f"{human_count(made.waiting, 'session')} wait, and the caps leave nothing for them today. {CAPS}.")
    else:
        talk("No sessions match." if wanted != Filter() else EMPTY)
    _tell_amounts(here, made, way)


def _print_sessions(here: Here, made: ReadingPlan) -> None:
    columns = (
        Column("id"),
        Column("value", is_number=True, gives_way=2),
        Column("requests", is_number=True, gives_way=3),
        Column("tokens", is_number=True, gives_way=1),
        Column("started", gives_way=4),
        Column("repo", gives_way=5, most=16),
        Column("title", takes_rest=True, most_lines=1),
    )
    rows = [
        (
            planned.session.id,
            f"{planned.value:.1f}",
            f"{len(planned.requests):,}",
            human_tokens(sum(estimated.tokens_in for estimated in planned.estimates)),
            here.calendar.moment(planned.session.row.started_ms),
            planned.session.row.repo.rpartition("/")[2] or "–",
            planned.session.title or "–",
        )
        for planned in made.sessions[:_MOST_ROWS]
    ]
    print_table(columns, rows)
    more = (
        f" {len(made.sessions) - len(rows):,} more are left out here; --json has all."
        if made.sessions[_MOST_ROWS:]
        else ""
    )
    talk(f"value: corrections, failures and fixes that a note could come of; the highest first.{more}")


def _tell_amounts(here: Here, made: ReadingPlan, way: Way | None) -> None:
    """What stands under the table: amounts, caps, and what leaves the machine."""
    caps, estimates = here.world.settings.reading, made.estimates
    if estimates:
        read = human_tokens(sum(estimated.tokens_in for estimated in estimates))
        written = human_tokens(sum(estimated.tokens_out for estimated in estimates))
        price = f", at most {human_dollars(made.cost_usd)} by list price" if made.cost_usd is not None else ""
        talk(
            f"{len(made.sessions):,} of {human_count(made.waiting, 'session')} that a model could read (subagents"
            f" apart), {human_count(len(estimates), 'request')}{f', for {made.model}' if made.model else ''}:"
            f" {read} tokens to read, at most {written} to write{price}."
        )
    if made.briefs:
        names = ", ".join(dict.fromkeys(repo_name(planned.repo) for planned in made.briefs))
        talk(f"Of these requests {len(made.briefs):,} compile what sessions are told: the brief of {names}.")
    if made.read or made.asked:
        talk(f"Read before: {made.read:,}. Asked and not answered yet: {made.asked:,}.")
    if made.failed:
        talk(f"Left alone for a while, because a call failed: {made.failed:,}. `afterwit doctor` says why.")
    if estimates and not made.model:
        talk("No model is chosen yet: --with MODEL names one, and says what it would cost by list price.")
    elif estimates and made.cost_usd is None:
        talk(f"No price is known for it, so its tokens are capped. {_PRICES}.")
    if made.model:
        talk(caps_said(caps, made.spent, has_price=not estimates or made.cost_usd is not None))
    if made.stopped_by == "caps" and made.requests:
        talk(f"The caps end the list here. {CAPS}, --budget those of one run.")
    if estimates:
        talk(
            "What a request holds: the prompt (`afterwit read --prompt`), the session as numbered lines, redacted, the"
            " notes of its repository, and the beginning of its instruction files."
            f" It goes to {way.recipient() if way is not None else 'whomever you hand it to'}."
        )


def repo_name(repo: str) -> str:
    """The last part of it."""
    return repo.rpartition("/")[2] or "no repository"


def caps_said(caps: ReadingSettings, spent: ReadingSpent, *, has_price: bool) -> str:
    """How far the caps are used, of models with or without a known price."""
    if has_price:
        day, month = human_dollars(spent.day.cost_usd), human_dollars(spent.month.cost_usd)
        today, this_month = f"${caps.usd_per_day:,.2f} today", f"${caps.usd_per_month:,.2f} this month"
    else:
        day, month = human_tokens(spent.day.unpriced_tokens), human_tokens(spent.month.unpriced_tokens)
        today = f"{human_tokens(caps.tokens_per_day)} tokens today"
        this_month = f"{human_tokens(caps.tokens_per_month)} this month"
    return f"Spent or reserved: {day} of {today}, {month} of {this_month}."


_MOST_FAULTS = 3
_ENDINGS = {
    "caps": f"The caps allow no more. {CAPS}.",
    "failures": "Several calls failed in a row, so it stopped.",
    "interrupted": "Stopped. What was read so far is kept, and the next run goes on from here.",
    "time": "The time was up.",
}


def read_with(here: Here, wish: ReadingWish, way: Way, *, is_agreed: bool, is_json: bool) -> None:
    """Plans, shows it, asks where this model was never called before, and calls."""
    if refusal := way.refusal():
        raise AfterwitError(f"{wish.model} cannot read: {refusal}")
    with bar("planning", "sessions") as progress:
        made = plan(here.world, wish._replace(overhead_tokens=way.overhead_tokens), progress)
    if not is_json:
        tell_plan(here, made, wish.filter, way)
    if made.requests:
        _ask_once(here, made, way, is_agreed=is_agreed)
    with bar("reading", "requests") as progress:
        calls = CallingRules(way, _now_ms, wish.budget_usd, wish.is_again, watch=lambda run: _detail(progress, run))
        run = call(here.world, made, calls, progress) if made.requests else CalledRun(model=made.model)
    if is_json:
        print_json(run)
    elif made.requests:
        _show_run(run)
    if run.failed or run.stopped_by == "interrupted":
        raise click.exceptions.Exit(ExitCode.PARTLY_DONE if run.answered or not run.failed else ExitCode.FAILED)


def tell_ways(here: Here) -> None:
    """Which models could be called from here, where none is chosen."""
    ways = usable_ways(surroundings_of(here.world))
    if not ways:
        talk("No way to a model is installed here; `afterwit read --to FILE --with MODEL` writes requests for any.")
        return
    for name, way in ways.items():
        talk(f"`afterwit read --with {name}` lets it read, and sends to {way.recipient()}.")


def tell_compiled(lines: int, replaced: int) -> None:
    """What came of requests to compile briefs."""
    if lines or replaced:
        print_line(f"Briefs compiled: {human_count(lines, 'line')}, {human_count(replaced, 'note')} replaced.")
        talk("`afterwit brief` shows the page.")


def show_spent(here: Here, *, is_json: bool) -> None:
    """The ledger, and what the caps leave."""
    caps = here.world.settings.reading
    with readonly_database(here.world.layout) as db:
        rows, spent = spending(db), spent_by(db, here.world.now_ms)
    if is_json:
        print_json({"caps": _caps(here), "spent": _amounts(spent), "ledger": [row._asdict() for row in rows]})
        return
    columns = (
        Column("day"),
        Column("model"),
        Column("repo", gives_way=1, most=20),
        Column("requests", is_number=True, gives_way=3),
        Column("notes", is_number=True, gives_way=2),
        Column("tokens in", is_number=True),
        Column("out", is_number=True),
        Column("cost", is_number=True),
    )
    shown = [
        (
            row.day,
            row.model,
            row.repo.rpartition("/")[2] or "–",
            f"{row.requests:,}",
            f"{row.notes:,}",
            human_tokens(row.tokens_in),
            human_tokens(row.tokens_out),
            human_dollars(row.cost_usd, is_partial=bool(row.unpriced) and row.cost_usd is not None),
        )
        for row in rows
    ]
    if shown:
        print_table(columns, shown)
    else:
        talk("No model was asked to read yet. `afterwit read --plan` says what could be read.")
    for has_price in (True, False):
        whose = "with" if has_price else "without"
        talk(f"Models {whose} a known price. {caps_said(caps, spent, has_price=has_price)}")


def _ask_once(here: Here, made: ReadingPlan, way: Way, *, is_agreed: bool) -> None:
    with readonly_database(here.world.layout) as db:
        is_usual = was_called(db, made.model) or here.world.settings.reading.model == made.model
    if not (is_agreed or is_usual):
        question = f"Send this to {way.recipient()}? It is asked only this first time."
        ask_or_leave(question, "Add --yes to send it, or --plan to see what would be sent.")


def _detail(progress: Bar, run: CalledRun) -> None:
    tokens = human_tokens(run.tokens_in + run.tokens_out)
    money = "" if run.unpriced else f", {human_dollars(run.cost_usd)}"
    progress.detail(f"{human_count(run.sessions, 'session')}, {tokens} tokens{money}")


def _show_run(run: CalledRun) -> None:
    print_line(
        f"{human_count(run.sessions, 'session')} read ({human_count(run.answered, 'answer')}):"
        f" {human_count(run.notes, 'note')}, {human_count(run.relations, 'word')} on notes that were there,"
        f" {run.rejected:,} rejected."
    )
    tell_compiled(run.lines, run.replaced)
    cost = "" if run.unpriced else f", {human_dollars(run.cost_usd)}"
    talk(f"{human_tokens(run.tokens_in)} tokens read, {human_tokens(run.tokens_out)} written{cost}.")
    for failed in run.failed[:_MOST_FAULTS]:
        what = failed.native_id[:8] or f"The notes of {repo_name(failed.repo)}"
        talk(f"{what} failed: {failed.fault}")
    if run.failed:
        more = len(run.failed) - _MOST_FAULTS
        others = f" and {human_count(more, 'more')}" if more > 0 else ""
        talk(f"What failed{others} is asked again later, after a pause; `afterwit doctor` shows it.")
    if run.stopped_by:
        left = f" {human_count(run.left, 'request')} of the plan left." if run.left else ""
        talk(f"{_ENDINGS[run.stopped_by]}{left}")
    if run.notes or run.lines or run.replaced:
        talk("`afterwit knowledge list` shows the notes, `afterwit knowledge undo` takes all of this back.")
    if run.rejected:
        talk("`afterwit read --rejected` shows what was refused, and why.")


def _caps(here: Here) -> dict[str, Any]:
    caps = here.world.settings.reading
    names = ("usd_per_day", "usd_per_month", "tokens_per_day", "tokens_per_month")
    return {name: getattr(caps, name) for name in names}


def _amounts(spent: ReadingSpent) -> dict[str, Any]:
    return {name: amount._asdict() for name, amount in spent._asdict().items()}


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


_CHECK_SECONDS = 60.0
_QUESTION = ModelQuestion("check", "Answer with the one word yes.", "Can you read this?", {}, 16)


def offer_reading(here: Here) -> None:
    """Says what reading would bring and take by a model that can be called from here, and asks: yes, later, never."""
    settings = here.world.settings.reading
    if settings.model is not None or not settings.offer or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return
    ways = usable_ways(surroundings_of(here.world))
    if not ways:
        return
    name, way = next(iter(ways.items()))
    wish = ReadingWish(model=name, overhead_tokens=way.overhead_tokens)
    with bar("looking what could be read", "sessions") as progress:
        made = plan(here.world, wish, progress)
    if not made.sessions:
        return
    read, written = (
        sum(estimated.tokens_in for estimated in made.estimates),
        sum(estimated.tokens_out for estimated in made.estimates),
    )
    price = f", at most {human_dollars(made.cost_usd)} by list price" if made.cost_usd is not None else ""
    talk(
        f"\n{name} can read {human_count(len(made.sessions), 'session')} of {made.waiting:,} here and write the page"
        f" that later ones begin with: about {human_tokens(read)} tokens in, at most"
        f" {human_tokens(written)} out{price}."
        f" It sends to {way.recipient()}; nothing is sent before you say so."
    )
    talk("Let it read? y yes, l later, n never")
    key = read_key()
    if key == "y":
        set_value(_target(here), "reading.model", name)
        read_with(here, wish, way, is_agreed=True, is_json=False)
    elif key == "n":
        set_value(_target(here), "reading.offer", "false")
        talk("It is not offered again. `afterwit read --plan` shows it whenever you like.")


def check_model(here: Here, model: str) -> str:
    """Asks a model that was set one tiny question; what is wrong with it, or ""."""
    way = way_to(model, here.world)
    if way is None:
        return ""
    if refusal := way.refusal():
        return refusal
    talk(f"Asking {model} one small question, to see whether it answers …")
    return way.answer(_QUESTION, _CHECK_SECONDS).fault


def _target(here: Here) -> ConfigTarget:
    agents = [agent.name for agent in agents_with(here.world.declared)]
    return ConfigTarget(here.configured.place.config, here.world.user_home, agents)
