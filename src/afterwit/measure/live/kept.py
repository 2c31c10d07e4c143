"""The verdict as it was found last, kept so that it can be shown at a glance.

The comparison reads the digests of all sessions that were drawn for. A whole run of `learn` makes it once a day; who
wants it of now asks for it.
"""

import apsw
import msgspec

from afterwit.measure.live.cases import cases_in
from afterwit.measure.live.effect import effect_of
from afterwit.measure.live.report import EffectBrief
from afterwit.store.marks import mark, put_mark
from afterwit.store.rows.hooks import has_draws

_EFFECT = "effect"
_VERSION = 1  # of the figures and how they are compared
_DAY_MS = 86_400_000


class KeptEffect(msgspec.Struct, frozen=True, kw_only=True):
    version: int
    at_ms: int
    effect: EffectBrief


def kept_effect(db: apsw.Connection) -> KeptEffect | None:
    """None where nothing was compared yet, or another version did."""
    try:
        kept = msgspec.json.decode(mark(db, _EFFECT) or "null", type=KeptEffect | None)
    except msgspec.DecodeError:
        return None
    return kept if kept is not None and kept.version == _VERSION else None


def keep_effect(db: apsw.Connection, now_ms: int) -> None:
    """Compares, where something was drawn and nothing was compared today."""
    if not has_draws(db):
        return
    kept = kept_effect(db)
    if kept is None or kept.at_ms // _DAY_MS != now_ms // _DAY_MS:
        now = KeptEffect(version=_VERSION, at_ms=now_ms, effect=effect_of(cases_in(db)).brief)
        put_mark(db, _EFFECT, msgspec.json.encode(now).decode())
