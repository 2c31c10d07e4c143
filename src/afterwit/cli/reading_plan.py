"""What `afterwit read` shows of a plan: the sessions, what they would take, the caps, and what leaves the machine."""

from afterwit.cli.sessions.filters import EMPTY
from afterwit.cli.terminal.amounts import human_count, human_dollars, human_tokens
from afterwit.cli.terminal.options import Here
from afterwit.cli.terminal.output import print_json, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.model.settings import ReadingSettings
from afterwit.reader.ledger import ReadingSpent
from afterwit.reader.plan import ReadingPlan
from afterwit.reader.ways.way import Way
from afterwit.sessions.filters import Filter

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
    if made.consolidations:
        names = ", ".join(dict.fromkeys(repo_name(planned.repo) for planned in made.consolidations))
        talk(f"Of these requests {len(made.consolidations):,} settle which notes say the same: those of {names}.")
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
