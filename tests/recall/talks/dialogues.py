"""Invented conversations of one project, the tasks that hinge on them, and what a digest keeps of a conversation.

`talks.jsonl` and `tasks.jsonl` were written by somebody who did not know the rules: a scheduling system for clinics,
100 conversations over half a year, 20 tasks that hinge on something settled there, 14 on something that a later
conversation changed, and 14 that nothing was decided about.
"""

import json
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from tests.harvest.talks import DAY_MS, MAY_MS, talk

from afterwit.capture.assembly.sentences import stated_by_agent
from afterwit.model.digest import Digest, Said
from afterwit.recall.from_digest import talks_in
from afterwit.recall.talks import TalkIndex

_HERE = Path(__file__).parent


class Dialogue(NamedTuple):
    """A turn begins with `U: ` (a person) or `A: ` (the agent)."""

    name: str
    day: int
    turns: tuple[str, ...]


class Case(NamedTuple):
    """A task or a control."""

    kind: str  # settled, changed or control
    prompt: str
    talk: str  # that decides
    earlier: str  # that it changed
    words: tuple[str, ...]  # that decide


@cache
def dialogues() -> tuple[Dialogue, ...]:
    return tuple(
        Dialogue(
            row["id"], _day(row["day"]), tuple(f"{turn['who'][0].upper()}: {turn['text']}" for turn in row["turns"])
        )
        for row in _rows("talks.jsonl")
    )


@cache
def cases() -> tuple[Case, ...]:
    return tuple(
        Case(row["kind"], row["prompt"], row["talk"], row["earlier"], tuple(row["words"]))
        for row in _rows("tasks.jsonl")
    )


def digest_of(dialogue: Dialogue) -> Digest:
    """What would be kept of such a session."""
    start = MAY_MS + dialogue.day * DAY_MS
    said = [
        Said(text=turn[3:], at_ms=start + at * 60_000, is_person=turn.startswith("U: "))
        for at, turn in enumerate(dialogue.turns)
    ]
    prompts = tuple(turn for turn in said if turn.is_person)
    replies = [turn for turn in said if not turn.is_person]
    stated = tuple(Said(text=text, at_ms=turn.at_ms) for turn in replies for text in stated_by_agent(turn.text))
    return talk(
        name=dialogue.name,
        day=dialogue.day,
        prompts=prompts,
        task=prompts[0].text,
        stated=stated,
        ending=replies[-1].text if replies else "",
        replies=tuple(replies[:-1]),
        ended_ms=said[-1].at_ms,
    )


def index_of(*more: Dialogue) -> TalkIndex:
    """All of these conversations and some others."""
    index = TalkIndex()
    for dialogue in (*dialogues(), *more):
        for part in talks_in(digest_of(dialogue)):
            index.put(part)
    return index


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (_HERE / name).read_text("utf-8").splitlines()]


def _day(text: str) -> int:
    at_s = datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()
    return int(at_s * 1000 - MAY_MS) // DAY_MS
