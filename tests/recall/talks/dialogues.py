"""Invented conversations as small dialogues, the tasks that hinge on them, and how both are read from TOML.

A turn is a line that begins with `U: ` (a person) or `A: ` (the agent). Of the agent's turns a digest keeps what reads
like a decision or a cause, and the last one; the same is done here.
"""

import tomllib
from pathlib import Path
from typing import NamedTuple

from tests.harvest.talks import DAY_MS, MAY_MS, talk

from afterwit.capture.assembly.sentences import stated_by_agent
from afterwit.model.digest import Digest, Said


class Dialogue(NamedTuple):
    name: str
    day: int
    turns: tuple[str, ...]


class Case(NamedTuple):
    """A task or a control."""

    kind: str
    prompt: str
    deciding: tuple[str, ...] = ()  # words that have to be quoted
    stale: tuple[str, ...] = ()  # words of what was replaced: not before them


class Half(NamedTuple):
    """One half of the set: what it is asked, and the conversations behind it."""

    tasks: tuple[Case, ...]
    controls: tuple[Case, ...]
    dialogues: tuple[Dialogue, ...]


def half(name: str) -> Half:
    content = tomllib.loads((Path(__file__).parent / f"{name}.toml").read_text("utf-8"))
    dialogues = [
        Dialogue(f"{name} {kind} {at}.{number}", one["day"], tuple(one["turns"]))
        for kind in ("task", "control")
        for at, case in enumerate(content[kind])
        for number, one in enumerate(case.get("talks", ()))
    ]
    return Half(tuple(map(_case, content["task"])), tuple(map(_case, content["control"])), tuple(dialogues))


def digest_of(dialogue: Dialogue) -> Digest:
    """What would be kept of such a session."""
    start = MAY_MS + dialogue.day * DAY_MS
    said = [
        Said(text=turn[3:], at_ms=start + at * 60_000, is_person=turn.startswith("U: "))
        for at, turn in enumerate(dialogue.turns)
    ]
    prompts = tuple(one for one in said if one.is_person)
    replies = [one for one in said if not one.is_person]
    stated = tuple(Said(text=text, at_ms=one.at_ms) for one in replies for text in stated_by_agent(one.text))
    return talk(
        name=dialogue.name,
        day=dialogue.day,
        prompts=prompts,
        task=prompts[0].text,
        stated=stated,
        ending=replies[-1].text if replies else "",
        ended_ms=said[-1].at_ms,
    )


def _case(content: dict[str, object]) -> Case:
    deciding, stale = content.get("deciding", ()), content.get("stale", ())
    assert isinstance(deciding, list | tuple)
    assert isinstance(stale, list | tuple)
    return Case(str(content["kind"]), str(content["prompt"]), tuple(deciding), tuple(stale))
