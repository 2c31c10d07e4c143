"""Proof: whether telling helps, what a replay says, whether confidence comes true, how notes and spending went.

Each plot is drawn from the table below it. Verdict, report and replay are shown as they were found last, so that the
page comes at once. What reads many sessions anew (comparing, the sessions behind a figure) is asked for with a click.
"""

from typing import Any, NamedTuple

import msgspec

from afterwit.measure.backtest import PRODUCT, kept_backtest
from afterwit.measure.cases import cases_of
from afterwit.measure.effect import effect_of, explained, kept_effect
from afterwit.measure.outcomes import ABOUT, Figure
from afterwit.measure.report import HISTORY, METRICS, days_in
from afterwit.measure.words import NOTHING_COMPARED, amount, change_words, finding_words, verdict
from afterwit.model.errors import UsageError
from afterwit.model.figures import Proportion
from afterwit.reader.ledger import spent_by
from afterwit.store.regular_files import read_regular
from afterwit.store.rows.readings import spending
from afterwit.store.store import readonly_database
from afterwit.web.answering import (
    Ask,
    CellLink,
    ShownTable,
    WebAnswer,
    WebRoute,
    render,
    session_path,
    tables_page,
)

_MOST_ROWS = 500
_PROOF = (CellLink("Proof", "/proof"),)


class ConfidencePoint(NamedTuple):
    """Notes that were given about the same confidence, and how often that came true."""

    mean: float
    came_true: Proportion


def _proof(ask: Ask) -> WebAnswer:
    with readonly_database(ask.world.layout) as db:
        kept, ledger, spent = kept_effect(db), spending(db), spent_by(db, ask.world.now_ms)
    compared = effect_of(cases_of(ask.world)) if ask.first("compare") == "now" else None
    if compared is not None:
        words, made = verdict(compared), ""
    else:
        words = verdict(kept.effect) if kept is not None else NOTHING_COMPARED
        made = ask.world.calendar.moment(kept.at_ms) if kept is not None else ""
    confidence, backtest = _confidence(ask), kept_backtest(ask.world)
    return render(
        ask,
        "proof.html",
        words=words,
        made=made,
        compared=compared,
        kept=kept,
        backtest=backtest,
        reports=sorted(backtest.reports, key=lambda report: report.player != PRODUCT) if backtest is not None else [],
        product=PRODUCT,
        days=days_in(ask.world.layout.metrics / HISTORY),
        confidence=confidence,
        points=_points(confidence) if confidence is not None else [],
        ledger=ledger,
        ledger_days=_by_day(ledger),
        spent=spent,
        amount=amount,
        change_words=change_words,
        finding_words=finding_words,
    )


def _figure_rows(ask: Ask) -> WebAnswer:
    """The sessions behind a figure of the live effect."""
    name = ask.first("figure")
    if name not in list(Figure):
        raise UsageError(f"{name!r} is none of: {', '.join(Figure)}.")
    about, rows = ABOUT[Figure(name)], explained(cases_of(ask.world), Figure(name))
    table = ShownTable(
        "",
        ("Session", "First draw", "Agent", "Side", "Chance#", "Value#", "Usual#", "Score#"),
        [
            (
                CellLink(row.session[:13], session_path(row.agent, row.session)),
                ask.world.calendar.moment(row.at_ms),
                row.agent,
                "told" if row.is_told else "not told",
                f"{row.chance:.2f}",
                amount(row.value),
                *("" if value is None else f"{value:.2f}" for value in (row.usual, row.score)),
            )
            for row in rows[-_MOST_ROWS:][::-1]
        ],
        "No session counts yet.",
    )
    note = "`Usual` and `score` are logarithms of one more: this figure differs by factors." if about.is_log else ""
    words = f"{about.words[:1].upper()}{about.words[1:]}. The effect is the mean of the scores.{_cut(len(rows))}"
    return tables_page(ask, "The sessions behind a figure", words, [table], note, _PROOF)


def _cut(count: int) -> str:
    return f" The latest {_MOST_ROWS:,} of {count:,} are shown." if count > _MOST_ROWS else ""


def _confidence(ask: Ask) -> dict[str, Any] | None:
    """How stated confidence came true, from the last report."""
    try:
        figures = msgspec.json.decode(read_regular(ask.world.layout.metrics / METRICS))
    except (OSError, msgspec.DecodeError):
        return None
    calibration = figures.get("confidence") if isinstance(figures, dict) else None
    return calibration if isinstance(calibration, dict) and isinstance(calibration.get("bins"), list) else None


def _points(confidence: dict[str, Any]) -> list[ConfidencePoint]:
    return [
        ConfidencePoint(part["mean_chance"], Proportion(part["came_true"]["hits"], part["came_true"]["of"]))
        for part in confidence["bins"]
    ]


def _by_day(ledger: list[Any]) -> list[tuple[str, float]]:
    """What reading cost each day, the earliest first."""
    days: dict[str, float] = {}
    for row in reversed(ledger):
        days[row.day] = days.get(row.day, 0.0) + (row.cost_usd or 0.0)
    return list(days.items())


ROUTES = (
    WebRoute("/proof", _proof),
    WebRoute("/proof/figure", _figure_rows),
)
