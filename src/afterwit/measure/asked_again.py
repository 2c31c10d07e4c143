"""How often users ask for what is told: before it was told, where it was told, and where it was held out by chance.

This is the figure that matters to people: corrections of what a session should have known. Before counts the sessions
of the same repositories that came before anything was drawn, of a line those before it was told first. What a line was
learned from is among them, so that comparison flatters; only what was held out decides, and few sessions say nothing.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from afterwit.measure.cases import Case, Cases
from afterwit.measure.outcomes import Figure
from afterwit.measure.statistics import Finding
from afterwit.model.figures import Proportion, human_count
from afterwit.recall.holdout import HELD, TOLD

FEWEST = 10  # sessions on a side, before anything is said
_MOST_LINES = 20
_FINDINGS = {
    Finding.HELPS: "Users who are told nothing ask for it more often: telling is obeyed.",
    Finding.HARMS: "Users ask for it more often where it was told: telling is not obeyed.",
    Finding.NO_EVIDENCE: "Too early to say whether telling is obeyed: the sides do not differ by more than chance.",
}


class AskedSide(msgspec.Struct, frozen=True, kw_only=True):
    """Sessions of one side."""

    sessions: int
    asked: int  # of these, those whose user asked for it
    turns: float  # in which they did

    @property
    def in_words(self) -> str:
        return f"{self.turns / self.sessions:.2f}" if self.sessions else "–"

    @property
    def interval(self) -> tuple[float, float]:
        return Proportion(self.asked, self.sessions).interval


class LineAsked(msgspec.Struct, frozen=True, kw_only=True):
    """What became of telling one line, or one note."""

    id: str
    text: str
    before: AskedSide
    told: AskedSide
    held_out: AskedSide


class AskedAgain(msgspec.Struct, frozen=True, kw_only=True):
    before: AskedSide
    told: AskedSide
    held_out: AskedSide
    verdict: str
    lines: list[LineAsked]  # that were asked for at all, the most often first


def asked_again(cases: Cases, finding: Finding) -> AskedAgain:
    """`finding` is that of the figure: what was told against what was held out."""
    told = [case for case in cases.drawn if case.arm == TOLD]
    held_out = [case for case in cases.drawn if case.arm == HELD]
    sides = {"before": _side(cases.past), "told": _side(told), "held_out": _side(held_out)}
    return AskedAgain(**sides, verdict=_verdict(**sides, finding=finding), lines=_lines(cases))


def _side(cases: Iterable[Case], name: str = "") -> AskedSide:
    """Of one line, or of all."""
    turns = [
        float(case.asked.get(name, 0)) if name else case.figures[Figure.ASKED_AGAIN]
        for case in cases
        if Figure.ASKED_AGAIN in case.figures
    ]
    return AskedSide(sessions=len(turns), asked=sum(turn > 0 for turn in turns), turns=sum(turns))


def _verdict(before: AskedSide, told: AskedSide, held_out: AskedSide, finding: Finding) -> str:
    """What can be said by now."""
    if told.sessions < FEWEST or max(before.sessions, held_out.sessions) < FEWEST:
        return f"Too early to say: it takes {FEWEST} sessions that were told something, and as many that were not."
    if held_out.sessions >= FEWEST:
        return _FINDINGS[finding]
    if told.interval[1] < before.interval[0]:
        seen = "Fewer sessions ask for it than before"
    elif told.interval[0] > before.interval[1]:
        seen = "More sessions ask for it than before"
    else:
        seen = "No difference from before can be seen"
    return f"{seen}; what lines were learned from is among those before, and too few are held out to decide."


def _lines(cases: Cases) -> list[LineAsked]:
    names = {name: text for case in (*cases.past, *cases.drawn) for name, text in case.texts.items()}
    by_repo: defaultdict[str, list[Case]] = defaultdict(list)
    for case in (*cases.past, *cases.drawn):
        by_repo[case.repo].append(case)
    lines = [_line(name, text, here) for here in by_repo.values() for name, text in names.items() if _knows(here, name)]
    return sorted(lines, key=lambda line: (-line.told.turns, -line.before.turns, line.id))[:_MOST_LINES]


def _knows(cases: Sequence[Case], name: str) -> bool:
    return any(name in case.texts for case in cases)


def _line(name: str, text: str, cases: Sequence[Case]) -> LineAsked:
    first_ms = min((case.at_ms for case in cases if name in case.drawn), default=0)
    return LineAsked(
        id=name,
        text=text,
        before=_side((case for case in cases if case.at_ms < first_ms), name),
        told=_side((case for case in cases if case.drawn.get(name)), name),
        held_out=_side((case for case in cases if case.drawn.get(name) is False), name),
    )


def remarks(report: AskedAgain) -> list[str]:
    """For people, in sentences."""
    sides = (
        f"{report.before.in_words} before ({human_count(report.before.sessions, 'session')})",
        f"{report.told.in_words} where it was told ({report.told.sessions:,})",
        f"{report.held_out.in_words} where it was held out ({report.held_out.sessions:,})",
    )
    lines = (
        f"Asked for again in {line.told.asked:,} of {human_count(line.told.sessions, 'session')} told"
        f" ({line.before.asked:,} of {line.before.sessions:,} before, {line.held_out.asked:,} of"
        f" {line.held_out.sessions:,} held out): {line.text}"
        for line in report.lines
        if line.told.asked
    )
    return [f"Turns of a session that ask for what is told: {', '.join(sides)}. {report.verdict}", *lines]
