"""What the lines of the program itself say: its version and model, tokens and cost, edits, commands, failures.

Figures are rounded ("9.6k"); what was sent includes what came from the cache. Edits and commands become calls, because
they are what happened; a command's end is not told, but a person's refusal to run it is.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from afterwit.agents.places import Place
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Event, Result, Usage

_VERSION = re.compile(r"Aider v(\S{1,40})")
_MODEL = re.compile(r"(?:Main model|Model): (\S{1,120})")
_COUNT = r"(\d[\d.,]{0,12}[kKmM]?)"
_TOKENS = re.compile(
    rf"Tokens: {_COUNT} sent(?:, {_COUNT} cache write)?(?:, {_COUNT} cache hit)?, {_COUNT} received\."
    r"(?: Cost: \$(\d[\d.]{0,12}) message)?"
)
_APPLIED = re.compile(r"Applied edit to (.{1,1000})")
_UNMATCHED = re.compile(r".{0,20}SearchReplaceNoExactMatch: .{0,200}? lines in (.{1,1000})")
_REFUSED = re.compile(r"Run shell commands?\? .{0,80}: [nN]")
_RUNNING = re.compile(r"Running (.{1,4000})")
_FAILED = re.compile(r".{0,40}\blitellm\.\w*(?:Error|Timeout|Exceeded)\b|Model \S+ has hit a token limit")
_UNITS = {"k": 1_000, "m": 1_000_000}


class Spent(NamedTuple):
    usage: Usage
    cost_usd: float | None


def version_in(line: str) -> str:
    match = _VERSION.match(line)
    return match[1] if match else ""


def model_in(line: str) -> str:
    match = _MODEL.match(line)
    return match[1] if match else ""


def spent_in(line: str) -> Spent | None:
    match = _TOKENS.match(line)
    if match is None:
        return None
    sent, written, read, received = (_count(match[number]) for number in range(1, 5))
    usage = Usage(input=max(sent - written - read, 0), cache_read=read, cache_write=written, output=received)
    return Spent(usage, _number(match[5]) if match[5] else None)


def events_in(line: str, before: str, call_id: str, place: Place) -> Iterator[Event]:
    """What happened by this line, which came after another one."""
    if match := _APPLIED.match(line):
        yield place.asked(call_id, "edit", {"path": match[1]})
        yield place.answered(call_id, line, Result(is_error=False))
    elif match := _UNMATCHED.match(line):
        yield place.asked(call_id, "edit", {"path": match[1]})
        yield place.answered(call_id, line, Result(is_error=True))
    elif match := _RUNNING.match(line):
        yield place.asked(call_id, "run", {"command": match[1]})
    elif _REFUSED.match(line) and before:
        yield place.asked(call_id, "run", {"command": before})
        yield place.answered(call_id, line, Result(is_denied=True))
    elif line.startswith("^C"):
        yield place.said(EventKind.INTERRUPT)
    elif _FAILED.match(line):
        yield place.said(EventKind.MODEL_ERROR, line)


def _count(text: str | None) -> int:
    if not text:
        return 0
    unit = _UNITS.get(text[-1].lower())
    return round(_number(text[:-1] if unit else text) * (unit or 1))


def _number(text: str) -> float:
    try:
        return float(text.replace(",", "").rstrip("."))
    except ValueError:
        return 0.0
