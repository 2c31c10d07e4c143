"""What `doctor` says about the storage budget: originals lost before they were analysed, and caps that do not hold."""

from collections.abc import Iterator

from afterwit.agents.retention import DAY_MS
from afterwit.archive.evict import distilled_bytes, packed_originals, recapturable
from afterwit.doctor.findings import Finding, alarm, warning
from afterwit.model.settings import RetentionSettings
from afterwit.store.rows import originals
from afterwit.store.rows.originals import LOST
from afterwit.store.store import Store

RECENT_DAYS = 7
_SHOWN = 5


def budget_findings(store: Store, limits: RetentionSettings, now_ms: int) -> Iterator[Finding]:
    """A loss is an alarm for a week, so that somebody hears of it, and a warning from then on."""
    lost = [file for file in originals.dropped_files(store.db) if file.state == LOST]
    if lost:
        names = ", ".join(one.path for one in lost[:_SHOWN]) + (", …" if len(lost) > _SHOWN else "")
        count = "1 original was" if len(lost) == 1 else f"{len(lost):,} originals were"
        say = alarm if lost[0].dropped_ms > now_ms - RECENT_DAYS * DAY_MS else warning
        yield say(
            "data-loss",
            f"{count} dropped without having been analysed, because the archive was above its hard cap ({names})."
            f" {_remedy(store, limits)} `afterwit store dropped` lists them.",
        )
    used = packed_originals(store)
    if used > limits.hard_cap_bytes:
        yield alarm(
            "over-budget",
            f"Originals take {used // 1_000_000:,} MB, above the hard cap of {limits.hard_cap_bytes // 1_000_000:,} MB."
            " Run `afterwit store evict`, unpin sessions, or raise raw_hard_cap_bytes in [retention] of config.toml.",
        )
    distilled = distilled_bytes(store)
    if distilled > limits.distilled_cap_bytes:
        yield warning(
            "distilled-cap",
            f"What was learned takes {distilled // 1_000_000:,} MB, more than distilled_cap_bytes"
            f" ({limits.distilled_cap_bytes // 1_000_000:,} MB). Nothing of it is dropped; raise that cap.",
        )


def _remedy(store: Store, limits: RetentionSettings) -> str:
    """What brings back the ones that gave no session; of the others, what was read is there."""
    if not originals.lost_unread(store.db):
        return "Raise raw_hard_cap_bytes in [retention] of config.toml, so that it does not happen again."
    if recapturable(store, limits):
        return "Run `afterwit learn`: there is room now, and it takes in again what the agents still have."
    return (
        "Raise raw_hard_cap_bytes in [retention] of config.toml, then run `afterwit learn`, which takes in again what"
        " the agents still have."
    )
