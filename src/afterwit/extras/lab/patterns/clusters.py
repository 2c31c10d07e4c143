"""Signals of one subject become a pattern. Pure, and one walk over the signals: no two of them are compared.

A session counts with its subagents, forks and resumes, and with the same task given again, as one. Evidence is bounded:
the newest of every agent in every repository first, then what else is new.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from afterwit.extras.lab.patterns.pattern import Pattern, PatternEvidence, pattern_id
from afterwit.extras.lab.patterns.sayings import PatternWords, said
from afterwit.extras.lab.patterns.signals import Signal, Subject
from afterwit.model.knowledge import EVERYWHERE, Scope, ScopeKind, SessionRef

MOST_EVIDENCE = 8
FEWEST_STORIES = 3


class SignalSeen(NamedTuple):
    """A signal, and in which session."""

    subject: Subject
    session: SessionRef
    signal: Signal


def clustered(signals: Iterable[SignalSeen], fewest_stories: int = FEWEST_STORIES) -> list[Pattern]:
    """All that recurs in so many independent sessions, the most worth sharing first. Signals of one subject follow each
    other."""
    return sorted(_patterns(signals, fewest_stories), key=lambda pattern: pattern.rank)


def _patterns(signals: Iterable[SignalSeen], fewest_stories: int) -> Iterator[Pattern]:
    for subject, group in groupby(signals, lambda seen: seen.subject):
        same = list(group)
        saying = said(subject) if len({seen.session.story for seen in same}) >= fewest_stories else None
        if saying is not None:
            yield _pattern(subject, saying, same)


def _pattern(subject: Subject, saying: PatternWords, same: Sequence[SignalSeen]) -> Pattern:
    agents = tuple(sorted({seen.session.agent for seen in same}))
    repos = tuple(sorted({seen.session.repo for seen in same if seen.session.repo}))
    moments = [seen.signal.at_ms or seen.session.at_ms for seen in same]
    totals = Counter[str]()
    for seen in same:
        for name in ("times", "failures", "mended", "actions", "tokens"):
            totals[name] += getattr(seen.signal, name)
    return Pattern(
        id=pattern_id(subject),
        kind=subject.kind,
        side=saying.side,
        title=saying.title,
        text=saying.text,
        scope=_scope(saying, agents, repos),
        triggers=saying.triggers,
        frequency=totals["times"],
        sessions=len({(seen.session.agent, seen.session.native_id) for seen in same}),
        stories=len({seen.session.story for seen in same}),
        repos=repos,
        users=len({seen.session.user for seen in same if seen.session.user}),
        agents=agents,
        first_ms=min(moments),
        last_ms=max(moments),
        failures=totals["failures"],
        mended=totals["mended"],
        actions=totals["actions"],
        tokens=totals["tokens"],
        evidence=_evidence(same),
    )


def _scope(saying: PatternWords, agents: Sequence[str], repos: Sequence[str]) -> Scope:
    """Where it holds: what was seen in one repository holds there."""
    if saying.repo:
        return Scope(ScopeKind.REPO, saying.repo)
    if len(repos) == 1:
        return Scope(ScopeKind.REPO, repos[0])
    return Scope(ScopeKind.AGENT, agents[0]) if len(agents) == 1 else EVERYWHERE


def _evidence(same: Sequence[SignalSeen]) -> tuple[PatternEvidence, ...]:
    newest = sorted(map(_piece, same), key=_newest_first)
    first_of_place = {(piece.agent, piece.repo): piece for piece in reversed(newest)}.values()
    leading = sorted(first_of_place, key=_newest_first)
    taken = {id(piece) for piece in leading}
    rest = (piece for piece in newest if id(piece) not in taken)
    return tuple([*leading, *rest][:MOST_EVIDENCE])


def _piece(seen: SignalSeen) -> PatternEvidence:
    return PatternEvidence(
        agent=seen.session.agent,
        session=seen.session.native_id,
        repo=seen.session.repo,
        step=seen.signal.at,
        at_ms=seen.signal.at_ms or seen.session.at_ms,
        excerpt=seen.signal.excerpt,
    )


def _newest_first(piece: PatternEvidence) -> tuple[int, str, str]:
    return -piece.at_ms, piece.agent, piece.session
