"""The text of answers: notes from past sessions between the fixed markers, and never more than a model should read.

Whatever comes from items, sessions or memory goes through here, after the gate. It is data to an agent, and our own
output when it comes back in a transcript. Pure.
"""

from collections.abc import Iterable

from afterwit.guard.hygiene import clean
from afterwit.guard.markers import CLOSING, OPENING
from afterwit.guard.shown import Shown, between_markers, figure, joined, name, ours, stamp
from afterwit.model.times import iso_from_ms

MOST_CHARS = 8_000  # about 2,000 tokens


def notes(lines: Iterable[Shown], most: int = MOST_CHARS) -> Shown:
    """Lines between the markers: as many as there is room for, and how many were left out."""
    given = list(lines)
    kept = given[: fitting(given, most)]
    if len(kept) < len(given):
        kept.append(joined((ours("("), figure(len(given) - len(kept)), ours(" more lines left out)"))))
    return between_markers(joined(kept, "\n"), OPENING, CLOSING)


def fitting(lines: Iterable[str], most: int = MOST_CHARS) -> int:
    """How many of the lines there is room for, from the first."""
    left, number = most, 0
    for line in lines:
        left -= len(line) + 1
        if left < 0:
            break
        number += 1
    return number


def one_line(text: str, most: int) -> str:
    """A foreign text on one line, cleaned and cut."""
    line = " ".join(clean(text[: most * 4]).split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def day(at_ms: int | None) -> Shown:
    return stamp(iso_from_ms(at_ms)[:10]) if at_ms else ours("no date")


def last_part(repo: str) -> Shown:
    """The name of a repository, where it is a plain one."""
    return name(repo.rpartition("/")[2])
