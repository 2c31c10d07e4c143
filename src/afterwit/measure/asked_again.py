"""How often users ask for what is told: before it was told, where it was told, and where it was held out by chance.

Before are the sessions of the same repository before a line was told first. What the line was learned from is among
them, so that comparison flatters: the hold-out decides, and few sessions say nothing.
"""

from collections.abc import Iterable

import msgspec

from afterwit.measure.cases import Case, Cases
from afterwit.model.figures import Proportion, human_count
from afterwit.recall.holdout import HELD, TOLD

FEWEST = 10  # sessions on each of two sides, before anything is said


class AskedSide(msgspec.Struct, frozen=True, kw_only=True):
    sessions: int
    asked: int  # of these, those whose user asked for it
    turns: int  # in which they did


class LineAsked(msgspec.Struct, frozen=True, kw_only=True):
    """What became of telling one line or note; of all of them, where it has no id."""

    id: str
    text: str
    before: AskedSide
    told: AskedSide
    held_out: AskedSide

    @property
    def in_words(self) -> str:
        sides = {"before": self.before, "told": self.told, "held out": self.held_out}
        shares = (f"{side.asked:,} of {human_count(side.sessions, 'session')} {name}" for name, side in sides.items())
        return f"{', '.join(shares)}. {self.verdict}"

    @property
    def verdict(self) -> str:
        name, other = ("held out", self.held_out) if self.held_out.sessions >= FEWEST else ("before", self.before)
        if min(self.told.sessions, other.sessions) < FEWEST:
            return "Too early to say whether telling is obeyed."
        told, beside = (Proportion(side.asked, side.sessions).interval for side in (self.told, other))
        if told[1] < beside[0]:
            return f"Fewer than {name}{' (what it was learned from counts there)' if name == 'before' else ''}."
        return f"More than {name}: not obeyed." if told[0] > beside[1] else f"No difference from {name} to be seen yet."


def asked_again(cases: Cases) -> list[LineAsked]:
    """All of it first, then every line that somebody asked for, the most often told in vain first."""
    everything = [*cases.past, *cases.drawn]
    told, held_out = ([case for case in cases.drawn if case.arm == arm] for arm in (TOLD, HELD))
    total = LineAsked(id="", text="", before=_side(cases.past), told=_side(told), held_out=_side(held_out))
    texts = {(case.repo, name): text for case in everything for name, text in case.texts.items()}
    lines = []
    for (repo, name), text in sorted(texts.items()):
        here = [case for case in everything if case.repo == repo]
        first_ms = min((case.at_ms for case in here if name in case.heard), default=0)
        before = _side((case for case in here if case.at_ms < first_ms), name)
        told, held_out = ([case for case in here if case.heard.get(name) is is_told] for is_told in (True, False))
        lines.append(
            LineAsked(id=name, text=text, before=before, told=_side(told, name), held_out=_side(held_out, name))
        )
    return [total, *sorted(lines, key=lambda line: (-line.told.asked, -line.before.asked, line.id))]


def _side(cases: Iterable[Case], name: str = "") -> AskedSide:
    turns = [sum(not name or name in names for names in case.asked) for case in cases if case.figures]
    return AskedSide(sessions=len(turns), asked=sum(map(bool, turns)), turns=sum(turns))
