"""How reading by a model stands: what was spent today, what was asked and is not answered, and which calls failed."""

from collections.abc import Iterator

import apsw
import msgspec

from afterwit.engine.doctor.findings import DoctorFinding, warning
from afterwit.model.settings import ReadingSettings
from afterwit.model.times import iso_from_ms
from afterwit.reader.ledger import spent_by
from afterwit.store.rows.readings import count_unanswered, requests_failed


class ReadingState(msgspec.Struct, frozen=True, kw_only=True):
    """What reading has taken today, and what waits for an answer."""

    cost_usd: float  # spent or reserved today, by UTC
    cap_usd: float
    unpriced_tokens: int  # the same of models without a known price
    cap_tokens: int
    unanswered: int  # requests that were asked and not answered yet, with those that failed
    failed: int

    @property
    def is_idle(self) -> bool:
        return not (self.cost_usd or self.unpriced_tokens or self.unanswered)


def reading_state(db: apsw.Connection, caps: ReadingSettings, now_ms: int) -> ReadingState:
    today = spent_by(db, now_ms).day
    return ReadingState(
        cost_usd=today.cost_usd,
        cap_usd=caps.usd_per_day,
        unpriced_tokens=today.unpriced_tokens,
        cap_tokens=caps.tokens_per_day,
        unanswered=count_unanswered(db),
        failed=len(requests_failed(db)),
    )


def reading_findings(db: apsw.Connection) -> Iterator[DoctorFinding]:
    """One warning for each model whose calls failed and were not answered since."""
    failures = requests_failed(db)
    if not failures:
        return
    from afterwit.reader.plan import retry_ms  # with all that harvests, which few need here

    for model in dict.fromkeys(failure.model for failure in failures):
        own = [failure for failure in failures if failure.model == model]
        count = "1 request" if len(own) == 1 else f"{len(own):,} requests"
        at = f"{iso_from_ms(min(retry_ms(failure) for failure in own))[:16]}Z"
        yield warning(
            "reading-failed",
            f"{model} did not answer {count}. Latest: {own[0].fault.rstrip('.')}. Mend that; from"
            f" {at} on `afterwit read --with {model}` asks again.",
        )
