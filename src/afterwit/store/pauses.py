"""Pauses: where nothing is told for a while, and until when. A file beside the deck, so that hooks see it at once.

A line is a time in milliseconds (0: until it is resumed), a blank, and what is paused, written as the exclusions of the
settings are: `repo:NAME`, `agent:NAME`. Imports nothing slow. A line that says nothing is passed over.
"""

import os

from afterwit.store.regular_files import read_regular

# pathlib takes longer to load than all that is done here.
# ruff: noqa: PTH118

PAUSED = "paused"  # the name of the file
EVERYWHERE = "agent:*"
_LARGEST = 65_536


def pauses_in_force(store: str, now_ms: int) -> dict[str, int]:
    """What is paused, each with its end; 0 where it has none."""
    try:
        text = read_regular(os.path.join(store, PAUSED), _LARGEST).decode("utf-8", "replace")
    except OSError:
        return {}
    in_force: dict[str, int] = {}
    for line in text.splitlines():
        until, _, entry = line.partition(" ")
        is_entry = entry.startswith(("repo:", "agent:")) and not entry.endswith(":")
        if is_entry and until.isascii() and until.isdigit() and (int(until) == 0 or int(until) > now_ms):
            in_force[entry] = int(until)
    return in_force


def in_words(what: str) -> str:
    """What is paused, as a sentence says it."""
    kind, _, name = what.partition(":")
    return "all agents, everywhere" if what == EVERYWHERE else name if kind == "repo" else f"{kind} {name}"
