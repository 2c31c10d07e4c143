"""Asks a model to settle duplicates and contradictions among the notes of a repository, and understands its answer.

A model sees the notes with who said them and when, and names ids alone; `note_claims` checks what it says of them.
Notes that may say the same stand in one question, and those of a large repository in several. Pure.
"""

import datetime as dt
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from afterwit.model.knowledge import Channel, Item
from afterwit.reader.answers import json_values
from afterwit.reader.note_claims import NoteClaims, seen_ms
from afterwit.reader.note_groups import note_groups
from afterwit.reader.requests import CHARS_PER_TOKEN, MOST_TOKENS, LineSpan, ReadingPrompt, ReadingRequest, hashed

PROMPT = "consolidate.md"
NEW_NOTES = 8  # after so many a repository is due
_MOST_CLAIMS = 60  # of one kind in an answer
_LARGEST_GROUP = 30
_ID = re.compile(r"[0-9a-f]{6,40}")
_HEADING = 500  # characters, at most
_SPEAKERS = {
    Channel.USER: "the user",
    Channel.OUTCOME: "a command that was run",
    Channel.ASSISTANT: "the agent",
    Channel.TOOL: "output",
    Channel.FILE: "a file",
    Channel.WEB: "a page",
    Channel.MCP: "a foreign tool",
}


def consolidations(
    repo: str, items: Iterable[Item], before: Collection[str], prompt: ReadingPrompt, model: str
) -> list[ReadingRequest]:
    """The questions about notes of a repository that were not asked about `before`, with those that resemble them."""
    by_id = {item.id: item for item in items}
    rows = {name: _row(item) for name, item in by_id.items()}
    sizes = {name: len(row) + 1 for name, row in rows.items()}
    room = MOST_TOKENS * CHARS_PER_TOKEN - len(prompt.text) - _HEADING
    made = []
    for group in note_groups(by_id.values(), before, sizes, room):
        names = tuple(sorted(group, key=lambda name: (by_id[name].last_ms, name)))
        if len(names) > 1:
            count = f"Notes: {len(names)}, the newest last."
            heading = f"Repository: {repo.rpartition('/')[2] or 'none'}. {count}\n\n## The notes"
            text = "\n".join((heading, *(rows[name] for name in names), ""))
            request = hashed(prompt.version, model, repo, text)
            made.append(ReadingRequest(request, 1, 1, LineSpan(0, 0), hashed(text), prompt.text, text, names))
    return made


def claims_in(text: str) -> NoteClaims | None:
    """What an answer claims; None where it is none."""
    for value in json_values(text):
        if isinstance(value, dict) and any(isinstance(value.get(field), list) for field in NoteClaims._fields):
            return NoteClaims(
                tuple(group for given in _listed(value, "same") if len(group := _ids(given)) > 1),
                tuple(pair for given in _listed(value, "replaced") if (pair := _old_and_new(given)) is not None),
                tuple((ids[0], ids[1]) for given in _listed(value, "contradict") if len(ids := _ids(given)) == 2),
            )
    return None


def schema() -> dict[str, Any]:
    """The form of an answer, for models that can be held to one."""
    text = {"type": "string"}
    texts = {"type": "array", "items": text}
    pair = {
        "type": "object",
        "properties": {"old": text, "new": text},
        "required": ["old", "new"],
        "additionalProperties": False,
    }
    fields = {
        "same": {"type": "array", "items": texts},
        "replaced": {"type": "array", "items": pair},
        "contradict": {"type": "array", "items": texts},
    }
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def _row(item: Item) -> str:
    moments = seen_ms(item)
    days = dict.fromkeys(_day(at_ms) for at_ms in (min(moments), max(moments))) if moments else ("an unknown day",)
    return f"[{item.id}] {' to '.join(days)}, {_SPEAKERS.get(item.channel, 'elsewhere')}: {item.sentence}"


def _day(at_ms: int) -> str:
    return dt.datetime.fromtimestamp(at_ms / 1000, tz=dt.UTC).date().isoformat()


def _listed(value: Mapping[str, Any], field: str) -> list[Any]:
    given = value.get(field)
    return given[:_MOST_CLAIMS] if isinstance(given, list) else []


def _ids(value: Any) -> tuple[str, ...]:
    texts = value[:_LARGEST_GROUP] if isinstance(value, list) else ()
    names = (text.strip("[] ") for text in texts if isinstance(text, str))
    return tuple(dict.fromkeys(name for name in names if _ID.fullmatch(name)))


def _old_and_new(value: Any) -> tuple[str, str] | None:
    names = [value.get("old"), value.get("new")] if isinstance(value, dict) else value
    ids = _ids(names)
    return (ids[0], ids[1]) if len(ids) == 2 else None
