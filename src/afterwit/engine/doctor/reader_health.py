"""Whether a reader still understands its agent: what was expected against what was read, per version.

Readers rot silently: a new version of an agent renames its records, every file is read without an error, and nothing
comes out. What gives it away is a break: transcripts, one after the other, without what those before them had. Looked
at are the newest transcripts, and all of the version that came last, because two versions can be in use side by side.
How many in a row make a break depends on how rare such a transcript was before: a user who often chats without tools
causes no alarm. Pure; sentences for people are made elsewhere.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

_CHANCE = 0.01  # a run less likely than this is no accident
_SHORTEST = 2
_SHORTEST_OF_NOISE = 5  # files without a session are also made by opening an agent and closing it again
_NEWEST = 5
_MANY_UNKNOWN = 0.2
_MOST_UNKNOWN = 0.5
_FEW_RECORDS = 10
_VERSION_PART = re.compile(r"[0-9]+|[A-Za-z]+")


class Transcript(NamedTuple):
    """What was read of one transcript."""

    at_ms: int  # its last event, or its last change where it has none
    version: str  # of the agent; "" if it does not say
    sessions: int
    replies: int
    events: int
    actions: int
    known: int  # records by whether the reader knows their type
    unknown: int
    has_problems: bool = False
    path: str = ""

    @property
    def is_silent(self) -> bool:
        """Text, but not a single action."""
        return self.replies > 0 and self.actions == 0

    @property
    def is_lost(self) -> bool:
        """Records, but no session in them."""
        return self.sessions == 0

    @property
    def is_noise(self) -> bool:
        """No session, and nothing that says why: it may have been opened and closed again."""
        return self.is_lost and not self.unknown and not self.has_problems


class Sign(StrEnum):
    """What gives a blind reader away."""

    BLIND = "reader-blind"  # there are transcripts, and there never was a session
    LOST = "no-sessions"  # the newest transcripts gave none
    SILENT = "no-actions"  # the newest have text and not a single action
    UNKNOWN = "unknown-records"  # the newest consist of records that the reader does not know
    ODD = "odd-transcript"  # one of the newest gave none, and not because it was opened and closed again


class Break(NamedTuple):
    """A sign, and the figures behind it."""

    sign: Sign
    version: str  # of the transcripts that show it; "" if they do not say or differ
    transcripts: int  # that show it
    before: int  # that came before
    sound: int  # of those before, how many did not show it
    share: float = 0.0  # of unknown records
    path: str = ""  # of the transcript, where it is one


def breaks(transcripts: Iterable[Transcript]) -> list[Break]:
    """What is wrong with the reader of these transcripts, at most one of each sign."""
    ordered = _in_time(transcripts)
    if ordered and all(transcript.is_lost for transcript in ordered):
        is_told = len(ordered) >= _SHORTEST_OF_NOISE or any(not transcript.is_noise for transcript in ordered)
        return [Break(Sign.BLIND, _version(ordered), len(ordered), 0, 0, unknown_share(ordered))] if is_told else []
    spoken = [transcript for transcript in ordered if transcript.replies]
    signs = (
        _lost(ordered) or _odd(ordered),
        _run(Sign.SILENT, spoken, lambda transcript: transcript.is_silent),
        _unknown(ordered),
    )
    return [transcript for transcript in signs if transcript is not None]


def unknown_share(transcripts: Iterable[Transcript]) -> float:
    """The share of records whose type the reader does not know."""
    counts = [(transcript.known + transcript.unknown, transcript.unknown) for transcript in transcripts]
    records = sum(count for count, _ in counts)
    return sum(unknown for _, unknown in counts) / records if records else 0.0


def versions(transcripts: Iterable[Transcript]) -> dict[str, list[Transcript]]:
    """Transcripts by version, the highest first; those that state none come last."""
    by_version: dict[str, list[Transcript]] = {}
    for transcript in transcripts:
        by_version.setdefault(transcript.version, []).append(transcript)
    return dict(sorted(by_version.items(), key=lambda item: version_order(item[0]), reverse=True))


def version_order(version: str) -> tuple[tuple[int, int, str], ...]:
    """Sorts versions as versions: 2.1.9 before 2.1.10, and 2.0.0-rc.1 before 2.0.0. None comes before all others."""
    release, _, early = version.partition("-")
    end = (-1 if early else 1, 0, "")
    return (*_version_parts(release), end, *_version_parts(early)) if version else ()


def _version_parts(text: str) -> Iterator[tuple[int, int, str]]:
    for part in _VERSION_PART.findall(text):
        yield (2, int(part), "") if part.isdigit() else (0, 0, part)


def _in_time(transcripts: Iterable[Transcript]) -> list[Transcript]:
    return sorted(transcripts, key=lambda transcript: (transcript.at_ms, transcript.version))


def _lost(ordered: Sequence[Transcript]) -> Break | None:
    run = _run(Sign.LOST, ordered, lambda transcript: transcript.is_lost)
    if run is None or run.transcripts >= _SHORTEST_OF_NOISE:
        return run
    return run if any(not transcript.is_noise for transcript in ordered if transcript.is_lost) else None


def _odd(ordered: Sequence[Transcript]) -> Break | None:
    """A single one among the newest may be an accident, but is worth a look."""
    for odd in reversed(ordered[-_NEWEST:]):
        if odd.is_lost and not odd.is_noise:
            sound = sum(not transcript.is_lost for transcript in ordered)
            return Break(Sign.ODD, odd.version, 1, len(ordered) - 1, sound, unknown_share([odd]), odd.path)
    return None


def _run(sign: Sign, ordered: Sequence[Transcript], is_odd: Callable[[Transcript], bool]) -> Break | None:
    """A run of odd transcripts that is too long to be an accident."""
    for newest, before in _splits(ordered, _odd_at_the_end(ordered, is_odd)):
        odd = sum(map(is_odd, before))
        is_all_odd = len(newest) >= _SHORTEST and all(map(is_odd, newest))
        chance = ((odd + 1) / (len(before) + 2)) ** len(newest)
        if is_all_odd and odd < len(before) and chance < _CHANCE:
            return Break(sign, _version(newest), len(newest), len(before), len(before) - odd)
    return None


def _unknown(ordered: Sequence[Transcript]) -> Break | None:
    for newest, before in _splits(ordered, min(_NEWEST, len(ordered) - 1)):
        share, usual = unknown_share(newest), unknown_share(before)
        is_telling = sum(transcript.unknown for transcript in newest) >= _FEW_RECORDS
        has_risen = bool(before) and share >= _MANY_UNKNOWN and usual * 3 <= share
        if is_telling and (has_risen or share >= _MOST_UNKNOWN):
            sound = sum(not transcript.unknown for transcript in before)
            return Break(Sign.UNKNOWN, _version(newest), len(newest), len(before), sound, share)
    return None


def _splits(ordered: Sequence[Transcript], newest: int) -> list[tuple[Sequence[Transcript], Sequence[Transcript]]]:
    """(The newest, those before), cut in two ways: the version that came last, and so many transcripts."""
    latest = next(reversed(dict.fromkeys(transcript.version for transcript in ordered)), "")
    splits: list[tuple[Sequence[Transcript], Sequence[Transcript]]] = [
        (
            [transcript for transcript in ordered if transcript.version == latest],
            [transcript for transcript in ordered if transcript.version != latest],
        )
    ]
    if newest > 0:
        splits.append((ordered[-newest:], ordered[:-newest]))
    return splits


def _odd_at_the_end(ordered: Sequence[Transcript], is_odd: Callable[[Transcript], bool]) -> int:
    count = 0
    while count < len(ordered) and is_odd(ordered[-1 - count]):
        count += 1
    return count


def _version(transcripts: Sequence[Transcript]) -> str:
    stated = {transcript.version for transcript in transcripts}
    return stated.pop() if len(stated) == 1 else ""
