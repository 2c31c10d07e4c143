"""Figures for tests of the page: all empty, unless a test says otherwise."""

from typing import Any

from tests.measure.metrics.noting import day_ms

from afterwit.measure.cases import Cases
from afterwit.measure.collect import Figures
from afterwit.measure.effect import effect_of
from afterwit.measure.note_changes import velocity
from afterwit.measure.standing_figures import ModelSpend, cost_of_memory, course, recurrence
from afterwit.measure.told_notes import hit_rate, wrong_share


def figures(**more: Any) -> Figures:
    empty: dict[str, Any] = {
        "made_ms": day_ms(20),
        "since_ms": 0,
        "sessions": 0,
        "helps": "",
        "effect": effect_of(Cases(past=[], drawn=[], lost=[])),
        "hit_rate": hit_rate(()),
        "wrong": wrong_share(()),
        "recurrence": recurrence(()),
        "course": course((), str),
        "cost": cost_of_memory((), (), ModelSpend()),
        "velocity": velocity((), 0, 0),
        "confidence": None,
    }
    return Figures(**empty | more)
