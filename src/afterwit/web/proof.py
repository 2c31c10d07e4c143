"""Proof: whether telling helps, whether confidence comes true, how notes and spending went; with the rows behind.

The verdict and the report are shown as they were found last, so that the page comes at once. Comparing anew, which
reads the digests of all sessions that were drawn for, is asked for with a click.
"""

from typing import Any

import msgspec

from afterwit.measure.dashboard.history import ReportDay, days_in
from afterwit.measure.live.cases import cases_of
from afterwit.measure.live.effect import effect_of
from afterwit.measure.live.kept import kept_effect
from afterwit.measure.live.words import NOTHING_COMPARED, amount, change_words, finding_words, verdict
from afterwit.measure.report import HISTORY, METRICS
from afterwit.reading.spent import spent_by
from afterwit.store.regular_files import read_regular
from afterwit.store.rows.readings import spending
from afterwit.store.store import readonly_database
from afterwit.web.answering import Ask, WebAnswer, WebRoute, shown


def _proof(ask: Ask) -> WebAnswer:
    with readonly_database(ask.world.layout) as db:
        kept, ledger, spent = kept_effect(db), spending(db), spent_by(db, ask.world.now_ms)
    compared = effect_of(cases_of(ask.world)) if ask.first("compare") == "now" else None
    if compared is not None:
        words, made = verdict(compared.brief), ""
    else:
        words = verdict(kept.effect) if kept is not None else NOTHING_COMPARED
        made = ask.world.calendar.moment(kept.at_ms) if kept is not None else ""
    return shown(
        ask,
        "proof.html",
        words=words,
        made=made,
        compared=compared,
        kept=kept,
        days=_days(ask),
        confidence=_confidence(ask),
        ledger=ledger,
        ledger_days=_by_day(ledger),
        spent=spent,
        amount=amount,
        change_words=change_words,
        finding_words=finding_words,
    )


def _days(ask: Ask) -> list[ReportDay]:
    try:
        return days_in(read_regular(ask.world.layout.metrics / HISTORY))
    except OSError:
        return []


def _confidence(ask: Ask) -> dict[str, Any] | None:
    """How stated confidence came true, from the last report."""
    try:
        figures = msgspec.json.decode(read_regular(ask.world.layout.metrics / METRICS))
    except (OSError, msgspec.DecodeError):
        return None
    calibration = figures.get("confidence") if isinstance(figures, dict) else None
    return calibration if isinstance(calibration, dict) and isinstance(calibration.get("bins"), list) else None


def _by_day(ledger: list[Any]) -> list[tuple[str, float]]:
    """What reading cost each day, the earliest first."""
    days: dict[str, float] = {}
    for row in reversed(ledger):
        days[row.day] = days.get(row.day, 0.0) + (row.cost_usd or 0.0)
    return list(days.items())


ROUTES = (WebRoute("/proof", _proof),)
