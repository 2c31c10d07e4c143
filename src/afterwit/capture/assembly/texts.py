"""Texts of a log on their way into a row (without our own notes, clean, redacted, bounded, in this order), and what
assembling a file needs to know besides its readings.

A text is never cut before it is redacted: half a secret is not recognised and would stay. Nor is a placeholder cut in
two, because ids and hashes must be able to leave out its suffix. What counts as a secret is `guard`'s business.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

import msgspec

from afterwit.actions.failures.excerpt import error_excerpt
from afterwit.model.instruction_files import InstructionFiles
from afterwit.model.kinds import ActionKind, EventKind
from afterwit.model.readings import Event
from afterwit.model.text import regex, span_around
from afterwit.redaction.hygiene import clean
from afterwit.redaction.markers import OPENING, without_notes, without_own
from afterwit.redaction.redaction import Redactor

TEXT_LIMIT = 4_000  # characters of a name or a title that are stored
TASK_LIMIT = 12_000  # the same of a first prompt: pasted plans name their files far down
_END_LIMIT = 32_768  # characters of either end of a long text that are looked at
_MARGIN = 8_192  # longer than any secret that has a known form
_TORN_END = regex(r"‹[a-z0-9:-]{0,64}(…?)\Z")
_TORN_START = regex(r"\A[a-z0-9:-]{0,64}›")


def safe_text(text: str, redactor: Redactor, limit: int = TEXT_LIMIT) -> str:
    """At most `limit` characters of the text. The rest of a long one costs nothing."""
    return safe_texts((text,), redactor, limit)[0] if text else ""


def safe_texts(texts: Iterable[str], redactor: Redactor, limit: int = TEXT_LIMIT) -> list[str]:
    """The same for each of many texts: redacted together they cost far less."""
    return _bound_texts([_without_own(text) for text in texts], redactor, limit)


def safe_telling(text: str, redactor: Redactor, limit: int) -> str:
    """The same of what we told ourselves, as it was told."""
    return _bound_texts((text,), redactor, limit)[0]


def _bound_texts(texts: Sequence[str], redactor: Redactor, limit: int) -> list[str]:
    redacted = redactor.texts([clean(text[: limit + _MARGIN]) for text in texts])
    return [
        beginning(safe, limit if len(text) <= limit + _MARGIN else min(limit, max(0, len(safe) - _MARGIN)))
        for text, safe in zip(texts, redacted, strict=True)  # the rest of a cut one may begin with half a secret
    ]


def without_seams(events: Iterable[Event], redactor: Redactor) -> Iterator[Event]:
    """The events, with no secret that goes on from one to the next: blocks of a message and chunks of a stream follow
    one another, and neither half of a secret would be recognised."""
    for message, run in groupby(events, message_of):
        together = list(run)
        texts = [event.text for event in together]
        whole = redactor.pieces(texts) if message and len(texts) > 1 else texts
        for event, text in zip(together, whole, strict=True):
            yield event if text == event.text else msgspec.structs.replace(event, text=text)


def message_of(event: Event) -> tuple[str, EventKind] | None:
    """What this could be a piece of; what goes on after the first piece of a prompt may be a notice."""
    if event.kind in (EventKind.CALL, EventKind.RESULT):
        return None
    return event.session, EventKind.PROMPT if event.kind is EventKind.NOTICE else event.kind


def safe_body(text: str, redactor: Redactor) -> str:
    """A whole text, or both ends of a very long one: what is indexed and searched for its telling lines."""
    return safe_bodies((text,), redactor)[text]


def safe_bodies(texts: Iterable[str], redactor: Redactor) -> dict[str, str]:
    """The same for each of many texts."""
    ends = {text: _clean_ends(_without_own(text)) for text in texts}
    redacted = iter(redactor.texts([end for pair in ends.values() for end in pair]))
    return {text: _join_ends([next(redacted) for _ in pair]) for text, pair in ends.items()}


def _clean_ends(text: str) -> list[str]:
    """The text, or both ends of a very long one, with margins that may hold half a secret."""
    if len(text) <= 2 * (_END_LIMIT + _MARGIN):
        return [clean(text)]
    return [clean(text[: _END_LIMIT + _MARGIN]), clean(text[-_END_LIMIT - _MARGIN :])]


def _join_ends(ends: list[str]) -> str:
    if len(ends) == 1:
        return ends[0]
    head, tail = ends[0][:-_MARGIN], ends[1][_MARGIN:]
    return f"{_TORN_END.sub('', head)}\n{_TORN_START.sub('', tail)}"


def _without_own(text: str) -> str:
    """What we said ourselves is not what happened: notes that were given to an agent come back in its log."""
    return without_own(without_notes(text, with_refusals=True)) if OPENING in text else text


def safe_piece(text: str, wanted: Sequence[str], redactor: Redactor) -> str:
    """The piece of a text around the wanted words. Its cut ends, which may hold half a secret, are dropped."""
    start, end = span_around(text, wanted, _MARGIN)
    piece = redactor.text(clean(text[start:end]))
    if start:
        piece = _TORN_START.sub("", piece[_MARGIN // 2 :])
    if end < len(text):
        piece = _TORN_END.sub("", piece[: -_MARGIN // 2])
    return piece


def beginning(text: str, limit: int) -> str:
    """The first characters of a redacted text, without a torn placeholder at their end."""
    return text if len(text) <= limit else _TORN_END.sub("", text[:limit])


def both_ends(text: str, limit: int) -> str:
    """The first and the last characters of a redacted text that is longer than both together."""
    if len(text) <= 2 * limit:
        return text
    return f"{beginning(text, limit)}\n{_TORN_START.sub('', text[-limit:])}"


def excerpt_of_error(text: str) -> str:
    """The excerpt of a redacted error output."""
    excerpt = error_excerpt(text)
    return _TORN_END.sub(r"\1", excerpt) if excerpt.endswith("…") else excerpt


class AssemblyContext(msgspec.Struct, frozen=True, kw_only=True):
    """What assembling needs to know besides the readings."""

    redactor: Redactor
    tool_kinds: Mapping[str, ActionKind] = msgspec.field(default_factory=dict)  # of tools that are the agent's own
    own_tools: frozenset[str] = frozenset()  # by exact name; only to these a person's words are read in words
    instructions: InstructionFiles = InstructionFiles()  # of all agents
    tool_names: Mapping[str, str] = msgspec.field(default_factory=dict)  # the user's aliases
    user_names: Mapping[str, str] = msgspec.field(default_factory=dict)
    is_tracked: bool = False  # the log came with a checkout: what it calls a prompt nobody here typed
