"""`afterwit sessions cost`: what was spent, by day, week, month, repository, model, agent, domain or session."""

import json
from typing import Any

from afterwit.cli.commands import command
from afterwit.cli.sessions.filters import filtered, nothing_matches
from afterwit.cli.terminal.options import Here, many, reporting
from afterwit.cli.terminal.output import print_json, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.model.figures import human_dollars, human_tokens
from afterwit.repos.remotes import short_names
from afterwit.sessions.cost import By, CostReport, Spending
from afterwit.sessions.cost import cost as run
from afterwit.sessions.filters import Filter

_USUAL_OUTPUT = 100  # tokens of a response: complete histories have 350 and more on average
_NUMBERS = (
    Column("responses", is_number=True, gives_way=2),
    Column("input", is_number=True, gives_way=3),
    Column("cache read", is_number=True, gives_way=5),
    Column("cache write", is_number=True, gives_way=4),
    Column("output", is_number=True, gives_way=3),
    Column("reasoning", is_number=True, gives_way=6),
    Column("tokens", is_number=True, gives_way=1),
    Column("cost", is_number=True),
)


@command(
    examples=(
        "afterwit sessions cost --since 'last week'",
        "afterwit sessions cost --by month",
        "afterwit sessions cost --by repo --by model",
        "afterwit sessions cost --by session --agent codex --json",
    ),
)
@many("--by", "grouped", "WHAT", f"One of {', '.join(By)}; repeat to break it down further. Default: day.", By)
@reporting
@filtered
def cost(here: Here, wanted: Filter, grouped: tuple[str, ...], is_json: bool) -> None:
    """Show what the models cost, by list price.

    Days, weeks (2026-W19, from Monday on) and months come in order, everything else by cost. They are those of local
    time, unless --utc is given. `--since` and `--until` count the responses of that time, whenever their session
    began. Each response is priced by its model, its day and the length of its prompt; subscriptions and discounts are
    not known. `?` means that no price is known, `+` that none is known for some of it: `[prices]` in config.toml adds
    or changes prices.

    Subagents of which only copies inside their parents' logs are left are part of all sums, and once more in a line of
    their own below the total: other tools leave them out, or count every copy.
    """
    by = tuple(dict.fromkeys(By(name) for name in grouped)) or (By.DAY,)
    report = run(here.world, wanted, by)
    if is_json:
        print_json(_as_json(report))
    elif report.lines:
        _show(report)
    else:
        hint = nothing_matches(here, wanted) or "`afterwit sessions list` shows what there is."
        talk(f"No response of a model is known for that. {hint}")


def _show(report: CostReport) -> None:
    names = [Column(by.value, takes_rest=at == len(report.by) - 1) for at, by in enumerate(report.by)]
    names_shown = _short_names(report)
    rows = [
        (*(names_shown.get(part, part) or "–" for part in line.key), *_cells(line.spending)) for line in report.lines
    ]
    if len(rows) > 1:
        rows.append(("total", *("" for _ in report.by[1:]), *_cells(report.total)))
    if report.nested.responses:
        rows.append(("of it nested", *("" for _ in report.by[1:]), *_cells(report.nested)))
    print_table((*names, *_NUMBERS), rows)
    if report.total.output < _USUAL_OUTPUT * report.total.responses:
        talk("Output counts low: Claude Code logs that of many responses before they have ended. The cost was higher.")
    if report.unpriced_models:
        talk(f"No price is known for: {', '.join(report.unpriced_models)}. `[prices]` in config.toml can add one:")
        talk(f"  [prices.{json.dumps(report.unpriced_models[0])}]")
        talk("  input = 1.0    # US dollars per million tokens")
        talk("  output = 2.0")


def _short_names(report: CostReport) -> dict[str, str]:
    """Repositories by their last part, and sessions by as much of their id as they need."""
    if By.REPO not in report.by:
        return report.short_ids
    at = report.by.index(By.REPO)
    return report.short_ids | short_names({line.key[at] for line in report.lines})


def _cells(spent: Spending) -> tuple[str, ...]:
    return (
        f"{spent.responses:,}",
        *(human_tokens(getattr(spent, name)) for name in ("input", "cache_read", "cache_write", "output")),
        human_tokens(spent.reasoning) if spent.reasoning else "",
        human_tokens(spent.tokens),
        human_dollars(spent.cost_usd, is_partial=spent.is_partial),
    )


def _as_json(report: CostReport) -> dict[str, Any]:
    lines = [dict(zip(report.by, line.key, strict=True)) | _figures(line.spending) for line in report.lines]
    return {
        "by": report.by,
        "lines": lines,
        "total": _figures(report.total),
        "nested": _figures(report.nested),
        "unpriced_models": report.unpriced_models,
    }


def _figures(spent: Spending) -> dict[str, Any]:
    names = ("responses", "input", "cache_read", "cache_write", "output", "reasoning", "tokens", "cost_usd")
    return {name: getattr(spent, name) for name in names} | {
        "cache_write_1h": spent.cache_write_1h,
        "is_cost_partial": spent.is_partial,
        "unpriced_responses": spent.unpriced,
    }
